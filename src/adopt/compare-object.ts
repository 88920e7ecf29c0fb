import { decodeBase64, encodeBase64 } from '../codec/bytes/base64.ts'
import { formatGoJson } from '../codec/json/go-json.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { copyDict, dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import { isEmptyValue, isEqualScalar, keepsEmpty } from './equal-value.ts'
import { type LostField, lostFields } from './lost-fields.ts'
import { isOwnershipKey } from './ownership.ts'

/** One difference between a rendered object and the one that runs. */
export interface FieldDifference {
  /** As `spec.template.spec.containers[dns].image`; '' for the whole object. */
  readonly field: string
  /** The effect of applying the rendered object. Values of Secrets are never in it. */
  readonly change: string
}

/** A rendered object, and what is not compared in it. */
export interface RenderedObject {
  readonly object: Dict
  /** JSON pointers of fields that are known only later. */
  readonly later: ReadonlySet<string>
}

interface Place {
  readonly path: readonly string[]
  readonly pointer: string
}

interface Comparison {
  readonly later: ReadonlySet<string>
  readonly isSecret: boolean
  readonly kind: string
  readonly differences: FieldDifference[]
}

/** More differences of one object than this tell nobody anything. */
const MAX_DIFFERENCES = 50

/**
 * Compares a running object with the rendered one, and returns the changes that applying it would make: each rendered
 * field must exist and be equal. Fields that only the running object has are defaults, unless its managedFields say
 * that the operator set them: a GitOps tool that takes over would remove those. Ownership metadata and status are not
 * compared.
 */
export function compareObject(rendered: RenderedObject, live: Dict): readonly FieldDifference[] {
  const kind = textAt(live, 'kind')
  const comparison: Comparison = { later: rendered.later, isSecret: kind === 'Secret', kind, differences: [] }
  const wanted = withoutOwnership(comparison.isSecret ? withData(rendered) : rendered.object)
  if (textAt(live, 'metadata', 'deletionTimestamp') !== '')
    note(comparison, ['metadata', 'deletionTimestamp'], 'is set: it is being deleted, whatever is applied')
  compareMaps(wanted, live, { path: [], pointer: '' }, comparison)
  for (const lost of lostFields(wanted, live)) note(comparison, lost.path, describeLost(lost))
  for (const owner of operatorOwners(live)) {
    const change = `names ${owner}: deleting that deletes this object, too, unless the reference is taken away first`
    note(comparison, ['metadata', 'ownerReferences'], change)
  }
  const label = 'clusterstack.x-k8s.io/instance'
  const template = ['spec', 'template', 'metadata', 'labels'] as const
  if (textAt(live, ...template, label) !== '' && fieldAt(wanted, ...template, label) === undefined)
    note(comparison, [...template, label], 'would be removed')
  return comparison.differences.slice(0, MAX_DIFFERENCES)
}

function describeLost({ manager, tool }: LostField): string {
  const who = manager === '' ? 'the operator' : manager
  return `is set by ${who}, and not rendered: ${tool === undefined ? 'it' : `with ${tool} it`} would be removed`
}

/**
 * The operator itself owns nothing but releases and ClusterAddons; what else names its objects as owners is garbage as
 * soon as they are gone.
 */
function operatorOwners(live: Dict): readonly string[] {
  return itemsAt(live, 'metadata', 'ownerReferences')
    .filter((owner) => /(?:^|\.)clusterstack\.x-k8s\.io\//.test(textAt(owner, 'apiVersion')))
    .map((owner) => `${textAt(owner, 'kind')} ${textAt(owner, 'name')}`)
}

function compareMaps(rendered: Dict, live: Dict, { path, pointer }: Place, comparison: Comparison): void {
  for (const [key, value] of rendered) {
    compareValues(value, live.get(key), { path: [...path, key], pointer: `${pointer}/${pointerStep(key)}` }, comparison)
  }
}

function compareValues(rendered: Value, live: Value | undefined, place: Place, comparison: Comparison): void {
  const { path, pointer } = place
  if (comparison.later.has(pointer) || rendered === null) return
  if (rendered instanceof Dict && (live === undefined || live === null)) {
    compareMaps(rendered, new Dict(), place, comparison)
    return
  }
  if (live === undefined || live === null) {
    if ((!isEmptyValue(rendered) || keepsEmpty(path)) && !hasLaterBelow(pointer, comparison.later))
      note(comparison, path, `would be added${shown(rendered, comparison, path)}`)
    return
  }
  if (rendered instanceof Dict && live instanceof Dict) compareMaps(rendered, live, place, comparison)
  else if (Array.isArray(rendered) && Array.isArray(live)) compareLists(rendered, live, place, comparison)
  else if (!isScalar(rendered) || !isScalar(live)) note(comparison, path, 'is of another type')
  // the address that a Service got stays when none is asked for
  else if (rendered === '' && comparison.kind === 'Service' && path.at(-1) === 'clusterIP') return
  else if (!isEqualScalar(rendered, live, path)) {
    if (comparison.isSecret && isSecretData(path)) note(comparison, path, 'differs')
    else {
      const from = firstDifference(rendered, live)
      note(comparison, path, `is ${brief(live, from)}, and would become ${brief(rendered, from)}`)
    }
  }
}

/** Items are the same by name, else by place. */
function compareLists(rendered: Value[], live: Value[], { path, pointer }: Place, comparison: Comparison): void {
  const key = listKey(rendered, live)
  for (const [index, item] of rendered.entries()) {
    const name = key === undefined ? undefined : keyText(item, key)
    const other = name === undefined ? live[index] : live.find((one) => keyText(one, key) === name)
    const place = { path: [...path, `[${name ?? String(index)}]`], pointer: `${pointer}/${String(index)}` }
    compareValues(item, other, place, comparison)
  }
  const extra = live.length - rendered.length
  if (extra > 0)
    note(
      comparison,
      path,
      `has ${String(extra)} more in the cluster, which would be removed or stay, as the kind's rules are`,
    )
}

const listKeys: readonly string[] = ['name', 'key', 'type', 'mountPath', 'containerPort', 'port', 'ip']

/** The field that tells the items of both lists apart; undefined when none does. */
function listKey(rendered: readonly Value[], live: readonly Value[]): string | undefined {
  return listKeys.find((key) =>
    [rendered, live].every((list) => {
      const texts = list.map((item) => keyText(item, key))
      return texts.every((text) => text !== undefined) && new Set(texts).size === texts.length
    }),
  )
}

function keyText(item: Value, key: string | undefined): string | undefined {
  const value = key === undefined ? undefined : fieldAt(item, key)
  if (value === undefined || value === null || !isScalar(value)) return undefined
  return typeof value === 'string' ? value : formatGoJson(value)
}

function note({ differences, kind }: Comparison, path: readonly string[], change: string): void {
  const restarts = rolledOut.has(kind) && path[0] === 'spec' && path[1] === 'template'
  differences.push({ field: fieldName(path), change: restarts ? `${change}, which restarts the pods` : change })
}

/** Kinds whose pods are replaced when their template changes. */
const rolledOut: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'StatefulSet'])

/** A path as people write it. */
export function fieldName(path: readonly string[]): string {
  return path.reduce((text, step) => {
    if (step.startsWith('[')) return `${text}${step}`
    const part = /^[A-Za-z0-9_-]+$/.test(step) ? step : JSON.stringify(step)
    return text === '' ? part : `${text}.${part}`
  }, '')
}

function isScalar(value: Value): boolean {
  return !(value instanceof Dict) && !Array.isArray(value)
}

function isSecretData([first]: readonly string[]): boolean {
  return first === 'data' || first === 'stringData'
}

/** Says what would be added where that is short and no secret. */
function shown(value: Value, { isSecret }: Comparison, path: readonly string[]): string {
  return isScalar(value) && !(isSecret && isSecretData(path)) ? ` as ${brief(value)}` : ''
}

const MAX_SHOWN = 80

/** The text, or what of it is of interest: from a little before `from` on. */
function brief(value: Value, from = 0): string {
  const isCut = typeof value === 'string' && from > MAX_SHOWN / 2
  const text = formatGoJson(isCut ? value.slice(from - MAX_SHOWN / 4) : value, { escapeHtml: false })
  return `${isCut ? '…' : ''}${text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`}`
}

function firstDifference(a: Value, b: Value): number {
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function hasLaterBelow(pointer: string, later: ReadonlySet<string>): boolean {
  return [...later].some((one) => one.startsWith(`${pointer}/`))
}

/** The object without status and what tools and the operator keep in metadata. */
function withoutOwnership(object: Dict): Dict {
  const copy = copyDict(object)
  copy.delete('status')
  const metadata = copyDict(dictAt(object, 'metadata') ?? new Dict())
  for (const key of ['creationTimestamp', 'managedFields', 'ownerReferences']) metadata.delete(key)
  for (const field of ['labels', 'annotations']) {
    const kept = new Dict()
    for (const [key, value] of dictAt(metadata, field) ?? []) if (!isOwnershipKey(key)) kept.set(key, value)
    metadata.set(field, kept)
  }
  copy.set('metadata', metadata)
  return copy
}

/** A Secret as it is stored: `stringData` becomes `data`, line breaks in base64 go. */
function withData({ object, later }: RenderedObject): Dict {
  const data = new Dict()
  for (const [key, value] of dictAt(object, 'data') ?? [])
    data.set(key, typeof value === 'string' ? normalBase64(value) : value)
  for (const [key, value] of dictAt(object, 'stringData') ?? []) {
    const isLater = later.has(`/stringData/${pointerStep(key)}`)
    if (!isLater) data.set(key, typeof value === 'string' ? encodeBase64(encodeUtf8(value)) : value)
  }
  const copy = copyDict(object)
  copy.delete('stringData')
  if (data.size > 0) copy.set('data', data)
  return copy
}

function normalBase64(text: string): string {
  const bytes = decodeBase64(text.replaceAll(/\s/g, ''))
  return bytes === undefined ? text : encodeBase64(bytes)
}

function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
