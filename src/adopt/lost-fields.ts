import { formatGoJson, parseGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { isEmptyValue } from './equal-value.ts'
import { isOwnershipKey } from './ownership.ts'

/** The field manager of the Cluster Stack Operator: it applies as kubectl would. */
const OPERATOR_MANAGER = 'kubectl'

/** A field that the rendered object has not, and that taking over would remove. */
export interface LostField {
  readonly path: readonly string[]
  /** Who set it, as metadata.managedFields says; '' for the operator. */
  readonly manager: string
}

/**
 * Fields that the operator applied, or that people set by kubectl, and that the rendered object has not, as
 * metadata.managedFields tells (`kubectl get
 * --show-managed-fields`); none when the object does not say. Flux takes over whatever a manager called kubectl… has
 * set, `kubectl rollout restart` and `kubectl edit` included, and removes what it does not apply itself. Format:
 * Kubernetes FieldsV1.
 */
export function lostFields(rendered: Dict, live: Dict): readonly LostField[] {
  const lost: LostField[] = []
  for (const entry of itemsAt(live, 'metadata', 'managedFields')) {
    const manager = textAt(entry, 'manager')
    const operation = textAt(entry, 'operation')
    if (!isTakenOver(manager, operation) || textAt(entry, 'subresource') !== '') continue
    const fields = fieldAt(entry, 'fieldsV1')
    // a field of another version may be called otherwise
    if (!(fields instanceof Dict) || textAt(entry, 'apiVersion') !== textAt(rendered, 'apiVersion')) continue
    const isOperators = manager === OPERATOR_MANAGER && operation === 'Apply'
    const found: Found = (path, value) => {
      // who sends a whole object sends empty values, too: they say nothing
      if (isOperators || !isEmptyValue(value)) lost.push({ path, manager: isOperators ? '' : manager })
    }
    walk(fields, { rendered, live }, [], found)
  }
  return lost
}

function isTakenOver(manager: string, operation: string): boolean {
  if (operation === 'Apply') return manager.startsWith(OPERATOR_MANAGER)
  return operation === 'Update' && (manager.startsWith(OPERATOR_MANAGER) || manager === 'before-first-apply')
}

type Found = (path: readonly string[], value: Value) => void

interface Both {
  readonly rendered: Value | undefined
  readonly live: Value | undefined
}

function walk(fields: Dict, { rendered, live }: Both, path: readonly string[], onLost: Found): void {
  for (const [key, below] of fields) {
    if (key === '.') continue
    const found = step(key, { rendered, live })
    if (found === undefined) continue
    const next = [...path, found.name]
    if (isIgnored(next) || found.live === undefined) continue
    if (found.rendered === undefined && !named.has(found.name)) onLost(next, found.live)
    else if (below instanceof Dict) walk(below, found, next, onLost)
  }
}

/** Maps of which people want to know what in them is lost. */
const named: ReadonlySet<string> = new Set(['metadata', 'labels', 'annotations'])

function step(key: string, { rendered, live }: Both): (Both & { readonly name: string }) | undefined {
  if (key.startsWith('f:')) {
    const name = key.slice(2)
    return { name, rendered: fieldAt(rendered ?? null, name), live: fieldAt(live ?? null, name) }
  }
  if (!key.startsWith('k:')) return undefined
  const wanted = parseKey(key.slice(2))
  if (wanted === undefined) return undefined
  const matching = (list: Value | undefined): Value | undefined =>
    Array.isArray(list)
      ? list.find((item) => [...wanted].every(([name, value]) => isSame(fieldAt(item, name), value, name)))
      : undefined
  return {
    name: `[${[...wanted.values()].map(plainText).join(',')}]`,
    rendered: matching(rendered),
    live: matching(live),
  }
}

function parseKey(text: string): Dict | undefined {
  try {
    const value = parseGoJson(text)
    return value instanceof Dict ? value : undefined
  } catch {
    // not what a server writes: nothing is known then
    return undefined
  }
}

/** Ports carry their protocol in the key, whether it was written or not. */
function isSame(a: Value | undefined, b: Value, name: string): boolean {
  return a === undefined ? name === 'protocol' && b === 'TCP' : plainText(a) === plainText(b)
}

function plainText(value: Value): string {
  if (value instanceof GoInt) return String(value.value)
  return typeof value === 'string' ? value : formatGoJson(value)
}

function isIgnored([first, second, third]: readonly string[]): boolean {
  if (first === 'status') return true
  if (first !== 'metadata') return false
  if (second === 'ownerReferences' || second === 'finalizers') return true
  return third !== undefined && isOwnershipKey(third)
}
