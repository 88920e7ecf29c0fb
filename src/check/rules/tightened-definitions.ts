import { createDefinitionFinder } from '../changed-object.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** Definitions whose fields take fewer values than before. */
export const tightenedDefinitions: Rule = changeRule(
  {
    code: 'DEFINITION_TIGHTENED',
    severity: 'warning',
    explanation: [
      'A field that is there as before takes fewer values: another type, a new required field, a value less in an enum, closer bounds, a pattern or format, a new rule in CEL, no null or no unknown fields any more. Versions that are served before and after are compared.',
      'So is a list or map that API servers merge otherwise (`x-kubernetes-list-type`, its keys, `x-kubernetes-map-type`): where it is replaced as a whole from then on, an apply removes what others wrote in it, and where it is merged by a key, two items of one key are refused.',
      'Objects of the tree are checked against the new definition by OBJECT_FIELD_INVALID. Those that are stored already are not looked at when the definition changes: the next write of such an object is refused, unless the field in question stays as it is (Kubernetes 1.33 and newer, and then not for every kind of fault).',
    ],
  },
  (change) => {
    const find = createDefinitionFinder(change)
    return change.facts.definitions.flatMap(({ name, clusters, fieldsTightened = [], mergedOtherwise = [] }) => {
      const say = (what: string, fields: readonly string[], hint: string): readonly RuleFinding[] => {
        const [first] = fields
        if (first === undefined) return []
        const more = fields.length === 1 ? '' : `, and ${String(fields.length - 1)} more`
        const message = `CustomResourceDefinition ${name} ${what} than before (${first}${more})`
        return find({ name, clusters }).map((place) => ({ ...place, message, hint }))
      }
      return [
        ...say(
          'takes fewer values',
          fieldsTightened,
          'Look for objects that it no longer accepts, in clusters and in other repositories; then acknowledge this finding.',
        ),
        ...say(
          'is merged otherwise',
          mergedOtherwise,
          'Look for objects that several programs write, and for lists with two items of one name; then acknowledge this finding.',
        ),
      ]
    })
  },
)
