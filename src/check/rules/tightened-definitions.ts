import { createDefinitionFinder } from '../changed-object.ts'
import { changeRule, type Rule } from '../rule.ts'

/** Definitions whose fields take fewer values than before. */
export const tightenedDefinitions: Rule = changeRule(
  {
    code: 'DEFINITION_TIGHTENED',
    severity: 'warning',
    explanation: [
      'A field that is there as before takes fewer values: another type, a new required field, a value less in an enum, closer bounds, a pattern or format, a new rule in CEL, no null or no unknown fields any more. Versions that are served before and after are compared.',
      'Objects of the tree are checked against the new definition by OBJECT_FIELD_INVALID. Those that are stored already are not looked at when the definition changes: the next write of such an object is refused, unless the field in question stays as it is (Kubernetes 1.33 and newer, and then not for every kind of fault).',
    ],
  },
  (change) => {
    const find = createDefinitionFinder(change)
    return change.facts.definitions.flatMap(({ name, clusters, fieldsTightened = [] }) => {
      const [first] = fieldsTightened
      if (first === undefined) return []
      const more = fieldsTightened.length === 1 ? '' : `, and ${String(fieldsTightened.length - 1)} more`
      const message = `CustomResourceDefinition ${name} takes fewer values than before (${first}${more})`
      const hint =
        'Look for objects that it no longer takes, in clusters and in other repositories; then acknowledge this finding.'
      return find({ name, clusters }).map((place) => ({ ...place, message, hint }))
    })
  },
)
