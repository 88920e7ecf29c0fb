import type { DefinitionChange } from '../../model/tree-change.ts'
import { createDefinitionFinder } from '../changed-object.ts'
import { changeRule, type Rule } from '../rule.ts'

/** Definitions that no longer take what objects may have. */
export const narrowedDefinitions: Rule = changeRule(
  {
    code: 'DEFINITION_NARROWED',
    severity: 'warning',
    explanation: [
      'A version of a kind that is no longer served, or a field that its schema no longer has: objects outside of this tree that use them are refused from then on, or lose the field when they are written next.',
      'Objects of the tree are checked against the new definition by KIND_NOT_SERVED and OBJECT_FIELD_UNKNOWN. A storage version that changes or goes is STORAGE_VERSION_CHANGES and STORAGE_VERSION_DROPPED.',
    ],
  },
  (change) => {
    const find = createDefinitionFinder(change)
    return change.facts.definitions.filter(isNarrowed).flatMap((definition) => {
      const { name } = definition
      const message = `CustomResourceDefinition ${name} ${losses(definition)}`
      const hint = 'Look for objects that use it, in clusters and in other repositories; then acknowledge this finding.'
      return find(definition).map((place) => ({ ...place, message, hint }))
    })
  },
)

function isNarrowed({ change, versionsDropped, fieldsRemoved }: DefinitionChange): boolean {
  return change === 'changed' && versionsDropped.length + fieldsRemoved.length > 0
}

function losses({ versionsDropped, fieldsRemoved }: DefinitionChange): string {
  const [first = ''] = fieldsRemoved
  const more = fieldsRemoved.length > 1 ? ` and ${String(fieldsRemoved.length - 1)} more fields` : ''
  return [
    ...(versionsDropped.length > 0 ? [`no longer serves ${versionsDropped.join(', ')}`] : []),
    ...(fieldsRemoved.length > 0 ? [`no longer has ${first}${more}`] : []),
  ].join(' and ')
}
