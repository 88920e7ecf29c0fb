import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type EditableYaml, openYaml } from '../edit/open-yaml.ts'
import { emptiedPath } from '../edit/apply-change.ts'
import type { YamlChange } from '../edit/yaml-change.ts'
import { classPaths, isCapiCluster } from '../model/class-reference.ts'
import { fieldAt, itemsAt, type PathStep, textAt } from '../model/field.ts'
import type { ObjectName } from '../model/object-name.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { type Leaf, leavesOf, whyReviewed, whyUnique } from './unique-value.ts'

/** Networks and the endpoint of a new cluster, where they are known. */
export interface ClusterNetwork {
  readonly pods?: string | undefined
  readonly services?: string | undefined
  readonly endpoint?: { readonly host: string; readonly port: bigint } | undefined
}

/** A cluster to copy, and what it becomes. */
export interface ClusterCopy {
  readonly from: ObjectName
  readonly to: ObjectName
  readonly network: ClusterNetwork
  /** The first ranges of the model. */
  readonly ranges: { readonly pods?: string | undefined; readonly services?: string | undefined }
  /** Address ranges that other clusters of the fleet have as well: nobody routes them. */
  readonly sharedRanges: ReadonlySet<string>
  /** The namespace of the class where it is the model's own, and so not written. */
  readonly classNamespace?: string | undefined
}

/** A thing that people should know of a copy. Never with a value. */
export interface CopyNote {
  readonly kind: 'left out' | 'review'
  /** Relative to the folder of the cluster: of the model for what is left out, else of the copy. */
  readonly file: string
  /** From 1; absent for a whole file. */
  readonly line?: number
  readonly what: string
}

/** The files of the new cluster, and notes in order of files. */
export interface CopiedCluster {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly notes: readonly CopyNote[]
}

/**
 * Copies the files of a cluster's folder with their comments, by path relative to it. The new name stands where the
 * cluster itself is meant; what must be unique stays out: endpoints, ranges of addresses, IDs, secrets, and the state
 * of the model in options.yaml.
 * @throws StackmasonError CONFIG_INVALID_VALUE where a value cannot be changed by itself, CONFIG_SYNTAX
 */
export function copyCluster(given: ReadonlyMap<string, Uint8Array>, copy: ClusterCopy): CopiedCluster {
  const files = new Map<string, Uint8Array>()
  const notes: CopyNote[] = []
  for (const [path, bytes] of given) {
    const copied = copyFile({ path, bytes }, copy)
    notes.push(...copied.notes)
    if (copied.bytes !== undefined) files.set(path, copied.bytes)
  }
  return { files, notes }
}

interface GivenFile {
  readonly path: string
  readonly bytes: Uint8Array
}

interface CopiedFile {
  /** Absent: it is left out. */
  readonly bytes?: Uint8Array
  readonly notes: readonly CopyNote[]
}

function copyFile(file: GivenFile, copy: ClusterCopy): CopiedFile {
  const { path, bytes } = file
  if (path === 'options.yaml') return leftOut(path, 'the file: it says what is done with the model')
  if (!/^(?:cluster\.yaml|addons\.yaml|values\/[^/]+\.yaml|patches\/.+\.ya?ml)$/.test(path)) return { bytes, notes: [] }
  const opened = openYaml({ name: path, bytes: withoutSecretDocuments(bytes, path) }, 'CONFIG_INVALID_VALUE')
  if (opened.documents.some(({ value }) => fieldAt(value, 'sops') !== undefined))
    return leftOut(path, 'the file: it is encrypted')
  const plans = opened.documents.map(({ value }, document) => planDocument(value, { document, path, copy }))
  const gone = plans.flatMap(({ removed }, document) => removed.map((one) => ({ ...one, document })))
  const isPart = path.startsWith('patches/') && gone.length > 0
  const isEmptied = gone.some(({ at, document }) => emptiedAll(opened.documents[document]?.value ?? null, at))
  if (isPart || isEmptied) return leftOut(path, `the file: it holds ${gone[0]?.why ?? ''}`)
  const edited = opened.edit([
    ...plans.flatMap(({ changes }) => changes),
    // from the last on, so that the numbers of items hold
    ...gone.toReversed().map(({ at, document }): YamlChange => ({ how: 'remove', path: at, document })),
  ])
  const secrets = openYaml({ name: path, bytes }, 'CONFIG_INVALID_VALUE').documents.filter(({ value }) =>
    isSecret(value),
  )
  return {
    bytes: edited,
    notes: [
      ...secrets.map((): CopyNote => ({ kind: 'left out', file: path, what: 'a Secret' })),
      ...gone.map(({ at, why, document }): CopyNote => ({
        kind: 'left out',
        file: path,
        line: lineOf(opened, document, at),
        what: `${fieldName(at, opened.documents[document]?.value ?? null)}: ${why}`,
      })),
      ...reviewOf({ path, bytes: edited }, copy),
    ],
  }
}

function leftOut(file: string, what: string): CopiedFile {
  return { notes: [{ kind: 'left out', file, what }] }
}

interface Removal {
  readonly at: readonly PathStep[]
  readonly why: string
}

interface DocumentPlan {
  readonly changes: readonly YamlChange[]
  readonly removed: readonly Removal[]
}

interface DocumentContext {
  readonly document: number
  readonly path: string
  readonly copy: ClusterCopy
}

function planDocument(value: Value, context: DocumentContext): DocumentPlan {
  const { path, document, copy } = context
  const isCluster =
    path === 'cluster.yaml' && isCapiCluster({ apiVersion: textAt(value, 'apiVersion'), kind: textAt(value, 'kind') })
  const network = isCluster ? planNetwork(value, context) : { changes: [], removed: [] }
  const handled = [...network.removed.map(({ at }) => at), ...network.changes.map((change) => change.path)]
  const removed: Removal[] = [...network.removed]
  const moved = movedRanges(copy)
  const ranges: YamlChange[] = []
  const seen = new Set<string>()
  for (const leaf of leavesOf(value)) {
    if (handled.some((at) => startsWith(leaf.path, at)) || (isCluster && isNetworkRange(leaf.path))) continue
    const range = typeof leaf.value === 'string' ? moved.get(leaf.value) : undefined
    if (range !== undefined) {
      ranges.push({ how: 'replace', path: leaf.path, value: range, document })
      continue
    }
    if (typeof leaf.value === 'string' && copy.sharedRanges.has(leaf.value)) continue
    const why = isHead(leaf.path) ? undefined : (runtimeWhy(leaf, path) ?? whyUnique(leaf))
    const key = JSON.stringify(leaf.removed)
    if (why === undefined || seen.has(key)) continue
    seen.add(key)
    removed.push({ at: leaf.removed, why })
  }
  const named: readonly YamlChange[] =
    path === 'cluster.yaml'
      ? nameChanges(value, ['metadata'], context)
      : path.startsWith('patches/')
        ? nameChanges(value, ['spec', 'target'], context)
        : []
  const byKey = leavesOf(value)
    .filter(
      ({ name, value: text, path: at }) =>
        /^(?:cluster|cluster-?name|.*\/cluster-name)$/i.test(name) &&
        text === copy.from.name &&
        !startsWith(at, ['metadata', 'name']),
    )
    .map(({ path: at }): YamlChange => ({ how: 'replace', path: at, value: copy.to.name, document }))
  const classNamespace =
    isCluster && copy.classNamespace !== undefined
      ? [{ how: 'set' as const, path: namespacePath(value), value: copy.classNamespace, document }]
      : []
  return {
    changes: [...named, ...byKey, ...ranges, ...network.changes, ...classNamespace],
    removed: inOrder(removed, value),
  }
}

/** The model's own ranges, by which further values may repeat them, and what they become. */
function movedRanges({ ranges, network }: ClusterCopy): ReadonlyMap<string, string> {
  return new Map(
    (['pods', 'services'] as const).flatMap((kind) => {
      const wanted = network[kind]
      const own = ranges[kind]
      return wanted === undefined || own === undefined ? [] : [[own, wanted]]
    }),
  )
}

/** The name and namespace of an object, or of the object that a patch is for, where they are those of the model. */
function nameChanges(
  value: Value,
  below: readonly string[],
  { document, copy: { from, to } }: DocumentContext,
): readonly YamlChange[] {
  const change = (key: 'name' | 'namespace'): readonly YamlChange[] => {
    const text = textAt(value, ...below, key)
    if (text === '') return []
    const isOwn = text === from[key]
    const isDerived = key === 'name' && text.startsWith(`${from.name}-`)
    const wanted = isOwn ? to[key] : isDerived ? `${to.name}${text.slice(from.name.length)}` : text
    return [{ how: 'replace', path: [...below, key], value: wanted, document }]
  }
  return [...change('name'), ...change('namespace')]
}

function namespacePath(cluster: Value): readonly string[] {
  const version = textAt(cluster, ...classPaths.v1beta2.name) === '' ? 'v1beta1' : 'v1beta2'
  return classPaths[version].namespace
}

/** Ranges and the endpoint: given ones take the place of those of the model, else they go. */
function planNetwork(cluster: Value, { document, copy }: DocumentContext): DocumentPlan {
  const changes: YamlChange[] = []
  const removed: Removal[] = []
  for (const kind of ['pods', 'services'] as const) {
    const blocks = ['spec', 'clusterNetwork', kind, 'cidrBlocks']
    const there = itemsAt(cluster, ...blocks)
    const wanted = copy.network[kind]
    if (wanted !== undefined && there.length > 0) {
      changes.push({ how: 'replace', path: [...blocks, 0], value: wanted, document })
      for (let index = 1; index < there.length; index += 1)
        removed.push({ at: [...blocks, index], why: 'a range of addresses' })
    } else if (wanted !== undefined) changes.push({ how: 'set', path: blocks, value: [wanted], document })
    else if (there.some((range) => typeof range !== 'string' || !copy.sharedRanges.has(range)))
      removed.push({ at: blocks, why: 'a range of addresses that no other cluster has' })
  }
  const endpoint = ['spec', 'controlPlaneEndpoint']
  const { endpoint: wanted } = copy.network
  if (wanted !== undefined) {
    changes.push({ how: 'set', path: [...endpoint, 'host'], value: wanted.host, document })
    changes.push({ how: 'set', path: [...endpoint, 'port'], value: new GoInt(wanted.port), document })
  } else if (fieldAt(cluster, ...endpoint) !== undefined) removed.push({ at: endpoint, why: 'an endpoint' })
  return { changes, removed }
}

function isNetworkRange(path: readonly PathStep[]): boolean {
  return startsWith(path, ['spec', 'clusterNetwork'])
}

/** A class is named for its provider and stack, which may be words of the model's name. */
function isClassName(path: readonly PathStep[]): boolean {
  return Object.values(classPaths).some(({ name }) => startsWith(path, name))
}

/** Kind, version, class: what every object has. */
function isHead(path: readonly PathStep[]): boolean {
  return path.length === 1 && (path[0] === 'apiVersion' || path[0] === 'kind')
}

/** Values of the running model that addons.yaml supplies. */
function runtimeWhy({ path: at }: Leaf, path: string): string | undefined {
  return path === 'addons.yaml' && startsWith(at, ['spec', 'runtimeValues'])
    ? 'a value of the running model'
    : undefined
}

function startsWith(path: readonly PathStep[], start: readonly PathStep[]): boolean {
  return start.every((step, index) => path[index] === step)
}

/** In the order of the document, so that items can be taken away from the last one on. */
function inOrder(removed: readonly Removal[], value: Value): readonly Removal[] {
  const order = leavesOf(value).map(({ path }) => path)
  const rank = ({ at }: Removal): number => order.findIndex((path) => startsWith(path, at))
  return removed.toSorted((a, b) => rank(a) - rank(b))
}

function emptiedAll(value: Value, at: readonly PathStep[]): boolean {
  return emptiedPath(value, at).length === 0
}

function isSecret(value: Value): boolean {
  return textAt(value, 'kind') === 'Secret'
}

/** The bytes without documents that are Secrets. Each document must stand between lines of its own. */
function withoutSecretDocuments(bytes: Uint8Array, name: string): Uint8Array {
  const { documents } = openYaml({ name, bytes }, 'CONFIG_INVALID_VALUE')
  if (!documents.some(({ value }) => isSecret(value))) return bytes
  const text = decodeUtf8(bytes)
  const kept = text
    .split(/^---[ \t]*\r?\n/m)
    .filter(
      (part) =>
        !openYaml({ name, bytes: encodeUtf8(part) }, 'CONFIG_INVALID_VALUE').documents.some(({ value }) =>
          isSecret(value),
        ),
    )
  return encodeUtf8(kept.join('---\n'))
}

function reviewOf({ path, bytes }: GivenFile, { from }: ClusterCopy): readonly CopyNote[] {
  const opened = openYaml({ name: path, bytes }, 'CONFIG_INVALID_VALUE')
  return opened.documents.flatMap(({ value }, document) =>
    leavesOf(value).flatMap((leaf): readonly CopyNote[] => {
      if (
        isHead(leaf.path) ||
        startsWith(leaf.path, ['metadata', 'name']) ||
        startsWith(leaf.path, ['metadata', 'namespace']) ||
        (path === 'cluster.yaml' && isClassName(leaf.path))
      )
        return []
      const why = whyReviewed(leaf, from)
      if (why === undefined) return []
      return [
        {
          kind: 'review',
          file: path,
          line: lineOf(opened, document, leaf.path),
          what: `${fieldName(leaf.path, value)} ${why}`,
        },
      ]
    }),
  )
}

function lineOf({ documents, source }: EditableYaml, document: number, path: readonly PathStep[]): number {
  const start = documents[document]?.spanOf(path, 'key').start ?? 0
  return source.text.slice(0, start).split('\n').length
}

/** A path as people write it; items by their names. */
function fieldName(path: readonly PathStep[], value: Value): string {
  return path
    .map((step, index) => {
      if (typeof step === 'string') return index === 0 ? step : `.${step}`
      const item = fieldAt(value, ...path.slice(0, index + 1))
      const name = item instanceof Dict ? textAt(item, 'name') : ''
      return `[${name === '' ? String(step) : name}]`
    })
    .join('')
}
