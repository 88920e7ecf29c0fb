import { formatGoJson } from '../codec/json/go-json.ts'
import { isCapiCluster, readClassReference } from '../model/class-reference.ts'
import { copyDict, dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import { matchReleaseTag } from '../model/release-name.ts'
import { givenVariables } from '../model/topology-variables.ts'
import type { FieldChange, TreeObject, VariableChange } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { type NewNames, newNamesOf, renamedTo, type VariableRenames } from '../model/variable-renames.ts'
import type { IndexedChange } from './fold-changes.ts'
import { hideSecrets } from './hide-secrets.ts'

/** A variable of a class. */
interface Variable {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Dict
}

/** The known renames. */
interface RenameSources {
  /** Objects of the new tree, with the Clusters of classes of which variables are renamed. */
  readonly objects: readonly TreeObject[]
  readonly renames: VariableRenames
}

/** The variables of classes that change, and of releases that take the place of others. */
export function findVariables(
  indexed: readonly IndexedChange[],
  { objects, renames }: RenameSources,
): readonly VariableChange[] {
  const setters = renames.size === 0 ? undefined : findSetters(objects)
  return indexed.flatMap(({ change, part }) => {
    const { before, after } = change
    if (part.kind !== 'stack' || before?.kind !== 'ClusterClass' || after === undefined) return []
    const of = { namespace: part.namespace, release: part.tag }
    const release = matchReleaseTag(part.tag)
    const names = 'value' in release ? newNamesOf(renames, release.value) : undefined
    return compareVariables(variablesOf(before.object), variablesOf(after.object), names).map((found) => ({
      ...of,
      ...found,
      setBy: found.change === 'renamed' ? settersOf(found.name, [before, after], setters) : undefined,
    }))
  })
}

/** Clusters by what they set: the namespace and name of their class, and the name of a variable. */
type Setters = ReadonlyMap<string, ReadonlyMap<string, ObjectName>>

function findSetters(objects: readonly TreeObject[]): Setters {
  const setters = new Map<string, Map<string, ObjectName>>()
  for (const { apiVersion, kind, namespace = '', name, object } of objects) {
    if (!isCapiCluster({ apiVersion, kind })) continue
    const clusterClass = readClassReference(object)
    for (const variable of givenVariables(object)) {
      const key = setterKey(variable.name, { namespace: clusterClass.namespace || namespace, name: clusterClass.name })
      const cluster = { namespace, name }
      setters.set(key, (setters.get(key) ?? new Map<string, ObjectName>()).set(objectPath(cluster), cluster))
    }
  }
  return setters
}

function settersOf(
  variable: string,
  classes: readonly TreeObject[],
  setters: Setters | undefined,
): readonly ObjectName[] {
  const found = classes.flatMap(({ namespace = '', name }) => [
    ...(setters?.get(setterKey(variable, { namespace, name })) ?? []),
  ])
  return [...new Map(found)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster)
}

function setterKey(variable: string, { namespace, name }: ObjectName): string {
  return `${namespace}/${name}/${variable}`
}

type Found = Omit<VariableChange, 'namespace' | 'release'>

function compareVariables(
  before: ReadonlyMap<string, Variable>,
  after: ReadonlyMap<string, Variable>,
  names: NewNames | undefined,
): readonly Found[] {
  const gone = [...before.values()].filter(({ name }) => !after.has(name))
  const known = gone.flatMap((variable) => {
    const name = renamedTo(variable.name, { names, isDefined: (other) => after.has(other) })
    const to = name === undefined ? undefined : after.get(name)
    return to === undefined ? [] : [{ variable, to }]
  })
  const named = new Set(known.flatMap(({ variable, to }) => [variable.name, to.name]))
  const removed = gone.filter(({ name }) => !named.has(name))
  const added = [...after.values()].filter(({ name }) => !before.has(name) && !named.has(name))
  const renamed = new Map(removed.flatMap((variable) => renameOf(variable, { removed, added })))
  const taken = new Set([...renamed.values()].map(({ name }) => name))
  return [
    ...known.map(({ variable, to }): Found => {
      const [differs] = changeOf(variable, to)
      return {
        hasOtherSchema: false,
        ...differs,
        name: variable.name,
        change: 'renamed',
        to: to.name,
        isRequired: isDemanded(to),
      }
    }),
    ...removed.map((variable): Found => {
      const to = renamed.get(variable.name)
      return to === undefined
        ? { name: variable.name, change: 'removed', isRequired: false, hasOtherSchema: false }
        : {
            name: variable.name,
            change: 'perhaps-renamed',
            to: to.name,
            isRequired: isDemanded(to),
            hasOtherSchema: false,
          }
    }),
    ...added
      .filter(({ name }) => !taken.has(name))
      .map((variable): Found => ({
        name: variable.name,
        change: 'added',
        isRequired: isDemanded(variable),
        type: { after: typeOf(variable) },
        hasOtherSchema: false,
      })),
    ...[...after.values()].flatMap((variable) => {
      const old = before.get(variable.name)
      return old === undefined ? [] : changeOf(old, variable)
    }),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Only where one went and one came with that schema: two of a kind could be either. */
function renameOf(
  variable: Variable,
  { removed, added }: { readonly removed: readonly Variable[]; readonly added: readonly Variable[] },
): readonly (readonly [string, Variable])[] {
  const text = schemaText(variable)
  const same = (others: readonly Variable[]): readonly Variable[] =>
    others.filter((other) => schemaText(other) === text)
  const [to, ...more] = same(added)
  // any text may become any other: a schema that says no more than its type says nothing
  const isTelling = [...variable.schema.keys()].some((key) => key !== 'type' && key !== 'description')
  return to !== undefined && more.length === 0 && same(removed).length === 1 && isTelling ? [[variable.name, to]] : []
}

function changeOf(before: Variable, after: Variable): readonly Found[] {
  const [oldType, newType] = [typeOf(before), typeOf(after)]
  const [oldDefault, newDefault] = [fieldAt(before.schema, 'default'), fieldAt(after.schema, 'default')]
  // a renamed one may have had the name of a secret, or get it
  const [shown] = [before.name, after.name].reduce<readonly FieldChange[]>(
    (fields, name) =>
      hideSecrets(
        'ClusterClass',
        fields.map((field) => ({ ...field, path: [name] })),
      ),
    [{ path: [], before: oldDefault, after: newDefault }],
  )
  const hasOtherDefault = textOf(oldDefault) !== textOf(newDefault)
  const hasOtherSchema = textOf(restOf(before)) !== textOf(restOf(after))
  const isRequired = isDemanded(after) && !isDemanded(before)
  if (oldType === newType && !hasOtherDefault && !hasOtherSchema && !isRequired) return []
  return [
    {
      name: after.name,
      change: 'changed',
      isRequired,
      type: oldType === newType ? undefined : { before: oldType, after: newType },
      default: hasOtherDefault ? { before: shown?.before, after: shown?.after } : undefined,
      hasOtherSchema,
    },
  ]
}

/** True if every cluster must set it. */
function isDemanded({ isRequired, schema }: Variable): boolean {
  return isRequired && fieldAt(schema, 'default') === undefined
}

function typeOf({ schema }: Variable): string {
  return textAt(schema, 'type')
}

function schemaText({ schema }: Variable): string {
  return textOf(withoutFields(schema, ['description']))
}

function restOf({ schema }: Variable): Value {
  return withoutFields(schema, ['description', 'example', 'type', 'default'])
}

function withoutFields(schema: Dict, fields: readonly string[]): Dict {
  const copy = copyDict(schema)
  for (const field of fields) copy.delete(field)
  return copy
}

function textOf(value: Value | undefined): string {
  return value === undefined ? '' : formatGoJson(value, { escapeHtml: false })
}

function variablesOf(object: Dict): ReadonlyMap<string, Variable> {
  return new Map(
    itemsAt(object, 'spec', 'variables').map((variable) => {
      const name = textAt(variable, 'name')
      const schema = dictAt(variable, 'schema', 'openAPIV3Schema') ?? new Dict()
      return [name, { name, isRequired: fieldAt(variable, 'required') === true, schema }]
    }),
  )
}
