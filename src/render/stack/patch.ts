import { formatGoJson } from '../../codec/json/go-json.ts'
import { MAX_NESTING } from '../../codec/max-nesting.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import { copyValue, fieldAt, textAt } from '../../model/field.ts'
import type { JsonPatchOperation, Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { markPlaceholders, takeMarks } from './placeholder-marks.ts'
import { groupOf } from './scope.ts'

/** True if the patch's target names this object. Absent fields match everything; `addon` is the unit's name. */
export function matchesTarget(manifest: Manifest, target: Patch['target']): boolean {
  const version = manifest.apiVersion.slice(manifest.apiVersion.indexOf('/') + 1)
  return (
    (target.group === undefined || target.group === groupOf(manifest.object)) &&
    (target.version === undefined || target.version === version) &&
    (target.kind === undefined || target.kind === manifest.kind) &&
    (target.name === undefined || target.name === manifest.name) &&
    (target.namespace === undefined || target.namespace === (manifest.namespace ?? '')) &&
    (target.addon === undefined || target.addon === manifest.origin.unit)
  )
}

/**
 * Returns the manifest with the patch applied (RFC 6902 or RFC 7386); the input is not changed.
 * @throws StackmasonError PATCH_FAILED at the operation, also when the patch changes what identifies the object
 */
export function applyPatch(manifest: Manifest, patch: Patch): Manifest {
  const { deferred, ...bare } = manifest
  let object: Value = deferred === undefined ? copyValue(manifest.object) : markPlaceholders(manifest.object, deferred)
  const operations = patch.jsonPatch ?? []
  if (operations.length > MAX_OPERATIONS) throw tooMany(operations, manifest)
  const copied: Copied = { size: 0 }
  for (const operation of operations) object = applyOperation(object, operation, { manifest, copied })
  if (patch.mergePatch !== undefined) object = mergePatch(object, patch.mergePatch)
  const same =
    object instanceof Dict &&
    textAt(object, 'apiVersion') === manifest.apiVersion &&
    textAt(object, 'kind') === manifest.kind &&
    textAt(object, 'metadata', 'name') === manifest.name &&
    textAt(object, 'metadata', 'namespace') === (manifest.namespace ?? '')
  if (!same || !(object instanceof Dict)) {
    throw new StackmasonError({
      code: 'PATCH_FAILED',
      severity: 'error',
      message: `the patch changes apiVersion, kind, name or namespace of ${describePatched(manifest)}`,
      at: patch.at,
      hint: 'A patch may change everything but what identifies the object.',
    })
  }
  if (deferred === undefined) return { ...bare, object }
  // what the patch has replaced is known now, what it has moved or copied is not
  const left = takeMarks(object, deferred)
  return { ...bare, object: left.object, ...(left.deferred.length > 0 && { deferred: left.deferred }) }
}

/** The API server's limit (MaxJSONPatchOperations). */
const MAX_OPERATIONS = 10_000
/**
 * Values and characters that the copies and moves of one patch may come to, near what the API server takes (3 MB):
 * forty copies of a map into itself are more than any memory.
 */
const MAX_COPIED = 3 * 1024 * 1024

/** The amount that the operations of a patch have copied and moved so far. */
interface Copied {
  size: number
}

interface OperationContext {
  readonly manifest: Manifest
  readonly copied: Copied
}

function tooMany(operations: readonly JsonPatchOperation[], manifest: Manifest): StackmasonError {
  const first = operations[MAX_OPERATIONS]
  return new StackmasonError({
    code: 'PATCH_FAILED',
    severity: 'error',
    message: `the patch on ${describePatched(manifest)} has ${String(operations.length)} operations, more than ${String(MAX_OPERATIONS)}`,
    at: first?.at,
    hint: 'Use a merge patch, or several patches.',
  })
}

function mergePatch(target: Value, patch: Value): Value {
  if (!(patch instanceof Dict)) return copyValue(patch)
  const result = target instanceof Dict ? target : new Dict()
  for (const [key, value] of patch) {
    if (value === null) result.delete(key)
    else result.set(key, mergePatch(result.get(key) ?? null, value))
  }
  return result
}

function applyOperation(object: Value, operation: JsonPatchOperation, { manifest, copied }: OperationContext): Value {
  const fail = (reason: string, hint?: string): StackmasonError =>
    new StackmasonError({
      code: 'PATCH_FAILED',
      severity: 'error',
      message: `${operation.op} ${operation.path} on ${describePatched(manifest)}: ${reason}`,
      at: operation.at,
      hint,
    })
  const path = parsePointer(operation.path, fail)
  switch (operation.op) {
    case 'add':
      return addAt(object, path, { value: copyValue(operation.value ?? null), fail })
    case 'remove':
      return removeAt(object, path, fail)
    case 'replace':
      return addAt(removeAt(object, path, fail), path, { value: copyValue(operation.value ?? null), fail })
    case 'move': {
      const from = parsePointer(operation.from ?? '', fail)
      const value = charged(readAt(object, from, fail), { path, copied, fail })
      return addAt(removeAt(object, from, fail), path, { value, fail })
    }
    case 'copy': {
      const value = readAt(object, parsePointer(operation.from ?? '', fail), fail)
      return addAt(object, path, { value: copyValue(charged(value, { path, copied, fail })), fail })
    }
    case 'test':
      if (!sameJson(readAt(object, path, fail), operation.value ?? null)) throw fail('the value is another one')
      return object
    default:
      return operation.op satisfies never
  }
}

/** The value, once it is known that neither it nor what it is put into becomes too large or too deep. */
function charged(
  value: Value,
  { path, copied, fail }: { readonly path: readonly string[]; readonly copied: Copied; readonly fail: Fail },
): Value {
  const charge = (part: Value, depth: number): void => {
    copied.size += 1 + (typeof part === 'string' ? part.length : 0)
    if (copied.size > MAX_COPIED)
      throw fail(`the copies of the patch come to more than ${String(MAX_COPIED)} characters`)
    if (depth > MAX_NESTING) throw fail(`the object would nest more than ${String(MAX_NESTING)} deep`)
    if (Array.isArray(part)) for (const item of part) charge(item, depth + 1)
    else if (part instanceof Dict) for (const [, item] of part) charge(item, depth + 1)
  }
  charge(value, path.length)
  return value
}

type Fail = (reason: string, hint?: string) => StackmasonError

function parsePointer(pointer: string, fail: Fail): readonly string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) throw fail('a JSON pointer starts with "/"')
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function readAt(object: Value, path: readonly string[], fail: Fail): Value {
  let at: Value = object
  for (const [depth, step] of path.entries()) {
    const next: Value | undefined =
      at instanceof Dict ? at.get(step) : Array.isArray(at) ? at[listIndex(step, at.length - 1, fail)] : undefined
    if (next === undefined)
      throw fail(`there is nothing at ${pointerOf(path.slice(0, depth + 1))}`, whatIsAt(at, path.slice(0, depth), step))
    at = next
  }
  return at
}

const MAX_KEYS = 20

/** Says what a patch could have meant: keys and numbers of items only, never values. */
function whatIsAt(parent: Value, path: readonly string[], step: string): string {
  const place = path.length === 0 ? 'the top' : pointerOf(path)
  if (Array.isArray(parent))
    return parent.length === 0
      ? `The list at ${place} is empty.`
      : `The list at ${place} has the items 0 to ${String(parent.length - 1)}.`
  if (!(parent instanceof Dict)) return `At ${place} is neither a map nor a list.`
  const keys = [...parent.keys()]
  const shown = keys.slice(0, MAX_KEYS).join(', ')
  const listed =
    keys.length === 0
      ? `The map at ${place} is empty.`
      : `Keys at ${place}: ${shown}${keys.length > MAX_KEYS ? ` and ${String(keys.length - MAX_KEYS)} more` : ''}.`
  const nearest = nearestName(step, keys)
  return nearest === undefined ? listed : `Did you mean ${pointerOf([...path, nearest])}? ${listed}`
}

function pointerOf(path: readonly string[]): string {
  return `/${path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

function addAt(object: Value, path: readonly string[], options: { readonly value: Value; readonly fail: Fail }): Value {
  const last = path.at(-1)
  if (last === undefined) return options.value
  const parent = readAt(object, path.slice(0, -1), options.fail)
  if (parent instanceof Dict) parent.set(last, options.value)
  else if (Array.isArray(parent) && last === '-') parent.push(options.value)
  else if (Array.isArray(parent)) parent.splice(listIndex(last, parent.length, options.fail), 0, options.value)
  else throw options.fail('the parent is neither a map nor a list')
  return object
}

function removeAt(object: Value, path: readonly string[], fail: Fail): Value {
  const last = path.at(-1)
  if (last === undefined) return null
  const parent = readAt(object, path.slice(0, -1), fail)
  readAt(object, path, fail)
  if (parent instanceof Dict) parent.delete(last)
  else if (Array.isArray(parent)) parent.splice(listIndex(last, parent.length - 1, fail), 1)
  return object
}

function listIndex(step: string, max: number, fail: Fail): number {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(step)) throw fail(`"${step}" is not a list index`)
  const index = Number(step)
  if (index > max) throw fail(`index ${step} is past the end of the list`)
  return index
}

/** True if both are the same JSON: it ends at the first difference, and never takes longer than the smaller of both. */
export function sameJson(a: Value, b: Value): boolean {
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index] ?? null))
    )
  if (a instanceof Dict || b instanceof Dict)
    return (
      a instanceof Dict &&
      b instanceof Dict &&
      a.size === b.size &&
      [...b].every(([key, value]) => {
        const found = a.get(key)
        return found !== undefined && sameJson(found, value)
      })
    )
  return typeof a === 'string' && typeof b === 'string' ? a === b : formatGoJson(a) === formatGoJson(b)
}

/**
 * An object for messages about a patch. A Cluster has no name in it: the patch of many clusters fails with one message,
 * and what that is about names them.
 */
function describePatched(manifest: Manifest): string {
  return isCapiCluster(manifest) ? 'the Cluster' : describeManifest(manifest)
}

/** `Deployment kube-system/metrics-server`, for messages. */
export function describeManifest(manifest: Manifest): string {
  const namespace = fieldAt(manifest.object, 'metadata', 'namespace')
  return shownObject({ ...manifest, namespace: typeof namespace === 'string' ? namespace : undefined })
}
