import type { Diagnostic } from '../../model/diagnostic.ts'
import { itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { ImageVariableNames } from '../../model/fleet.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Value, Dict } from '../../model/value.ts'

/** The variables that the class in a stack's folder declares. */
export function classVariables({ manifests }: Pick<RenderedFolder, 'manifests'>): readonly Value[] {
  return itemsAt(manifests.find(({ kind }) => kind === 'ClusterClass')?.object ?? null, 'spec', 'variables')
}

/** Variables of the openstack scs2 stack. */
const SCS2: Required<ImageVariableNames> = {
  name: 'imageName',
  addVersion: 'imageAddVersion',
  isObject: 'imageIsOrc',
}

/** The names of the variables that choose images: those of the openstack scs2 stack where the fleet gives no others. */
export function imageVariableNames(names: ImageVariableNames | undefined): Required<ImageVariableNames> {
  return { ...SCS2, ...names }
}

/**
 * Paths below `spec.topology`, one list of paths for the control plane and each group of machines: where their
 * variables lie, what wins first.
 */
export function variableLists(topology: Dict): readonly (readonly (readonly PathStep[])[])[] {
  const groups = ['machineDeployments', 'machinePools'].flatMap((kind) =>
    itemsAt(topology, 'workers', kind).map((_, index): readonly PathStep[] => ['workers', kind, index]),
  )
  return [['controlPlane'], ...groups].map((group) => [[...group, 'variables', 'overrides'], ['variables']])
}

/** The finding about a variable that a class does not have. */
export function unknownVariable(
  name: string,
  {
    declared,
    className,
    at,
  }: { readonly declared: readonly Value[]; readonly className: string; readonly at: Diagnostic['at'] },
): Diagnostic {
  const known = declared.map((variable) => textAt(variable, 'name'))
  const near = nearestName(name, known)
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `class ${className} has no variable "${name}" that could choose images`,
    at,
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Write the names of its variables under spec.nodeImages[].variables, or remove findBy.`,
  }
}
