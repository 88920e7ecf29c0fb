import { formatGoJson, parseGoJson } from '../codec/json/go-json.ts'
import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { isEmptyValue, keepsEmpty } from './equal-value.ts'
import { isOwnershipKey } from './ownership.ts'

/** The field manager of the Cluster Stack Operator: it applies as kubectl would. */
const OPERATOR_MANAGER = 'kubectl'

/** A field that the rendered object has not, and that taking over would remove. */
export interface LostField {
  readonly path: readonly string[]
  /** Who set it, as metadata.managedFields says; '' for the operator. */
  readonly manager: string
  /** The tool that removes it when it takes over; undefined: either. */
  readonly tool: Tool | undefined
}

/** Fields that were set through another version, in which the object has other names. */
export interface UntoldFields {
  readonly manager: string
  readonly apiVersion: string
  readonly paths: readonly (readonly string[])[]
}

type Tool = 'Flux' | 'Argo CD'

/**
 * Fields that the operator applied, that people set by kubectl, or that a GitOps tool applied for another unit, and
 * that the rendered object has not, as metadata.managedFields tells; none when the object does not say. Each tool
 * applies all units as one manager, and so removes what it applied before. Flux also takes over whatever a manager
 * called kubectl… has set, `kubectl rollout restart` and `kubectl edit` included, through whichever version. Format:
 * Kubernetes FieldsV1.
 */
export function lostFields(rendered: Dict, live: Dict): readonly LostField[] {
  const lost: LostField[] = []
  for (const { manager, tool, fields } of takenEntries(live)) {
    const isOperators = tool === undefined
    const onLost: Visitor['onLost'] = (path, value) => {
      // who sends a whole object sends empty values, too: they say nothing
      if (isOperators || !isEmptyValue(value) || keepsEmpty(path)) lost.push({ path, manager, tool })
    }
    walk(fields, { rendered, live }, [], { onLost, onMissing: () => undefined })
  }
  return lost
}

/** Fields of which it cannot be told by their names if taking over would remove them. */
export function untoldFields(rendered: Dict, live: Dict): readonly UntoldFields[] {
  return takenEntries(live).flatMap(({ manager, apiVersion, fields }) => {
    const paths: (readonly string[])[] = []
    const onMissing: Visitor['onMissing'] = (path) => {
      // metadata is the same in all versions
      if (path[0] !== 'metadata') paths.push(path)
    }
    // in its own version such a field is empty
    if (apiVersion !== textAt(live, 'apiVersion'))
      walk(fields, { rendered, live }, [], { onLost: () => undefined, onMissing })
    return paths.length === 0 ? [] : [{ manager, apiVersion, paths }]
  })
}

interface TakenEntry extends Omit<LostField, 'path'> {
  readonly apiVersion: string
  readonly fields: Dict
}

/** The entries of managers whose fields are taken over. */
function takenEntries(live: Dict): readonly TakenEntry[] {
  return itemsAt(live, 'metadata', 'managedFields').flatMap((entry): readonly TakenEntry[] => {
    const [manager, operation, apiVersion] = [
      textAt(entry, 'manager'),
      textAt(entry, 'operation'),
      textAt(entry, 'apiVersion'),
    ]
    const fields = fieldAt(entry, 'fieldsV1')
    if (!(fields instanceof Dict) || textAt(entry, 'subresource') !== '') return []
    if (manager === OPERATOR_MANAGER && operation === 'Apply')
      return [{ manager: '', tool: undefined, apiVersion, fields }]
    const tool = takerOf(manager, operation)
    return tool === undefined ? [] : [{ manager, tool, apiVersion, fields }]
  })
}

/** The tool that takes over what a manager has set; undefined for none. */
function takerOf(manager: string, operation: string): Tool | undefined {
  // applyOpts.Cleanup of Flux (internal/controller/kustomization_controller.go), and its own fields
  const isOfKubectl = manager.startsWith(OPERATOR_MANAGER)
  if (operation === 'Apply') {
    if (manager === 'argocd-controller') return 'Argo CD'
    return isOfKubectl || manager === FLUX ? 'Flux' : undefined
  }
  const isUndone = isOfKubectl || manager.startsWith(FLUX) || manager.startsWith('before-first-apply')
  return operation === 'Update' && isUndone ? 'Flux' : undefined
}

const FLUX = 'kustomize-controller'

/** True if an object says who set which of its fields: `kubectl get` leaves that out unless it is asked for it. */
export function saysManagers(live: Dict): boolean {
  const entries = fieldAt(live, 'metadata', 'managedFields')
  return Array.isArray(entries) && entries.length > 0
}

/** True if all that an object says of that is as a server writes it. */
export function hasGoodManagers(live: Dict): boolean {
  return itemsAt(live, 'metadata', 'managedFields').every((entry) => {
    const fields = fieldAt(entry, 'fieldsV1')
    return (
      textAt(entry, 'manager') !== '' &&
      ['Apply', 'Update'].includes(textAt(entry, 'operation')) &&
      textAt(entry, 'apiVersion') !== '' &&
      fields instanceof Dict &&
      areFields(fields)
    )
  })
}

function areFields(fields: Dict): boolean {
  return [...fields].every(
    ([key, below]) =>
      below instanceof Dict &&
      (key === '.' || /^[fvi]:/.test(key) || (key.startsWith('k:') && parseKey(key.slice(2)) !== undefined)) &&
      areFields(below),
  )
}

interface Visitor {
  /** Of a field that the rendered object has not. */
  readonly onLost: (path: readonly string[], value: Value) => void
  /** Of a field that the running object has not. */
  readonly onMissing: (path: readonly string[]) => void
}

interface Both {
  readonly rendered: Value | undefined
  readonly live: Value | undefined
}

function walk(fields: Dict, { rendered, live }: Both, path: readonly string[], visitor: Visitor): void {
  for (const [key, below] of fields) {
    if (key === '.') continue
    const found = step(key, { rendered, live })
    if (found === undefined) continue
    const next = [...path, found.name]
    if (isIgnored(next)) continue
    if (found.live === undefined) visitor.onMissing(next)
    else if (found.rendered === undefined && !named.has(found.name)) visitor.onLost(next, found.live)
    else if (below instanceof Dict) walk(below, found, next, visitor)
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
