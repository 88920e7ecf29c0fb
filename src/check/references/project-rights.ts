import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { NeededRights } from './needed-rights.ts'

/** Where the Applications of a unit go, as Argo CD names it. */
export interface ProjectDestination {
  readonly server: string
  readonly name: string
}

/** Kinds that a list of an AppProject names. */
interface NamedKind {
  readonly group: string
  readonly kind: string
  /** `''`: objects of any name. */
  readonly name: string
}

const kindLists = [
  'clusterResourceWhitelist',
  'clusterResourceBlacklist',
  'namespaceResourceWhitelist',
  'namespaceResourceBlacklist',
] as const

/** The lists of an AppProject: a plain value. A list that it does not have is not there. */
export interface ProjectLists {
  readonly kinds: Readonly<Partial<Record<(typeof kindLists)[number], readonly NamedKind[]>>>
  readonly destinations: readonly (ProjectDestination & { readonly namespace: string })[]
}

/** Reads the lists of an AppProject. */
export function readProject(project: Dict): ProjectLists {
  const kinds = kindLists.flatMap((field) => {
    const list = fieldAt(project, 'spec', field)
    return Array.isArray(list) ? [[field, list.map(namedKind)] as const] : []
  })
  return {
    kinds: Object.fromEntries(kinds),
    destinations: itemsAt(project, 'spec', 'destinations').map((entry) => ({
      server: textAt(entry, 'server'),
      name: textAt(entry, 'name'),
      namespace: textAt(entry, 'namespace'),
    })),
  }
}

function namedKind(entry: Value): NamedKind {
  return { group: textAt(entry, 'group'), kind: textAt(entry, 'kind'), name: textAt(entry, 'name') }
}

/** Why an AppProject does not let an object through, and which of its fields says so; undefined where it does. */
export function refusedBy(
  project: ProjectLists,
  destination: ProjectDestination,
  { group, kind, namespace, name }: NeededRights,
): { readonly field: string; readonly what: string } | undefined {
  const names = (entries: readonly NamedKind[] = []): boolean =>
    entries.some(
      (entry) =>
        matches(entry.group, group) && matches(entry.kind, kind) && (entry.name === '' || matches(entry.name, name)),
    )
  const { kinds } = project
  if (namespace === undefined) {
    // none is allowed unless a list says so
    if (!names(kinds.clusterResourceWhitelist)) return { field: 'clusterResourceWhitelist', what: 'does not name it' }
    if (names(kinds.clusterResourceBlacklist)) return { field: 'clusterResourceBlacklist', what: 'names it' }
    return undefined
  }
  const allowed = kinds.namespaceResourceWhitelist
  if (allowed !== undefined && !names(allowed)) return { field: 'namespaceResourceWhitelist', what: 'does not name it' }
  if (names(kinds.namespaceResourceBlacklist)) return { field: 'namespaceResourceBlacklist', what: 'names it' }
  return isDestination(project, destination, namespace)
    ? undefined
    : { field: 'destinations', what: 'do not have its namespace' }
}

const known = new WeakMap<ProjectLists, { readonly denied: Destinations; readonly allowed: Destinations }>()

/** A destination with `!` before server, name or namespace is none. */
function isDestination(project: ProjectLists, place: ProjectDestination, namespace: string): boolean {
  const lists = known.get(project) ?? destinationsOf(project)
  known.set(project, lists)
  return !lists.denied.has(place, namespace) && lists.allowed.has(place, namespace)
}

function destinationsOf(project: ProjectLists): { readonly denied: Destinations; readonly allowed: Destinations } {
  const lists = { denied: new Destinations(), allowed: new Destinations() }
  for (const { server, name, namespace } of project.destinations) {
    const isDenial = [server, name, namespace].some((text) => text.startsWith('!'))
    const bare = (text: string): string => (isDenial ? text.replace(/^!/, '') : text)
    const list = lists[isDenial ? 'denied' : 'allowed']
    list.add({ server: bare(server), name: bare(name) }, bare(namespace))
    for (const named of namesOf(bare(server), isDenial ? 'surely' : 'maybe'))
      list.add({ server: '', name: named }, bare(namespace))
  }
  return lists
}

const MANAGEMENT_SERVER = 'https://kubernetes.default.svc'

/**
 * The names of clusters that a pattern of servers is about: Argo CD resolves a destination given by name to its server
 * first. Which one that is the tree does not say, but for that of Argo CD's own cluster.
 */
function namesOf(server: string, want: 'surely' | 'maybe'): readonly string[] {
  if (server === '') return []
  if (server === MANAGEMENT_SERVER) return ['in-cluster']
  return server === '*' || want === 'maybe' ? ['*'] : []
}

/** Destinations of a project: those without a pattern are looked up, not tried one by one. */
class Destinations {
  readonly #servers = new Patterns<Patterns<true>>()
  readonly #names = new Patterns<Patterns<true>>()

  add({ server, name }: ProjectDestination, namespace: string): void {
    for (const [places, place] of this.#by({ server, name })) {
      const namespaces = places.at(place) ?? new Patterns<true>()
      places.set(place, namespaces)
      namespaces.set(namespace, true)
    }
  }

  has(place: ProjectDestination, namespace: string): boolean {
    return this.#by(place).some(([places, own]) =>
      places.matching(own).some((namespaces) => namespaces.matching(namespace).length > 0),
    )
  }

  #by({ server, name }: ProjectDestination): readonly (readonly [Patterns<Patterns<true>>, string])[] {
    const both = [
      [this.#servers, server],
      [this.#names, name],
    ] as const
    return both.filter(([, place]) => place !== '')
  }
}

/** Values by patterns. */
class Patterns<Item> {
  readonly #plain = new Map<string, Item>()
  readonly #others = new Map<string, Item>()

  at(pattern: string): Item | undefined {
    return this.#mapOf(pattern).get(pattern)
  }

  set(pattern: string, item: Item): void {
    this.#mapOf(pattern).set(pattern, item)
  }

  /** The values of all patterns that a text matches. */
  matching(text: string): readonly Item[] {
    const plain = this.#plain.get(text)
    const others = [...this.#others].flatMap(([pattern, item]) => (matches(pattern, text) ? [item] : []))
    return plain === undefined ? others : [plain, ...others]
  }

  #mapOf(pattern: string): Map<string, Item> {
    return /[*?]/.test(pattern) ? this.#others : this.#plain
  }
}

/** Patterns of Argo CD: `*` for any text, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1 && !pattern.includes('?')) return pattern === text
  return matchFrom(pattern, text)
}

/** Matches a pattern in one pass: at a mismatch it goes on after the last `*`. */
function matchFrom(pattern: string, text: string): boolean {
  let [at, place, star, mark] = [0, 0, -1, 0]
  while (place < text.length) {
    if (pattern[at] === '*') {
      star = at++
      mark = place
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[place])) {
      at++
      place++
    } else if (star === -1) return false
    else {
      at = star + 1
      place = ++mark
    }
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
