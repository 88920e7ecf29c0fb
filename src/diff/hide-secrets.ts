import { formatGoJson } from '../codec/json/go-json.ts'
import { isPrivateMember, looksPrivate } from '../codec/text/json-web-keys.ts'
import { MaskTexts } from '../codec/text/mask-texts.ts'
import { collectSecretTexts } from '../codec/text/secret-texts.ts'
import { maskSecretWords } from '../codec/text/secret-words.ts'
import { isNameOfSecret, namesSecretBeside, refersToSecret } from '../model/sensitive-name.ts'
import { isShownField } from '../model/shown-fields.ts'
import type { ChangeStep, FieldChange, ItemStep } from '../model/tree-change.ts'
import { dict, Dict, type Value } from '../model/value.ts'

const MASK = '********'

/** The same changes of an object of this kind, without the values that are or may be secret. */
export function hideSecrets(kind: string, fields: readonly FieldChange[]): readonly FieldChange[] {
  // a schema says that there is a password, and holds none
  if (kind === 'CustomResourceDefinition') return fields
  return fields.map((field) => hideField(kind, field))
}

/** A whole object of this kind, without the values that are or may be secret. */
export function hideInObject(kind: string, object: Dict): Dict {
  const fields = [...object].map(([key, after]): FieldChange => ({ path: [key], after }))
  const shown = hideSecrets(kind, fields)
  return dict([...object.keys()].map((key, index): [string, Value] => [key, shown[index]?.after ?? null]))
}

function hideField(kind: string, field: FieldChange): FieldChange {
  const scope = scopeOf(kind, field.path)
  const shown: FieldChange = {
    ...field,
    path: field.path.map((step) => hiddenStep(step, scope)),
    before: field.before === undefined ? undefined : hidden(field.before, scope),
    after: field.after === undefined ? undefined : hidden(field.after, scope),
  }
  return hidesChange(field, shown) ? { ...shown, isHidden: true } : shown
}

/** The knowledge of a place in an object from the names above it. */
interface Scope {
  /** `all`: every scalar is secret; `named`: what stands under a name of a secret; `none`: what tells where one is. */
  readonly manner: 'all' | 'named' | 'none'
  /** An item further out has the name of a secret: what it holds as its value is one. */
  readonly isNamed: boolean
  /** The name of the field that holds it. */
  readonly field: string
  /** That of the field around. */
  readonly above: string
  readonly kind: string
}

const TOP: Scope = { manner: 'named', isNamed: false, field: '', above: '', kind: '' }
const ALL: Scope = { ...TOP, manner: 'all' }

/** Fields of an item in which its value stands: of variables of containers and of classes. */
const VALUES: ReadonlySet<string> = new Set(['value', 'default', 'example', 'enum'])
/** Fields of RuntimeValues that say what a Secret is and where its values come from. */
const DESCRIBING: ReadonlySet<string> = new Set('annotations generator key labels name namespace part type'.split(' '))
/** Lists in which `key` is the name of a label, a taint or a file. */
const LABELLED: ReadonlySet<string> = new Set([
  'tolerations',
  'taints',
  'matchExpressions',
  'matchFields',
  'items',
  'env',
  'envFrom',
  'configMapKeyRef',
  'valuesFrom',
  'substituteFrom',
])

function scopeOf(kind: string, path: readonly ChangeStep[]): Scope {
  if (kind === 'Secret' && (path[0] === 'data' || path[0] === 'stringData')) return ALL
  let scope: Scope = { ...TOP, kind }
  for (const step of path)
    if (typeof step === 'string') scope = below(scope, step)
    else if (isNamedSecret(step)) scope = { ...scope, isNamed: true }
  return scope
}

/** True if an item has the name of a secret. */
function isNamedSecret(step: ChangeStep): step is ItemStep {
  return (
    typeof step === 'object' && step.key.split('+').some((key) => isKeyOfName(key)) && namesSecretBeside(firstOf(step))
  )
}

function firstOf({ value }: ItemStep): string {
  const slash = value.indexOf('/')
  return slash === -1 ? value : value.slice(0, slash)
}

function isKeyOfName(field: string): boolean {
  return field === 'name' || field === 'key'
}

function below(scope: Scope, field: string): Scope {
  const own = { ...scope, field, above: scope.field }
  if (scope.manner === 'none') return own
  // its `secrets` say what Secrets are made of, and hold only what stands in a template
  const isDescription = scope.kind === 'RuntimeValues' && scope.manner === 'all' && DESCRIBING.has(field)
  if (isDescription || refersToSecret(field) || isShownField(scope, field))
    return { ...own, manner: 'none', isNamed: false }
  const isLabel = field === 'key' && LABELLED.has(scope.field)
  const isSecret = (isNameOfSecret(field) && !isLabel) || (scope.isNamed && VALUES.has(field))
  return { ...own, manner: isSecret ? 'all' : scope.manner }
}

function hidden(value: Value, scope: Scope): Value {
  if (Array.isArray(value)) return hiddenList(value, scope)
  if (value instanceof Dict) return hiddenMap(value, scope)
  const { manner } = scope
  if (typeof value !== 'string') return manner === 'all' && value !== null && typeof value !== 'boolean' ? MASK : value
  if (manner === 'all') return SWITCHED.test(value) ? value : MASK
  if (looksPrivate(scope.field, value)) return MASK
  return hiddenText(value)
}

/** Switches as texts: arguments and annotations have no others. */
const SWITCHED = /^(?:true|false)?$/

function hiddenText(text: string): string {
  const masks = new MaskTexts()
  collectSecretTexts(text, (secret) => {
    masks.add(secret)
  })
  return masks.mask(text, 'strict')
}

/** A list may be the words of a command. */
function hiddenList(list: readonly Value[], scope: Scope): Value {
  const words = maskSecretWords(list.map((item) => (typeof item === 'string' ? item : '')))
  return list.map((item, index) => hidden(typeof item === 'string' ? (words[index] ?? '') : item, scope))
}

function hiddenMap(map: Dict, scope: Scope): Dict {
  const isNamed = ['name', 'key'].some((field) => {
    const name = map.get(field)
    return typeof name === 'string' && namesSecretBeside(name)
  })
  const own = isNamed ? { ...scope, isNamed } : scope
  const type = map.get('kty')
  const scopeBelow = (key: string): Scope => {
    const scopeOfKey = below(own, key)
    return isPrivateMember(type, key) ? { ...scopeOfKey, manner: 'all' } : scopeOfKey
  }
  return dict([...map].map(([key, value]): [string, Value] => [hiddenText(key), hidden(value, scopeBelow(key))]))
}

/** Hides the key of an item, which may be, or hold, a secret, too: a word of a command, a value beside a name. */
function hiddenStep(step: ChangeStep, { manner }: Scope): ChangeStep {
  if (typeof step === 'number') return step
  if (typeof step === 'string') return hiddenText(step)
  if (step.key === '') return { ...step, value: manner === 'all' ? MASK : hiddenText(step.value) }
  const keys = step.key.split('+')
  if (keys.includes('value') && isNamedSecret(step)) return { ...step, value: `${firstOf(step)}/${MASK}` }
  return { ...step, value: hiddenText(step.value) }
}

/** True if what differs cannot be seen, or not all of it: the same line may stand for two secrets. */
function hidesChange(field: FieldChange, shown: FieldChange): boolean {
  const { before, after } = field
  if (before === undefined || after === undefined) return field.isHidden === true
  const textOf = (value: Value | undefined): string =>
    typeof value === 'string' ? value : formatGoJson(value ?? null, { escapeHtml: false })
  return countOwnLines(textOf(shown.before), textOf(shown.after)) < countOwnLines(textOf(before), textOf(after))
}

/** How many lines only the first or only the second text has. */
function countOwnLines(before: string, after: string): number {
  const counts = new Map<string, number>()
  for (const line of before.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const line of after.split('\n')) counts.set(line, (counts.get(line) ?? 0) - 1)
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0)
}
