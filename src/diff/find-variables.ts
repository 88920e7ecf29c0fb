import { formatGoJson } from '../codec/json/go-json.ts'
import { copyDict, dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import type { VariableChange } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import type { PlacedChange } from './fold-changes.ts'
import { hideSecrets } from './hide-secrets.ts'

/** A variable of a class. */
interface Variable {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Dict
}

/** The variables of classes that change, and of releases that take the place of others. */
export function findVariables(placed: readonly PlacedChange[]): readonly VariableChange[] {
  return placed.flatMap(({ change, part }) => {
    const { before, after } = change
    if (part.kind !== 'stack' || before?.kind !== 'ClusterClass' || after === undefined) return []
    const of = { namespace: part.namespace, release: part.tag }
    return compareVariables(variablesOf(before.object), variablesOf(after.object)).map((found) => ({ ...of, ...found }))
  })
}

type Found = Omit<VariableChange, 'namespace' | 'release'>

function compareVariables(
  before: ReadonlyMap<string, Variable>,
  after: ReadonlyMap<string, Variable>,
): readonly Found[] {
  const removed = [...before.values()].filter(({ name }) => !after.has(name))
  const added = [...after.values()].filter(({ name }) => !before.has(name))
  const renamed = new Map(removed.flatMap((variable) => renameOf(variable, { removed, added })))
  const taken = new Set([...renamed.values()].map(({ name }) => name))
  return [
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
  const [shown] = hideSecrets('ClusterClass', [
    {
      path: [after.name],
      ...(oldDefault !== undefined && { before: oldDefault }),
      ...(newDefault !== undefined && { after: newDefault }),
    },
  ])
  const hasOtherDefault = textOf(oldDefault) !== textOf(newDefault)
  const hasOtherSchema = textOf(restOf(before)) !== textOf(restOf(after))
  const isRequired = isDemanded(after) && !isDemanded(before)
  if (oldType === newType && !hasOtherDefault && !hasOtherSchema && !isRequired) return []
  return [
    {
      name: after.name,
      change: 'changed',
      isRequired,
      ...(oldType !== newType && { type: { before: oldType, after: newType } }),
      ...(hasOtherDefault && {
        default: {
          ...(shown?.before !== undefined && { before: shown.before }),
          ...(shown?.after !== undefined && { after: shown.after }),
        },
      }),
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
