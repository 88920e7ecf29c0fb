import { placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import { classOf } from '../class-of.ts'
import { type Rule, unitRule } from '../rule.ts'
import { definedVariables, definesMore, givenVariables } from '../topology-variables.ts'

/** Variables of a Cluster that its class does not define, mostly misspelt ones. */
export const unknownClassVariables: Rule = unitRule(
  {
    code: 'CLASS_VARIABLE_UNKNOWN',
    severity: 'error',
    explanation: [
      'Cluster API refuses a Cluster that sets a variable which its class does not define: nothing of the change reaches the cluster. Both `topology.variables` and the overrides of the control plane and of workers are checked, after patches.',
      'A class with an external patch that discovers variables is not checked: only the running extension knows which there are.',
    ],
  },
  (unit) => {
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
        hint: hintFor(name, names),
      }))
  },
)

function hintFor(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'Remove it: the class has no variables.'
  const near = nearestName(name, names)
  return near === undefined ? `Its variables are: ${names.join(', ')}.` : `Did you mean ${near}?`
}
