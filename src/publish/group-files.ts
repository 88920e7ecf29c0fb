import { compareBytes } from '../codec/text/text-order.ts'
import { CLUSTERS, HANDOFF, HANDOFF_STACKS, OWNER_FILE, STACKS } from '../model/tree-path.ts'
import type { Grouping } from '../model/publish-config.ts'
import type { PublishedFile } from './commit-message.ts'
import type { HeldProposal } from './proposal.ts'

/** Facts about a tree before and after, for splitting the difference. */
export interface GroupingFacts {
  /** Paths of the tree that is there. */
  readonly base: Iterable<string>
  /** Files that differ, relative to the tree. */
  readonly files: readonly PublishedFile[]
  readonly grouping: Grouping
  /** Reasons by `namespace/name` of clusters that are left as they are. */
  readonly holds: ReadonlyMap<string, string>
  /** The releases that come or go and that files of a cluster (`namespace/name`) name, before and after. */
  readonly namesOf: (cluster: string) => { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> }
}

/** Files that one pull request carries. */
export interface FileGroup {
  readonly group: string
  readonly part: ReadonlySet<string>
}

/** The groups, in order, and what waits. */
export interface GroupedFiles {
  readonly groups: readonly FileGroup[]
  readonly held: readonly HeldProposal[]
}

/** The group of what belongs to no one alone: releases, lists of clusters and namespaces, and who comes or goes. */
export const SHARED = 'shared'

/**
 * Splits the difference between two trees so that each part can be merged alone, and all of them in any order: no two
 * parts change the same file; who comes or goes does so together with the lists that name them; what needs a new
 * release waits until that is there, and a release goes together with the last who leave it.
 */
export function groupFiles(facts: GroupingFacts): GroupedFiles {
  const { files, grouping, holds } = facts
  const tree = new TreeOwners(facts)
  const owned = new Map<string, string[]>()
  const common: string[] = []
  for (const { path } of files) {
    if (path === OWNER_FILE) continue
    const cluster = tree.clusterOf(path)
    if (cluster === undefined) common.push(path)
    else push(owned, cluster, path)
  }
  if (grouping === 'fleet' && holds.size === 0) return oneGroup(files)

  const { added, removed } = changedStacks(facts)
  const facing: Common = { grouping, tree, busy: namespacesWithStacks(common) }
  const shared = sharedGroup({ grouping })
  const grouped = new Map<string, string[]>()
  const needs = new Set<string>()
  const waiting: HeldProposal[] = []
  for (const path of common) push(grouped, commonGroup(path, facing), path)
  const stuck = new Map<string, string>()
  for (const [cluster, paths] of owned) {
    const names = facts.namesOf(cluster)
    const leaves = [...removed].some((tag) => names.before.has(tag))
    const [namespace = ''] = cluster.split('/')
    const lists = tree.isListedAnew(cluster)
    const group = leaves ? shared : lists ? listGroup(namespace, facing) : groupOf(cluster, grouping)
    const reason = holds.get(cluster)
    if (reason !== undefined) {
      waiting.push({ group: `cluster/${cluster}`, reason: `on hold: ${reason}` })
      // the others name it, or take away what it needs
      if (leaves || lists) stuck.set(group, cluster)
      continue
    }
    for (const path of paths) push(grouped, group, path)
    if ([...added].some((tag) => names.after.has(tag))) needs.add(group)
  }
  for (const [group, cluster] of stuck) {
    waiting.push({ group, reason: `it comes or goes together with cluster ${cluster}, which is on hold` })
    grouped.delete(group)
  }
  const isSharedHere = grouped.has(shared) || stuck.has(shared)
  const owner = files.some(({ path }) => path === OWNER_FILE) ? [OWNER_FILE] : []
  const groups: FileGroup[] = []
  for (const group of [...grouped.keys()].sort(byGroup)) {
    if (group !== shared && isSharedHere && needs.has(group))
      waiting.push({ group, reason: `${shared} has to be merged first: it brings a release that this needs` })
    else groups.push({ group, part: new Set([...(grouped.get(group) ?? []), ...owner]) })
  }
  return { groups, held: waiting.sort((a, b) => byGroup(a.group, b.group)) }
}

function oneGroup(files: readonly PublishedFile[]): GroupedFiles {
  return { groups: [{ group: 'fleet', part: new Set(files.map(({ path }) => path)) }], held: [] }
}

/** Orders groups: those that others may wait for come first. */
function byGroup(a: string, b: string): number {
  const [first, second] = [a, b].map((group) => (group === SHARED ? 0 : 1))
  return (first ?? 0) - (second ?? 0) || compareBytes(a, b)
}

function groupOf(cluster: string, grouping: Grouping): string {
  if (grouping === 'fleet') return 'fleet'
  return grouping === 'cluster' ? `cluster/${cluster}` : `namespace/${cluster.split('/')[0] ?? ''}`
}

/** The facts that decide whether a namespace can change alone. */
interface Common {
  readonly grouping: Grouping
  /** Namespaces in which releases, or what applies them, change. */
  readonly busy: ReadonlySet<string>
  readonly tree: TreeOwners
}

/** The group of a file that no cluster owns. */
function commonGroup(path: string, common: Common): string {
  const [top, namespace = '', name] = path.split('/')
  return top === HANDOFF && name !== undefined ? listGroup(namespace, common) : sharedGroup(common)
}

/** The group of the lists of a namespace. */
function listGroup(namespace: string, { grouping, busy, tree }: Common): string {
  const isAlone = grouping === 'namespace' && !busy.has(namespace) && !tree.isNewOrGone(namespace)
  return isAlone ? `namespace/${namespace}` : sharedGroup({ grouping })
}

function sharedGroup({ grouping }: Pick<Common, 'grouping'>): string {
  return grouping === 'fleet' ? 'fleet' : SHARED
}

/** Namespaces in which releases, or what applies them, change. */
function namespacesWithStacks(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      const [top, namespace = '', name] = path.split('/')
      return top === STACKS || (top === HANDOFF && name === HANDOFF_STACKS) ? [namespace] : []
    }),
  )
}

/** Tags of releases whose folders come or go. */
export function changedStacks({ base, files }: Pick<GroupingFacts, 'base' | 'files'>): {
  readonly added: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
} {
  const tagOf = (path: string): string | undefined => {
    const [top, , tag, file] = path.split('/')
    return top === STACKS && file !== undefined ? tag : undefined
  }
  const before = new Set<string>()
  const after = new Set<string>()
  const gone = new Set(files.filter(({ change }) => change === 'removed').map(({ path }) => path))
  for (const path of base) {
    const tag = tagOf(path)
    if (tag === undefined) continue
    before.add(tag)
    if (!gone.has(path)) after.add(tag)
  }
  for (const { path, change } of files) {
    const tag = tagOf(path)
    if (tag !== undefined && change === 'added') after.add(tag)
  }
  return {
    added: new Set([...after].filter((tag) => !before.has(tag))),
    removed: new Set([...before].filter((tag) => !after.has(tag))),
  }
}

/** Whose the files of two trees are. */
class TreeOwners {
  readonly #clusters = new Set<string>()
  /** Files that lists of a namespace reach, by cluster; and of the namespace itself: before and after. */
  readonly #listed = new Map<string, { before: number; after: number }>()

  constructor({ base, files }: GroupingFacts) {
    const gone = new Set(files.filter(({ change }) => change === 'removed').map(({ path }) => path))
    const before = [...base]
    const after = [
      ...before.filter((path) => !gone.has(path)),
      ...files.filter(({ change }) => change === 'added').map(({ path }) => path),
    ]
    for (const path of [...before, ...after]) {
      const [top, namespace, name, file] = path.split('/')
      if (top === CLUSTERS && file !== undefined) this.#clusters.add(`${namespace ?? ''}/${name ?? ''}`)
    }
    for (const [side, paths] of [
      ['before', before],
      ['after', after],
    ] as const) {
      for (const path of paths) {
        const [top, namespace] = path.split('/')
        if (top !== HANDOFF || namespace === undefined) continue
        for (const key of [namespace, this.clusterOf(path)]) {
          if (key === undefined) continue
          const counts = this.#listed.get(key) ?? { before: 0, after: 0 }
          counts[side]++
          this.#listed.set(key, counts)
        }
      }
    }
  }

  /** `namespace/name` of the cluster that a file is of; undefined where it is nobody's alone. */
  clusterOf(path: string): string | undefined {
    const [top, namespace = '', name = '', file] = path.split('/')
    // a cluster of that name shares its folder
    if (name === HANDOFF_STACKS) return undefined
    if (top === CLUSTERS && file !== undefined) return `${namespace}/${name}`
    if (top !== HANDOFF) return undefined
    if (file !== undefined) return `${namespace}/${name}`
    // the object that applies the folder of a cluster lies beside that folder
    const cluster = parentOf(name, namespace)
    return cluster !== undefined && this.#clusters.has(`${namespace}/${cluster}`)
      ? `${namespace}/${cluster}`
      : undefined
  }

  /** True if what a GitOps tool has of a cluster comes or goes, so that a list above it changes. */
  isListedAnew(cluster: string): boolean {
    return this.#changes(cluster)
  }

  /** True if the folder of a namespace comes or goes. */
  isNewOrGone(namespace: string): boolean {
    return this.#changes(namespace)
  }

  #changes(key: string): boolean {
    const { before = 0, after = 0 } = this.#listed.get(key) ?? {}
    return (before === 0) !== (after === 0)
  }
}

/** The cluster of `application-<namespace>.<cluster>.handoff.yaml`. */
function parentOf(file: string, namespace: string): string | undefined {
  const [start, end] = [`application-${namespace}.`, '.handoff.yaml']
  return file.startsWith(start) && file.endsWith(end) && file.length > start.length + end.length
    ? file.slice(start.length, -end.length)
    : undefined
}

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
