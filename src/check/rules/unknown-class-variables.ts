import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { formatTag, matchClassName } from '../../model/release-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import { definedVariables, definesMore, givenVariables } from '../../model/topology-variables.ts'
import { newNamesOf, renamedTo, type VariableRenames } from '../../model/variable-renames.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { classOf } from '../class-of.ts'
import type { Rule, RuleFinding } from '../rule.ts'

/** Variables of a Cluster that its class does not define, mostly misspelt ones. */
export const unknownClassVariables: Rule = {
  code: 'CLASS_VARIABLE_UNKNOWN',
  severity: 'error',
  explanation: [
    'Cluster API refuses a Cluster that sets a variable which its class does not define: nothing of the change reaches the cluster. Both `topology.variables` and the overrides of the control plane and of workers are checked, after patches.',
    'Where `spec.variableRenames` of stackmason.yaml lists the variable, the hint says its new name.',
    'A class with an external patch that discovers variables is not checked: only the running extension knows which there are.',
  ],
  begin: ({ renames = new Map() }) => ({ unit: (unit) => judge(unit, renames) }),
}

function judge(unit: CheckedUnit, renames: VariableRenames): readonly RuleFinding[] {
  const found = classOf(unit)
  if (found === undefined || definesMore(found.clusterClass)) return []
  const { manifest, clusterClass, className } = found
  const names = definedVariables(clusterClass).map(({ name }) => name)
  const known = new Set(names)
  return givenVariables(manifest.object)
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => ({
      message: `class ${className} has no variable ${shownKey(name)}`,
      ...placeIn(manifest, ...path, 'name'),
      hint: renameHint(name, { className, known, renames }) ?? hintFor(name, names),
    }))
}

interface KnownNames {
  readonly className: string
  readonly known: ReadonlySet<string>
  readonly renames: VariableRenames
}

function renameHint(name: string, { className, known, renames }: KnownNames): string | undefined {
  const release = matchClassName(className)
  if (!('value' in release)) return undefined
  const names = newNamesOf(renames, release.value)
  const to = renamedTo(name, { names, isDefined: (other) => known.has(other) })
  return to === undefined ? undefined : `It is renamed to ${shownKey(to)} in release ${formatTag(release.value)}.`
}

function hintFor(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'Remove it: the class has no variables.'
  const near = nearestName(name, names)
  return near === undefined ? `Its variables are: ${names.join(', ')}.` : `Did you mean ${near}?`
}
