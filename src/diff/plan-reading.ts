import { type ObjectName, objectPath } from '../model/object-name.ts'
import { matchReleaseTag } from '../model/release-name.ts'
import type { ReleaseName } from '../model/release.ts'
import {
  addonFolder,
  clusterFolder,
  clusterObjectFile,
  clusterTree,
  HANDOFF_STACKS,
  KUSTOMIZATION_FILE,
  parseTreeFile,
  stackFolder,
} from '../model/tree-path.ts'
import { newNamesOf, type VariableRenames } from '../model/variable-renames.ts'
import { parseObjectFile } from './object-file.ts'

/** The files of a tree: an id of the content of each, by its path relative to the output folder. */
export type FileIds = ReadonlyMap<string, string>

/** A release of a namespace. */
export interface NamespacedRelease {
  readonly namespace: string
  readonly tag: string
}

/** A release that only the new tree has, and the one of the old tree that it is compared with. */
export interface StackPair {
  readonly before: NamespacedRelease
  readonly after: NamespacedRelease
}

/** A cluster that only the new tree has, and the one that has most files in common with it. */
export interface LikePair {
  readonly cluster: ObjectName
  readonly like: ObjectName
  /** The tree that `like` is taken from. */
  readonly from: 'before' | 'after'
  /** True if a cluster that goes has more in common with it than any that stays. */
  readonly isRename: boolean
}

/** Which files of two trees must be read to compare them. */
export interface ReadingPlan {
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  readonly stacks: readonly StackPair[]
  readonly likes: readonly LikePair[]
}

/** Files of one cluster: ids by the path in the cluster's own folder. */
type ClusterFiles = ReadonlyMap<string, string>

/**
 * Plans the comparison of two trees by the ids of their files alone: those that differ, and what they are best compared
 * with.
 */
export function planReading(before: FileIds, after: FileIds, renames: VariableRenames = new Map()): ReadingPlan {
  const [old, now] = [new Set<string>(), new Set<string>()]
  for (const [path, id] of before) if (after.get(path) !== id && isObjectFile(path)) old.add(path)
  for (const [path, id] of after) if (before.get(path) !== id && isObjectFile(path)) now.add(path)
  // without a new file there is no new release and no new cluster
  const isGrown = Array.from(after.keys()).some((path) => !before.has(path))
  const stacks = isGrown ? pairStacks(before, after) : []
  const likes = isGrown ? findLikes(clusterFilesOf(before), clusterFilesOf(after)) : []
  const isPaired = stacks.length > 0 || likes.length > 0
  const below = isPaired
    ? { before: filesByFolder(before), after: filesByFolder(after) }
    : { before: new Map<string, readonly string[]>(), after: new Map<string, readonly string[]>() }
  for (const pair of stacks) {
    addAll(old, below.before.get(stackFolder(pair.before.namespace, pair.before.tag)))
    addAll(now, below.after.get(stackFolder(pair.after.namespace, pair.after.tag)))
  }
  for (const { like, from } of likes) addAll(from === 'before' ? old : now, below[from].get(clusterTree(like)))
  for (const [paths, files] of [
    [old, before],
    [now, after],
  ] as const)
    for (const cluster of clustersOf(paths))
      for (const path of [
        `${clusterFolder(cluster)}/${clusterObjectFile(cluster.name)}`,
        `${addonFolder(cluster, 'release')}/${KUSTOMIZATION_FILE}`,
        `${addonFolder(cluster, 'cluster')}/${KUSTOMIZATION_FILE}`,
      ])
        if (files.has(path)) paths.add(path)
  const leaving = [...before.keys()].filter((path) => !after.has(path))
  const areUnitsOf = unitFileFinder(leaving)
  for (const [paths, files] of [
    [old, before],
    [now, after],
  ] as const)
    for (const path of files.keys()) if (areUnitsOf(path)) paths.add(path)
  if (renames.size > 0 && [...stacksIn(now).values()].some((place) => hasRenames(place, renames)))
    for (const cluster of clustersOf(after.keys())) {
      const path = `${clusterFolder(cluster)}/${clusterObjectFile(cluster.name)}`
      if (before.has(path)) old.add(path)
      if (after.has(path)) now.add(path)
    }
  return { before: old, after: now, stacks, likes }
}

/**
 * Tells the files of units that may apply what is in others: what becomes of an object that leaves depends on its unit,
 * and on the one above that. A unit has the name of its cluster or release in its own.
 */
function unitFileFinder(files: readonly string[]): (path: string) => boolean {
  const names = new Map<string, Set<string>>()
  for (const path of files) {
    const folder = parseObjectFile(path)?.folder
    if (folder === undefined) continue
    const known = names.get(folder.namespace) ?? new Set<string>()
    names.set(folder.namespace, known)
    if (folder.kind === 'stack') known.add(folder.tag)
    else if (folder.kind !== 'handoff') known.add(folder.name)
    else if (folder.of !== undefined) known.add(folder.of)
  }
  return (path) => {
    const parsed = names.size === 0 ? undefined : parseObjectFile(path)
    if (parsed?.folder.kind !== 'handoff' || !isObjectFile(path)) return false
    const { namespace, of } = parsed.folder
    if (namespace === '') return true
    const known = names.get(namespace)
    return known !== undefined && (of === undefined || known.has(of) || of === HANDOFF_STACKS)
  }
}

/** True if a file of a tree should hold an object. */
export function isObjectFile(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return file.endsWith('.yaml') && !file.startsWith('.') && parseObjectFile(path) !== undefined
}

/** The clusters that paths lie in the folders of. */
function clustersOf(paths: Iterable<string>): Iterable<ObjectName> {
  const found = new Map<string, ObjectName>()
  for (const path of paths) {
    const folder = parseTreeFile(path)?.folder
    if (folder?.kind === 'cluster' || folder?.kind === 'addons') found.set(objectPath(folder), folder)
  }
  return found.values()
}

function addAll(paths: Set<string>, more: readonly string[] | undefined): void {
  for (const path of more ?? []) paths.add(path)
}

/** The files of objects by the folder of their cluster or release: the first three parts of the path. */
function filesByFolder(files: FileIds): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>()
  for (const path of files.keys()) {
    if (!isObjectFile(path)) continue
    const folder = path.split('/', 3).join('/')
    const own = folders.get(folder)
    if (own === undefined) folders.set(folder, [path])
    else own.push(path)
  }
  return folders
}

/** All clusters of a tree, by `namespace/name`. */
export function clusterFilesOf(files: FileIds): ReadonlyMap<string, ClusterFiles> {
  const clusters = new Map<string, Map<string, string>>()
  for (const [path, id] of files) {
    const folder = parseTreeFile(path)?.folder
    if (folder?.kind !== 'cluster' && folder?.kind !== 'addons') continue
    const key = objectPath(folder)
    const own = clusters.get(key) ?? new Map<string, string>()
    clusters.set(key, own.set(path.slice(clusterTree(folder).length + 1), id))
  }
  return clusters
}

interface Known extends Pick<LikePair, 'from'> {
  readonly key: string
}

/**
 * For each cluster that is new, the one that has most equal files: of the old tree, where a change of the whole fleet
 * has not reached it yet, else of the new one. Each file of a new cluster is looked up once.
 */
function findLikes(
  before: ReadonlyMap<string, ClusterFiles>,
  after: ReadonlyMap<string, ClusterFiles>,
): readonly LikePair[] {
  const added = [...after.keys()].filter((key) => !before.has(key))
  if (added.length === 0) return []
  const holders = new Map<string, Known[]>()
  const note = (known: Known, files: ClusterFiles): void => {
    for (const [path, id] of files) {
      if (path.endsWith(`/${KUSTOMIZATION_FILE}`)) continue
      const file = `${path}\n${id}`
      const holding = holders.get(file)
      if (holding === undefined) holders.set(file, [known])
      else holding.push(known)
    }
  }
  const isAdded = new Set(added)
  for (const [key, files] of after) if (!isAdded.has(key)) note({ key, from: 'after' }, files)
  for (const [key, files] of before) if (!after.has(key)) note({ key, from: 'before' }, files)
  const likes: LikePair[] = []
  // new clusters are many where they are alike: what they have in common with others is counted once
  const answers = new Map<string, Nearest>()
  for (const key of added) {
    const files = after.get(key) ?? new Map<string, string>()
    const shared = [...files].map(([path, id]) => `${path}\n${id}`).filter((file) => holders.has(file))
    const question = [key.slice(0, key.indexOf('/')), String(files.size), ...shared].join('\0')
    const answer = answers.get(question) ?? nearestTo(key, { shared, size: files.size }, holders)
    answers.set(question, answer)
    const { nearest, isRename } = answer
    if (nearest === undefined) {
      note({ key, from: 'after' }, files)
      answers.clear()
    } else likes.push({ cluster: nameOf(key), like: nameOf(nearest.key), from: nearest.from, isRename })
  }
  return likes
}

interface Nearest {
  readonly nearest: Known | undefined
  readonly isRename: boolean
}

/** One that stays is preferred to one that goes, then one of the same namespace. */
function nearestTo(
  key: string,
  { shared, size }: { readonly shared: readonly string[]; readonly size: number },
  holders: ReadonlyMap<string, readonly Known[]>,
): Nearest {
  const counts = new Map<Known, number>()
  for (const file of shared)
    for (const known of holders.get(file) ?? []) counts.set(known, (counts.get(known) ?? 0) + 1)
  const namespace = key.slice(0, key.indexOf('/') + 1)
  const rankOf = (known: Known): readonly [number, number, number] => [
    counts.get(known) ?? 0,
    known.from === 'after' ? 1 : 0,
    known.key.startsWith(namespace) ? 1 : 0,
  ]
  let nearest: Known | undefined
  for (const known of counts.keys()) {
    const order = nearest === undefined ? 1 : compareRanks(rankOf(known), rankOf(nearest))
    if (nearest === undefined || order > 0 || (order === 0 && known.key < nearest.key)) nearest = known
  }
  // a file that all clusters have says nothing
  const common = nearest === undefined ? 0 : (counts.get(nearest) ?? 0)
  return { nearest, isRename: nearest?.from === 'before' && common * 2 >= size }
}

function nameOf(key: string): ObjectName {
  const slash = key.indexOf('/')
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/**
 * For each release that is new, the release of the same stack before it: the nearest version of the same minor version
 * of Kubernetes, else of the nearest lower one, else the nearest higher one; of the same namespace if there is one.
 */
function pairStacks(before: FileIds, after: FileIds): readonly StackPair[] {
  const [old, now] = [stacksIn(before.keys()), stacksIn(after.keys())]
  const known = new Map<string, KnownRelease[]>()
  for (const stack of old.values()) {
    const release = releaseOf(stack)
    if (release === undefined) continue
    for (const key of [stackKey(release), stackKey(release, stack.namespace)])
      known
        .set(key, known.get(key) ?? [])
        .get(key)
        ?.push({ stack, release })
  }
  // many namespaces may get one release
  const elsewhere = new Map<string, NamespacedRelease | undefined>()
  return [...now].flatMap(([path, stack]) => {
    const name = old.has(path) ? undefined : releaseOf(stack)
    if (name === undefined) return []
    const here = nearestRelease(name, known.get(stackKey(name, stack.namespace)) ?? [])
    if (here === undefined && !elsewhere.has(stack.tag))
      elsewhere.set(stack.tag, nearestRelease(name, known.get(stackKey(name)) ?? []))
    const best = here ?? elsewhere.get(stack.tag)
    return best === undefined ? [] : [{ before: best, after: stack }]
  })
}

interface KnownRelease {
  readonly stack: NamespacedRelease
  readonly release: ReleaseName
}

function stackKey({ provider, stack }: ReleaseName, namespace = ''): string {
  return `${namespace} ${provider}-${stack}`
}

function nearestRelease(name: ReleaseName, known: readonly KnownRelease[]): NamespacedRelease | undefined {
  let best: { readonly place: NamespacedRelease; readonly rank: readonly number[] } | undefined
  for (const { stack, release } of known) {
    const rank = rankOf(release, name)
    if (best === undefined || compareRanks(rank, best.rank) < 0) best = { place: stack, rank }
  }
  return best?.place
}

/** The smallest is the best. */
function rankOf(release: ReleaseName, to: ReleaseName): readonly number[] {
  const minors =
    (to.kubernetes.major - release.kubernetes.major) * 1000 + to.kubernetes.minor - release.kubernetes.minor
  const versions = to.version.major - release.version.major
  return [
    minors < 0 ? 1 : 0,
    Math.abs(minors),
    minors === 0 && versions < 0 ? 1 : 0,
    minors === 0 ? Math.abs(versions) : -release.version.major,
  ]
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function releaseOf({ tag }: NamespacedRelease): ReleaseName | undefined {
  const matched = matchReleaseTag(tag)
  return 'value' in matched ? matched.value : undefined
}

/** True if variables of classes of a release's stack have been renamed: then it is asked who sets the old names. */
function hasRenames(stack: NamespacedRelease, renames: VariableRenames): boolean {
  const release = releaseOf(stack)
  return release !== undefined && newNamesOf(renames, release) !== undefined
}

function stacksIn(paths: Iterable<string>): ReadonlyMap<string, NamespacedRelease> {
  const stacks = new Map<string, NamespacedRelease>()
  for (const path of paths) {
    const folder = parseTreeFile(path)?.folder
    if (folder?.kind === 'stack') stacks.set(`${folder.namespace}/${folder.tag}`, folder)
  }
  return stacks
}
