import { YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { isPlainYaml } from '../codec/go-yaml/is-plain-yaml.ts'
import { formatGoJson } from '../codec/json/go-json.ts'
import { parsePositionedYaml } from '../codec/yaml/positioned-yaml.ts'
import { STEP_FIELDS } from '../model/class-reference.ts'
import { dictAt, fieldAt, textAt } from '../model/field.ts'
import { Dict, type Value } from '../model/value.ts'
import type { DemandCheck } from './demand.ts'
import { isBuildMark } from './without-build-marks.ts'

/** What the annotations of a GitOps tool that say what it may do with an object begin with. */
export type ToolGroup = 'kustomize.toolkit.fluxcd.io/' | 'argocd.argoproj.io/'

/** Argo CD deletes and makes anew what Helm would. */
const HELM_HOOK = 'helm.sh/hook'

/**
 * Fields of metadata that say which object it is, or whose: where none of its owners is there, Kubernetes' garbage
 * collector deletes it.
 */
const OWN_METADATA: ReadonlySet<string> = new Set(['name', 'namespace', 'ownerReferences'])

/** Keys of a strategic merge patch that are orders to the one who merges (kyaml, yaml/merge2). */
const DIRECTIVE = /^\$(?:patch|retainKeys|deleteFromPrimitiveList|setElementOrder)(?:\/|$)/

/**
 * Why a patch in an object from a fleet's own template is unsafe: it deletes or renames an object, takes away what
 * keeps the GitOps tool from deleting it, or changes the class or version of a Cluster past its steps; or kustomize
 * could read it in another way than we do. Undefined where it is not.
 */
export function refusePatch(entry: Value, group: ToolGroup): string | undefined {
  if (!(entry instanceof Dict)) return 'must hold patches'
  if (entry.has('path')) return 'may not read patches from files'
  const options = entry.get('options') ?? null
  if (options !== null && !(options instanceof Dict && [...options].every(([, value]) => value === false)))
    return 'may not change the name or kind of an object'
  const text = textAt(entry, 'patch')
  const patch = readPatch(text)
  if (typeof patch === 'string') return patch
  const unsafe = patch instanceof Dict ? refuseMerge(patch, group) : refuseOperations(patch, group)
  if (unsafe !== undefined || !mayMeanClusters(entry, patch)) return unsafe
  const found = patch instanceof Dict ? stepFieldOf(patch) : patch.map(stepFieldIn).find((field) => field !== undefined)
  return found === undefined ? undefined : `may not change ${found} of a Cluster: that takes steps of the tree`
}

/** True unless the patch names another kind. kustomize takes the target's for a regular expression, with anchors. */
function mayMeanClusters(entry: Dict, patch: Dict | readonly Value[]): boolean {
  const target = dictAt(entry, 'target')
  const kind = target === undefined ? textAt(patch instanceof Dict ? patch : null, 'kind') : textAt(target, 'kind')
  return kind === 'Cluster' || !/^[A-Za-z0-9]+$/.test(kind)
}

/** The field of `spec.topology` that an operation changes, with others or alone. */
function stepFieldIn(operation: Value): string | undefined {
  const op = textAt(operation, 'op')
  if (op === 'test') return undefined
  return ['path', ...(op === 'move' ? ['from'] : [])]
    .map((field) => textAt(operation, field))
    .find((pointer) => {
      const [top, part, field] = stepsOf(pointer)
      return top === 'spec' && (part ?? 'topology') === 'topology' && (field === undefined || isStepField(field))
    })
}

/** The same of a patch that is merged. */
function stepFieldOf(patch: Dict): string | undefined {
  for (const path of [['spec'], ['spec', 'topology']])
    if (fieldAt(patch, ...path) !== undefined && dictAt(patch, ...path) === undefined) return path.join('.')
  const field = [...(dictAt(patch, 'spec', 'topology')?.keys() ?? [])].find(isStepField)
  return field === undefined ? undefined : `spec.topology.${field}`
}

function isStepField(field: string): boolean {
  return STEP_FIELDS.includes(field)
}

/**
 * The one object or list that a patch consists of, or what is wrong with it. kustomize divides the text at each line
 * that begins with `---`, wherever that stands (kyaml, kio/byteio_reader.go), then reads it with go-yaml v3 as an
 * object, and with v2 as operations: what is left is the same for all.
 */
function readPatch(text: string): Dict | readonly Value[] | string {
  const one = 'must hold patches of one object or one list of operations'
  const rest = text.replace(/^(?:[ \t]*(?:#.*)?\n)*---[ \t]*(?:#.*)?\n/, '')
  if (/(?:^|[\n\r\u0085\u2028\u2029\uFEFF])---/.test(rest)) return one
  try {
    if (!isPlainYaml(rest)) return 'may not have anchors, aliases, tags or merge keys in patches'
  } catch (error) {
    if (error instanceof YamlError) return 'must be YAML'
    throw error
  }
  const { documents, problems } = parsePositionedYaml({ name: 'patch', text: rest }, { words: 'bool' })
  if (problems.some(({ code }) => code === 'CONFIG_DUPLICATE_KEY')) return 'may not have a key twice in a patch'
  if (problems.length > 0) return 'must be YAML'
  const [document, ...others] = documents
  if (document === undefined || others.length > 0) return one
  const { value } = document
  return value instanceof Dict || Array.isArray(value) ? value : one
}

function refuseOperations(operations: readonly Value[], group: ToolGroup): string | undefined {
  return operations.map((operation) => refuseOperation(operation, group)).find((why) => why !== undefined)
}

/** The operations of RFC 6902, by whether they take what stands at `from`. */
const operationsByFrom = {
  none: new Set(['add', 'remove', 'replace', 'test']),
  some: new Set(['move', 'copy']),
}

function refuseOperation(operation: Value, group: ToolGroup): string | undefined {
  const op = textAt(operation, 'op')
  const hasFrom = operationsByFrom.some.has(op)
  if (!hasFrom && !operationsByFrom.none.has(op)) return 'must hold operations of RFC 6902'
  const pointers = ['path', ...(hasFrom ? ['from'] : [])].map((field) => textAt(operation, field))
  if (pointers.includes('')) return 'may not patch a whole object'
  // kustomize takes no notice of what stands before the first slash
  const wrong = pointers.find((pointer) => !/^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer))
  if (wrong !== undefined) return `may not have ${wrong}, which is no JSON pointer`
  if (op === 'test') return undefined
  const written = op === 'copy' ? pointers.slice(0, 1) : pointers
  const found = written.find((pointer) => isOwn(stepsOf(pointer), group))
  if (found !== undefined) return `may not patch ${found}`
  if (pointers[0] !== '/metadata/labels' || op === 'remove') return undefined
  if (hasFrom) return `may not ${op} to /metadata/labels`
  return refuseKeys(fieldAt(operation, 'value') ?? null, group)
}

function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** True for what says which object it is and what a tool may do with it, and for what holds that. */
function isOwn([field, part, key]: readonly string[], group: ToolGroup): boolean {
  // with items it would be a list, and its items applied in its place
  if (field === 'apiVersion' || field === 'kind' || field === 'items') return true
  if (field !== 'metadata') return false
  if (part === undefined || OWN_METADATA.has(part)) return true
  if (key === undefined) return part === 'annotations'
  return (part === 'annotations' || part === 'labels') && isOrder(key, group)
}

/** True if a label or annotation is an order to kustomize or the GitOps tool. */
function isOrder(key: string, group: ToolGroup): boolean {
  return key.startsWith(group) || key.startsWith(HELM_HOOK) || isBuildMark(key)
}

function refuseKeys(map: Value, group: ToolGroup): string | undefined {
  const found = map instanceof Dict ? [...map.keys()].find((key) => isOrder(key, group)) : undefined
  return found === undefined ? undefined : `may not have ${found}`
}

/** Of a strategic merge patch: its name only says which object is meant. */
function refuseMerge(patch: Dict, group: ToolGroup): string | undefined {
  // kustomize takes the items of a list for patches of their own
  if (patch.has('items') || textAt(patch, 'kind') === 'List') return 'may not have a list of patches'
  const directive = directiveIn(patch)
  if (directive !== undefined) return `may not have ${directive}`
  if (!patch.has('metadata')) return undefined
  const metadata = dictAt(patch, 'metadata')
  if (metadata === undefined) return 'may not remove metadata'
  if (metadata.has('ownerReferences')) return 'may not have ownerReferences'
  if (metadata.has('annotations') && dictAt(metadata, 'annotations') === undefined)
    return 'may not remove all annotations'
  return refuseKeys(metadata.get('annotations') ?? null, group) ?? refuseKeys(metadata.get('labels') ?? null, group)
}

function directiveIn(value: Value): string | undefined {
  const children = value instanceof Dict ? [...value.values()] : Array.isArray(value) ? value : []
  const own = value instanceof Dict ? [...value.keys()].find((key) => DIRECTIVE.test(key)) : undefined
  if (own !== undefined) return own
  for (const child of children) {
    const found = directiveIn(child)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * A check of entries of `patches`: it must hold those that are `planned`, and no others that are unsafe.
 */
export function checkPatches(planned: readonly Value[], group: ToolGroup): DemandCheck {
  const known = planned.map(sortedText)
  return (found = null) => {
    if (found !== null && !Array.isArray(found)) return 'must be a list'
    const entries = found ?? []
    const there = entries.map(sortedText)
    const missing = known.find((text) => !there.includes(text))
    if (missing !== undefined) return `must hold ${missing}`
    const others = entries.filter((entry) => !known.includes(sortedText(entry)))
    return others.map((entry) => refusePatch(entry, group)).find((why) => why !== undefined)
  }
}

/** One text for all orders of keys: the codec sorts them. */
export function sortedText(value: Value): string {
  return formatGoJson(value, { escapeHtml: false })
}
