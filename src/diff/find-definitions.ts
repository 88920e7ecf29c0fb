import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { type ObjectName, objectPath, parseObjectPath } from '../model/object-name.ts'
import type { ChangeStep, DefinitionChange, FieldChange, ObjectChange } from '../model/tree-change.ts'
import type { Dict, Value } from '../model/value.ts'
import { findMergedOtherwise, findTightened } from './find-tightened.ts'
import type { IndexedChange } from './fold-changes.ts'

/** Finds changes of CustomResourceDefinitions; one of many clusters counts once. */
export function findDefinitions(indexed: readonly IndexedChange[]): readonly DefinitionChange[] {
  const found = new Map<
    string,
    { readonly definition: Omit<DefinitionChange, 'clusters'>; readonly clusters: Set<string> }
  >()
  const known = new WeakMap<readonly FieldChange[], Omit<DefinitionChange, 'clusters'>>()
  for (const { change, cluster } of indexed) {
    const object = change.after ?? change.before
    if (object?.kind !== 'CustomResourceDefinition') continue
    const isShared = change.fields.length > 0
    const definition = (isShared ? known.get(change.fields) : undefined) ?? describe(change)
    if (isShared) known.set(change.fields, definition)
    if (!isWorthTelling(definition)) continue
    const key = JSON.stringify(definition)
    const same = found.get(key) ?? { definition, clusters: new Set<string>() }
    found.set(key, same)
    if (cluster !== undefined && object.destination !== 'management') same.clusters.add(objectPath(cluster))
  }
  return [...found.values()]
    .map(({ definition, clusters }) => ({
      ...definition,
      clusters: [...clusters].sort().map((key): ObjectName => parseObjectPath(key)),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Descriptions and columns say nothing to what uses a kind. */
function isWorthTelling(definition: Omit<DefinitionChange, 'clusters'>): boolean {
  const { change, versionsAdded, versionsDropped, storage, fieldsRemoved } = definition
  return (
    change !== 'changed' ||
    storage !== undefined ||
    definition.fieldsTightened !== undefined ||
    definition.mergedOtherwise !== undefined ||
    definition.subresourcesDropped !== undefined ||
    versionsAdded.length + versionsDropped.length + fieldsRemoved.length > 0
  )
}

function describe({ change, before, after, fields }: ObjectChange): Omit<DefinitionChange, 'clusters'> {
  const object = after ?? before
  const [old, now] = [new Set(versionsOf(before?.object)), new Set(versionsOf(after?.object))]
  const storage = { before: storageOf(before?.object), after: storageOf(after?.object) }
  return {
    name: object?.name ?? '',
    change: change === 'added' || change === 'removed' ? change : 'changed',
    destination: object?.destination === 'management' ? 'management' : 'workload',
    versionsAdded: before === undefined ? [] : [...now].filter((version) => !old.has(version)),
    versionsDropped: [...old].filter((version) => !now.has(version)),
    storage: before !== undefined && after !== undefined && storage.before !== storage.after ? storage : undefined,
    fieldsRemoved: after === undefined ? [] : fields.flatMap((field) => removedField(field)),
    ...(before !== undefined && after !== undefined && lossesBetween(before.object, after.object)),
  }
}

function lossesBetween(
  before: Dict,
  after: Dict,
): Pick<DefinitionChange, 'fieldsTightened' | 'mergedOtherwise' | 'subresourcesDropped'> {
  const fieldsTightened = findTightened(before, after)
  const mergedOtherwise = findMergedOtherwise(before, after)
  const subresourcesDropped = droppedSubresources(before, after)
  return {
    ...(fieldsTightened.length > 0 && { fieldsTightened }),
    ...(mergedOtherwise.length > 0 && { mergedOtherwise }),
    ...(subresourcesDropped.length > 0 && { subresourcesDropped }),
  }
}

/** Of versions that are still served. */
function droppedSubresources(before: Dict, after: Dict): readonly string[] {
  const served = new Set(versionsOf(after))
  const kept = new Set(subresourcesOf(after))
  return subresourcesOf(before).filter((one) => served.has(one.slice(0, one.indexOf(':'))) && !kept.has(one))
}

function subresourcesOf(definition: Dict): readonly string[] {
  return versionItems(definition).flatMap((version) =>
    [...(dictAt(version, 'subresources')?.keys() ?? [])].map((name) => `${textAt(version, 'name')}: ${name}`),
  )
}

/** Served ones. */
function versionsOf(definition: Dict | undefined): readonly string[] {
  return versionItems(definition)
    .filter((version) => fieldAt(version, 'served') !== false)
    .map((version) => textAt(version, 'name'))
}

function storageOf(definition: Dict | undefined): string {
  const stored = versionItems(definition).find((version) => fieldAt(version, 'storage') === true)
  return stored === undefined ? '' : textAt(stored, 'name')
}

function versionItems(definition: Dict | undefined): readonly Value[] {
  return definition === undefined ? [] : itemsAt(definition, 'spec', 'versions')
}

/** `v1: spec.template.name`, of a property that is gone from a schema. */
function removedField({ path, after }: FieldChange): readonly string[] {
  const [spec, versions, version, ...steps] = path
  const isProperty = steps.at(-2) === 'properties' && steps[1] === 'openAPIV3Schema'
  if (spec !== 'spec' || versions !== 'versions' || !isProperty || after !== undefined) return []
  const name = typeof version === 'object' ? version.value : String(version)
  return [`${name}: ${fieldOf(steps.slice(2))}`]
}

/** The field that a path in a schema is about. */
function fieldOf(steps: readonly ChangeStep[]): string {
  let field = ''
  let isName = false
  for (const step of steps) {
    if (typeof step !== 'string') continue
    if (isName) field += `${field === '' ? '' : '.'}${step}`
    else if (step === 'items') field += '[]'
    else if (step === 'additionalProperties') field += '.*'
    isName = !isName && step === 'properties'
  }
  return field
}
