import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { CheckedFolder, CheckedUnit, Destination } from '../checked-unit.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** An object that something refers to. */
export interface Target {
  /** Empty for the core group. */
  readonly group: string
  readonly kind: string
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string | undefined
  readonly name: string
}

/** An object that will be there: of the tree, or made by what is in the tree. */
export interface KnownObject {
  readonly namespace: string | undefined
  readonly name: string
  /** Of a ConfigMap or Secret whose keys are known. */
  readonly keys?: ReadonlySet<string>
  /** Of the tree. */
  readonly manifest?: Manifest
}

/** The objects of one API server. */
export interface ObjectIndex {
  readonly find: (target: Target) => KnownObject | undefined
  /** All of a kind. */
  readonly of: (kind: Pick<Target, 'group' | 'kind'>) => readonly KnownObject[]
  /** True if a running program may make an object of that name: its words or its configuration have it. */
  readonly mayMake: (name: string) => boolean
}

const known = new WeakMap<CheckedUnit, Map<string, ObjectIndex>>()

/** The objects of a unit at one API server; made once, for all rules. */
export function indexOf(unit: CheckedUnit, destination: Destination): ObjectIndex {
  const indexes = known.get(unit) ?? new Map<string, ObjectIndex>()
  known.set(unit, indexes)
  const key = pathOf(destination)
  const index = indexes.get(key) ?? createIndex(unit, destination)
  indexes.set(key, index)
  return index
}

/** The API servers of workload clusters that a unit has objects for. */
export function workloadsOf({ folders }: CheckedUnit): readonly Destination[] {
  const found = new Map<string, Destination>()
  for (const { destination } of folders) if (destination !== 'management') found.set(pathOf(destination), destination)
  return [...found.values()]
}

/** The objects of a unit at one API server. */
export function manifestsAt(unit: CheckedUnit, destination: Destination): readonly Manifest[] {
  return foldersAt(unit, destination).flatMap(({ manifests }) => manifests)
}

/** The folders of a unit whose objects go to one API server. */
export function foldersAt({ folders }: CheckedUnit, destination: Destination): readonly CheckedFolder[] {
  return folders.filter((folder) => pathOf(folder.destination) === pathOf(destination))
}

function pathOf(destination: Destination): string {
  return destination === 'management' ? '' : objectPath(destination)
}

function createIndex(unit: CheckedUnit, destination: Destination): ObjectIndex {
  const manifests = manifestsAt(unit, destination)
  const byKind = new Map<string, Map<string, KnownObject>>()
  const add = ({ group, kind }: Pick<Target, 'group' | 'kind'>, object: KnownObject): void => {
    const ofKind = byKind.get(`${group}/${kind}`) ?? new Map<string, KnownObject>()
    byKind.set(`${group}/${kind}`, ofKind)
    ofKind.set(`${object.namespace ?? ''}/${object.name}`, object)
  }
  for (const manifest of manifests) {
    const { apiVersion, kind, namespace, name } = manifest
    add({ group: groupOf(apiVersion), kind }, { namespace, name, manifest, ...keysOf(manifest) })
    for (const secret of secretsOf(manifest)) add({ group: '', kind: 'Secret' }, secret)
  }
  if (destination !== 'management')
    for (const secret of deliveredSecrets(unit)) add({ group: '', kind: 'Secret' }, secret)
  let words: UnitWords | undefined
  return {
    find: ({ group, kind, namespace, name }) => byKind.get(`${group}/${kind}`)?.get(`${namespace ?? ''}/${name}`),
    of: ({ group, kind }) => [...(byKind.get(`${group}/${kind}`)?.values() ?? [])],
    mayMake: (name) => {
      words ??= new UnitWords(
        [...manifests, ...manifestsAt(unit, 'management')].flatMap(({ kind, object }) => wordsIn(kind, object)),
      )
      return words.has(name)
    },
  }
}

/** The keys of a ConfigMap or Secret; nothing where somebody else fills it. */
function keysOf({ apiVersion, kind, object }: Manifest): Pick<KnownObject, 'keys'> {
  if (apiVersion !== 'v1' || (kind !== 'ConfigMap' && kind !== 'Secret')) return {}
  // the API server fills it
  if (textAt(object, 'type') === 'kubernetes.io/service-account-token') return {}
  const maps = ['data', 'binaryData', 'stringData'].flatMap((field) => {
    const map = object.get(field)
    return map instanceof Dict ? [...map.keys()] : []
  })
  return { keys: new Set(maps) }
}

/** Secrets that controllers make of an object. */
function secretsOf({ apiVersion, kind, namespace, name, object }: Manifest): readonly KnownObject[] {
  const group = groupOf(apiVersion)
  const named = (...path: readonly string[]): readonly KnownObject[] => {
    const secret = textAt(object, ...path)
    return secret === '' ? [] : [{ namespace, name: secret }]
  }
  if (group === 'cert-manager.io' && kind === 'Certificate') return named('spec', 'secretName')
  if (group === 'external-secrets.io' && kind === 'ExternalSecret')
    return textAt(object, 'spec', 'target', 'name') === '' ? [{ namespace, name }] : named('spec', 'target', 'name')
  if (group === 'bitnami.com' && kind === 'SealedSecret') return [{ namespace, name }]
  return []
}

/** The Secrets that the controller delivers to the cluster, and those that the fleet says are there. */
function deliveredSecrets(unit: CheckedUnit): readonly KnownObject[] {
  const bindings = manifestsAt(unit, 'management').filter(({ kind }) => kind === 'RuntimeValues')
  const generated = bindings.flatMap(({ object }) =>
    itemsAt(object, 'spec', 'secrets').map((secret) => ({
      namespace: textAt(secret, 'namespace'),
      name: textAt(secret, 'name'),
      keys: new Set(itemsAt(secret, 'data').map((entry) => textAt(entry, 'key'))),
    })),
  )
  const existing = unit.cluster?.cluster.existingSecrets ?? []
  return [...generated, ...existing.map(({ namespace, name }) => ({ namespace, name }))]
}

const CONFIGURATION: ReadonlySet<string> = new Set(['ConfigMap', 'Secret'])

/** Of objects, of which clusters have many in common. */
const wordsOfObjects = new WeakMap<Dict, readonly NameWords[]>()

/** The words of an object by which programs are told what to make; none for most objects. */
function wordsIn(kind: string, object: Dict): readonly NameWords[] {
  const known = wordsOfObjects.get(object)
  if (known !== undefined) return known
  const text = textsOf(kind, object)
  const found = text === '' ? [] : [new NameWords(text)]
  wordsOfObjects.set(object, found)
  return found
}

function textsOf(kind: string, object: Dict): string {
  const words: string[] = []
  const walk = (value: Value, isWanted: boolean): void => {
    if (typeof value === 'string') {
      if (isWanted) words.push(value)
    } else if (Array.isArray(value)) value.forEach((item) => walk(item, isWanted))
    else if (value instanceof Dict)
      for (const [key, child] of value)
        walk(
          child,
          isWanted ||
            ['args', 'command', 'resourceNames', 'data', 'stringData'].includes(key) ||
            (key === 'value' && value.has('name')),
        )
  }
  walk(object, false)
  return CONFIGURATION.has(kind) || words.length > 0 ? words.join('\n') : ''
}

/** No name is longer. */
const LONGEST_NAME = 253

/** The words of one object, known once they are asked for. */
class NameWords {
  readonly text: string
  #names: ReadonlySet<string> | undefined

  constructor(text: string) {
    this.text = text
  }

  get names(): ReadonlySet<string> {
    this.#names ??= namesIn(this.text)
    return this.#names
  }
}

/** The words of all objects of a unit: a name is looked up once, however many objects there are. */
class UnitWords {
  readonly #objects: readonly NameWords[]
  #names: Set<string> | undefined

  constructor(objects: readonly NameWords[]) {
    this.#objects = objects
  }

  has(name: string): boolean {
    // roles have other characters in their names; few are asked for
    if (!/^[a-z0-9.-]+$/.test(name)) return this.#objects.some(({ text }) => hasWord(text, name))
    if (this.#names === undefined) {
      this.#names = new Set()
      for (const { names } of this.#objects) for (const word of names) this.#names.add(word)
    }
    return this.#names.has(name)
  }
}

/** Words, and what stands before a dot in them: `hook` and `hook.default` of `hook.default.svc`. */
function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [word] of text.matchAll(/[a-z0-9.-]+/g)) {
    const start = word.slice(0, LONGEST_NAME + 1)
    if (word.length <= LONGEST_NAME) names.add(word)
    for (let dot = start.indexOf('.', 1); dot !== -1; dot = start.indexOf('.', dot + 1)) names.add(start.slice(0, dot))
  }
  return names
}

/** True if a name stands in a text as a whole, between characters that no name has. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!/[a-z0-9.-]/.test(text[at - 1] ?? '') && !/[a-z0-9-]/.test(text[at + name.length] ?? '')) return true
  return false
}
