import { textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { isResourceDefinition } from '../../model/resource-definition.ts'
import { shownApiVersion, shownKind, shownObject } from '../../model/shown-name.ts'
import type { Dict } from '../../model/value.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import { indexOf, manifestsAt, type ObjectIndex, workloadsOf } from '../references/object-index.ts'
import { kubernetesGroups } from '../references/kubernetes-groups.ts'
import { pluralOf } from '../references/plural-of.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import type { Rule, RuleFinding } from '../rule.ts'

/** Objects of kinds that no API server knows by itself and nothing in the tree defines. */
export const missingDefinitions: Rule = {
  code: 'DEFINITION_MISSING',
  severity: 'warning',
  explanation: [
    'An object of a kind that the API server does not know is refused, and Flux holds back all of its unit with it. Objects of workload clusters whose group is none of Kubernetes are looked at, one finding for each kind.',
    'Known are the CustomResourceDefinitions of the same cluster and of the folders that `spec.check.schemas` names, API versions that the fleet or addons.yaml declares, and definitions that a program of the cluster may make, because its rights name them.',
    'A warning, for the definition may come from outside of the tree. Declare the API version then (`spec.apiVersions`), which charts see, too.',
  ],
  begin: ({ definitions }) => ({
    unit: (unit) =>
      unit.isKept
        ? []
        : workloadsOf(unit).flatMap((destination) => missingAt(unit, { destination, given: definitions })),
  }),
}

interface Place {
  readonly destination: Destination
  /** Definitions that no unit brings. */
  readonly given: readonly Dict[]
}

function missingAt(unit: CheckedUnit, { destination, given }: Place): readonly RuleFinding[] {
  const manifests = manifestsAt(unit, destination)
  const index = indexOf(unit, destination)
  const declared = new Set(unit.cluster?.cluster.apiVersions?.declared)
  const definitions = [...given, ...manifests.filter(isResourceDefinition).map(({ object }) => object)]
  const found = new Map<string, RuleFinding>()
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest
    const key = `${apiVersion}/${kind}`
    const group = groupOf(apiVersion)
    if (kubernetesGroups.has(group) || found.has(key) || declared.has(apiVersion) || declared.has(key)) continue
    if (definitions.some((definition) => definesKind(definition, group, kind))) continue
    const finding = undefinedKind(manifest, index)
    if (finding !== undefined) found.set(key, finding)
  }
  return [...found.values()]
}

function definesKind(definition: Dict, group: string, kind: string): boolean {
  return textAt(definition, 'spec', 'group') === group && textAt(definition, 'spec', 'names', 'kind') === kind
}

function undefinedKind(manifest: Manifest, index: ObjectIndex): RuleFinding | undefined {
  const { apiVersion, kind, namespace } = manifest
  if (index.mayMake(`${pluralOf(kind)}.${groupOf(apiVersion)}`)) return undefined
  return {
    message: `${shownObject({ ...manifest, namespace })} is of a kind that nothing in the tree defines (${shownApiVersion(apiVersion)})`,
    ...placeIn(manifest, 'kind'),
    hint: `Bring the CustomResourceDefinition with an addon; if the cluster serves it, add ${shownApiVersion(apiVersion)}/${shownKind(kind)} to spec.apiVersions of addons.yaml or stackmason.yaml.`,
  }
}
