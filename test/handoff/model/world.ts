import type { KubeObject } from '../../../tools/servers/kube-client.ts'

/** An object that is there: its content, and who applied it last. */
export interface Live {
  /** Number of the content in a {@link Contents}. */
  readonly content: number
  readonly owner: string
}

/** Objects by where they are and what they are: `management ConfigMap team-a/web`. */
export type Objects = ReadonlyMap<string, Live>

/**
 * Gives one short text for equal maps: a hundred thousand states are told apart by it. Moves leave most values as they
 * are, and share them, so each is looked at once.
 */
export class MapKeys<Value extends object> {
  readonly #textOf: (name: string, value: Value) => string
  readonly #known = new WeakMap<Value, { readonly name: string; readonly number: number }>()
  readonly #numbers = new Map<string, number>()

  /** @param textOf one text for equal entries */
  constructor(textOf: (name: string, value: Value) => string) {
    this.#textOf = textOf
  }

  of(map: ReadonlyMap<string, Value>): string {
    const numbers: number[] = []
    for (const [name, value] of map) numbers.push(this.#numberOf(name, value))
    return numbers.sort((one, other) => one - other).join(' ')
  }

  #numberOf(name: string, value: Value): number {
    const known = this.#known.get(value)
    if (known?.name === name) return known.number
    const text = this.#textOf(name, value)
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    this.#known.set(value, { name, number })
    return number
  }
}

/** Gives one text for equal objects. */
export function createObjectsKeys(): MapKeys<Live> {
  return new MapKeys((key, { content, owner }) => `${key} ${String(content)} ${owner}`)
}

/** The contents that objects had or may have, each once. */
export interface Contents {
  readonly numberOf: (object: KubeObject) => number
  readonly at: (content: number) => KubeObject
}

/** Makes a store of contents; the order of keys is no difference. */
export function createContents(): Contents {
  const numbers = new Map<string, number>()
  const known = new WeakMap<KubeObject, number>()
  const objects: KubeObject[] = []
  function find(object: KubeObject): number {
    const text = JSON.stringify(sorted(object))
    const number = numbers.get(text)
    if (number !== undefined) return number
    numbers.set(text, objects.length)
    return objects.push(object) - 1
  }
  return {
    numberOf: (object) => {
      const number = known.get(object) ?? find(object)
      known.set(object, number)
      return number
    },
    at: (content) => {
      const object = objects[content]
      if (object === undefined) throw new Error(`no content ${String(content)}`)
      return object
    },
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  )
}

/** Where an object is, and which it is. */
export function keyOf(target: string, { kind, metadata }: KubeObject): string {
  return `${target} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`
}

/** The kind and name in a key, as people name what they remove. */
function wordOf(key: string): string {
  const [, kind = '', name = ''] = key.split(' ')
  return `${kind} ${name.slice(name.indexOf('/') + 1)}`
}

/** An annotation or label. */
export function markOf({ metadata }: KubeObject, name: string): string | undefined {
  for (const field of ['annotations', 'labels']) {
    const marks = metadata[field]
    if (typeof marks === 'object' && marks !== null && name in marks) return String(Reflect.get(marks, name))
  }
  return undefined
}

/** The first place where two objects differ: `spec.args[0] is "x" instead of "y"`. */
function difference(is: unknown, wanted: unknown, path = ''): string | undefined {
  if (typeof is !== 'object' || typeof wanted !== 'object' || is === null || wanted === null) {
    if (is === wanted) return undefined
    return `${path.slice(1)} is ${JSON.stringify(is) ?? 'not there'} instead of ${JSON.stringify(wanted) ?? 'nothing'}`
  }
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(is)])) {
    const found = difference(Reflect.get(is, key), Reflect.get(wanted, key), `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** What the two trees of a step make of the clusters when everything is applied. */
export interface Ends {
  /** Contents by key: of the tree before, and of the one after. */
  readonly before: ReadonlyMap<string, number>
  readonly after: ReadonlyMap<string, number>
  readonly contents: Contents
  /** What people asked to be deleted, as {@link wordOf}. */
  readonly removes: readonly string[]
}

/** By contents and key: what {@link faultsOfContent} found, as the same is applied in thousands of states. */
const knownFaults = new WeakMap<Ends, Map<string, readonly string[]>>()

/** What is wrong with an object that is applied: it is neither as before nor as after. */
export function faultsOfContent(key: string, content: number, ends: Ends): readonly string[] {
  const known = knownFaults.get(ends) ?? new Map<string, readonly string[]>()
  knownFaults.set(ends, known)
  const one = `${String(content)} ${key}`
  const faults = known.get(one) ?? findFaults(key, content, ends)
  known.set(one, faults)
  return faults
}

function findFaults(key: string, content: number, { before, after, contents }: Ends): readonly string[] {
  const faults: string[] = []
  const placeholder = /\$\{QUOTE\}|stackmason-placeholder-[0-9a-f]*/.exec(JSON.stringify(contents.at(content)))?.[0]
  if (placeholder !== undefined && key.startsWith('workload ')) faults.push(`${key} is applied with ${placeholder}`)
  const wanted = [before.get(key), after.get(key)].filter((end) => end !== undefined)
  if (wanted.includes(content)) return faults
  const nearest = wanted
    .map((end) => difference(contents.at(content), contents.at(end)))
    .toSorted((one = '', other = '') => one.length - other.length)
  return [...faults, `${key} is applied as of neither tree: ${nearest[0] ?? 'it is in none'}`]
}

/** True if everything is gone that people asked to be deleted. */
export function isRemoved(objects: Objects, { before, after, removes }: Ends): boolean {
  return [...before.keys()].every((key) => after.has(key) || !removes.includes(wordOf(key)) || !objects.has(key))
}

/** What is wrong with a deletion. */
export function faultsOfDeletion(key: string, { after, removes }: Ends): readonly string[] {
  if (after.has(key)) return [`${key} is deleted, though it is to stay`]
  return removes.includes(wordOf(key)) ? [] : [`${key} is deleted, though nobody asked for it`]
}

/** What is wrong with a Cluster that got another class or version: addons that are still those of before. */
export function faultsOfOrder(
  objects: Objects,
  { before, after, contents }: Ends,
  isAddon: (key: string) => boolean,
): readonly string[] {
  const moved = [...objects].filter(
    ([key, { content }]) =>
      key.includes(' Cluster ') &&
      before.has(key) &&
      content !== before.get(key) &&
      topologyOf(contents.at(content)) !== topologyOf(contents.at(before.get(key) ?? 0)),
  )
  if (moved.length === 0) return []
  const late = [...after].find(
    ([key, content]) => isAddon(key) && before.get(key) !== content && objects.get(key)?.content !== content,
  )
  return late === undefined ? [] : [`${moved[0]?.[0] ?? ''} moves to another version before ${late[0]}`]
}

const knownTopologies = new WeakMap<KubeObject, string>()

function topologyOf(object: KubeObject): string {
  const topology = knownTopologies.get(object) ?? readTopology(object)
  knownTopologies.set(object, topology)
  return topology
}

function readTopology(object: KubeObject): string {
  const spec = object['spec']
  const topology: unknown = typeof spec === 'object' && spec !== null ? Reflect.get(spec, 'topology') : undefined
  if (typeof topology !== 'object' || topology === null) return ''
  return JSON.stringify([
    Reflect.get(topology, 'class'),
    Reflect.get(topology, 'classRef'),
    Reflect.get(topology, 'version'),
  ])
}

/** The values that a RuntimeValues object asks for, as its controller would publish them. */
export function publishedValues(runtimeValues: KubeObject | undefined): ReadonlyMap<string, string> {
  const spec = runtimeValues?.['spec']
  const values: unknown = typeof spec === 'object' && spec !== null ? Reflect.get(spec, 'values') : undefined
  const entries: readonly { readonly name: string; readonly type?: string }[] = Array.isArray(values) ? values : []
  return new Map(
    entries.map(({ name, type }) => [name, type === 'port' || type === 'integer' ? '6443' : '198.51.100.7']),
  )
}
