import { textAt } from '../../model/field.ts'
import { objectPath } from '../../model/object-name.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'
import type { DefinitionChange, TreeChange, TreeObject } from '../../model/tree-change.ts'
import { changedObjects, createDefinitionFinder, inField, nameOf } from '../changed-object.ts'
import { andMoreFields } from '../more-fields.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** Definitions that no longer take what objects may have. */
export const narrowedDefinitions: Rule = changeRule(
  {
    code: 'DEFINITION_NARROWED',
    severity: 'warning',
    explanation: [
      'A version of a kind that is no longer served, or a field that its schema no longer has: objects outside of this tree that use them are refused from then on, or lose the field when they are written next. So is a subresource that is gone: without `status` controllers can no longer write it apart, and who may write the object may write its status.',
      'An error where a definition gets another plural, and the old one stays in the cluster: two definitions cannot define one kind, so the API server never serves the new one.',
      'Objects of the tree are checked against the new definition by KIND_NOT_SERVED and OBJECT_FIELD_UNKNOWN. A storage version that changes or goes is STORAGE_VERSION_CHANGES and STORAGE_VERSION_DROPPED.',
    ],
  },
  (change) => {
    const find = createDefinitionFinder(change)
    const narrowed = change.facts.definitions.filter(isNarrowed).flatMap((definition) => {
      const { name } = definition
      const message = `CustomResourceDefinition ${name} ${losses(definition)}`
      const hint = 'Look for objects that use it, in clusters and in other repositories; then acknowledge this finding.'
      return find(definition).map((place) => ({ ...place, message, hint }))
    })
    return [...narrowed, ...takenKinds(change)]
  },
)

/** Definitions of a kind that another one defines, which leaves the tree and stays in the cluster. */
function takenKinds(change: TreeChange): readonly RuleFinding[] {
  const stays = new Map(
    change.changes.flatMap(({ before, after, risks }) =>
      before !== undefined && isDefinition(before) && (after === undefined || after.name !== before.name)
        ? [[kindKey(before), { name: before.name, isLeft: !risks.includes('deletes') }] as const]
        : [],
    ),
  )
  return changedObjects(change).flatMap(({ change: { before, after }, finding }): readonly RuleFinding[] => {
    if (after === undefined || !isDefinition(after) || before?.name === after.name) return []
    const old = stays.get(kindKey(after))
    if (old?.isLeft !== true) return []
    const kind = textAt(after.object, 'spec', 'names', 'kind')
    return [
      {
        ...inField(finding, ['spec', 'names']),
        severity: 'error',
        message: `${nameOf(after)} defines the kind ${shownKind(kind)} of ${shownName(old.name)}, which leaves the tree and stays in the cluster: the API server never serves the new one`,
        hint: 'Keep the old names; or delete the old definition, and with it all objects of the kind, before the new one is applied.',
      },
    ]
  })
}

function isDefinition({ kind, apiVersion }: TreeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/')
}

/** The key of a kind, which only one definition of an API server may define. */
function kindKey({ destination, object }: TreeObject): string {
  const server = destination === 'management' ? '' : objectPath(destination)
  return JSON.stringify([server, textAt(object, 'spec', 'group'), textAt(object, 'spec', 'names', 'kind')])
}

function isNarrowed({ change, versionsDropped, fieldsRemoved, subresourcesDropped = [] }: DefinitionChange): boolean {
  return change === 'changed' && versionsDropped.length + fieldsRemoved.length + subresourcesDropped.length > 0
}

function losses({ versionsDropped, fieldsRemoved, subresourcesDropped = [] }: DefinitionChange): string {
  const [first = ''] = fieldsRemoved
  const more = andMoreFields(fieldsRemoved.length - 1)
  return [
    ...(versionsDropped.length > 0 ? [`no longer serves ${versionsDropped.join(', ')}`] : []),
    ...(fieldsRemoved.length > 0 ? [`no longer has ${first}${more}`] : []),
    ...(subresourcesDropped.length > 0 ? [`no longer has the subresource ${subresourcesDropped.join(', ')}`] : []),
  ].join(' and ')
}
