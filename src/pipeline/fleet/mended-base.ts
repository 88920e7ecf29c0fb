import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import type { Git } from '../../model/git.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { clusterTree, handoffFolder } from '../../model/tree-path.ts'
import { clusterStateFiles, findWhole, stateIn, statesOf } from '../../sources/committed/find-whole.ts'
import { readDisk } from '../../sources/committed/tree-files.ts'
import { CLUSTER_OBJECT } from './find-committed-tree.ts'

/** How far back a cluster is looked for that the base does not have whole. */
const COMMITS = 200

/** A file of the output as it is mended: what a commit has of it, or nothing. */
interface MendedFile {
  readonly text: string | undefined
  /** Id of its blob. */
  readonly id: string | undefined
}

/**
 * Ports to which a base has a cluster whole that it does not have so, where the tree on disk restores it as the newest
 * commit has it that does. A change that mends a tree is judged by the tree that it mends: no other could be.
 */
export function mendBase(
  { fleet, clusters }: Pick<FleetRepository, 'fleet' | 'clusters'>,
  base: string | undefined,
  ports: Ports,
): Ports {
  if (base === undefined || fleet.handoff === undefined) return ports
  const { git } = ports
  const output = joinPath(fleet.root, fleet.output)
  let found: Promise<ReadonlyMap<string, MendedFile>> | undefined
  const mended = (): Promise<ReadonlyMap<string, MendedFile>> =>
    (found ??= findMended({ output, base, clusters }, ports))
  /** Those below a folder, by their path relative to it. */
  const mendedIn = async (folder: string): Promise<readonly (readonly [string, MendedFile])[]> =>
    [...(await mended())].flatMap(([path, file]) => {
      const absolute = joinPath(output, path)
      return isInside(folder, absolute) ? [[relativePath(folder, absolute), file] as const] : []
    })
  const concerns = (folder: string, revision: string | undefined): boolean =>
    revision === base && (isInside(output, folder) || isInside(folder, output))
  const seen: Git = {
    ...git,
    readCommitted: async (folder, isWanted, revision) => {
      const files = await git.readCommitted(folder, isWanted, revision)
      if (!concerns(folder, revision)) return files
      const all = new Map(files)
      for (const [path, { text }] of await mendedIn(folder))
        if (text === undefined) all.delete(path)
        else if (isWanted(path)) all.set(path, encodeUtf8(text))
      return all
    },
    listCommitted: async (folder, revision, within) => {
      const files = await git.listCommitted(folder, revision, within)
      if (!concerns(folder, revision)) return files
      const all = new Map(files)
      for (const [path, { id }] of await mendedIn(folder))
        if (id === undefined) all.delete(path)
        else if (within?.some((one) => isInside(one, path)) ?? true) all.set(path, id)
      return all
    },
  }
  const described = { ...Object.getOwnPropertyDescriptors(ports), git: { value: seen, enumerable: true } }
  return Object.defineProperties({} as Ports, described)
}

/** A base, and the clusters that it may have. */
interface AskedBase {
  readonly output: string
  readonly base: string
  readonly clusters: readonly Cluster[]
}

/** The files that the tree on disk restores, by path relative to the output folder. */
async function findMended(
  { output, base, clusters }: AskedBase,
  ports: Ports,
): Promise<ReadonlyMap<string, MendedFile>> {
  const { git } = ports
  const there = await git.listCommitted(output, base)
  const begun = new Set([...there.keys()].map((path) => path.split('/').slice(0, 3).join('/')))
  const conflicts = new Set<string>()
  for (const [path, bytes] of await git.readCommitted(output, (one) => CLUSTER_OBJECT.test(one), base))
    if (findConflictMarker({ name: path, text: decodeUtf8(bytes) }) !== undefined) conflicts.add(path)
  const suspects = clusters.filter((cluster) => {
    const { options } = cluster
    const files = clusterStateFiles(cluster)
    const isKept = options?.isFrozen === true || options?.decommission !== undefined
    const isLeft = foldersOf(cluster).some((folder) => begun.has(folder)) && !files.some((file) => there.has(file))
    return isKept || isLeft || files.some((file) => conflicts.has(file))
  })
  const mended = new Map<string, MendedFile>()
  for (const cluster of suspects)
    for (const [path, file] of await mendedFiles(cluster, { output, base }, ports)) mended.set(path, file)
  return mended
}

/**
 * The files of one cluster that the tree on disk restores; none where it does anything else with the cluster. A
 * decommission that the tree lost goes on from where it was also where only a part of the cluster is there again: by a
 * part the cluster would count as new, and its Cluster come back.
 */
async function mendedFiles(
  cluster: Cluster,
  { output, base }: Pick<AskedBase, 'output' | 'base'>,
  ports: Ports,
): Promise<ReadonlyMap<string, MendedFile>> {
  const none = new Map<string, MendedFile>()
  const { git } = ports
  const folders = foldersOf(cluster)
  const isOf = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`))
  const disk = new Map<string, string>()
  for (const folder of folders)
    for (const [path, text] of await readDisk({ output, folder }, () => true, ports))
      disk.set(`${folder}/${path}`, text)
  const last = await git.readCommitted(output, isOf, base)
  const before = new Map([...last].map(([path, bytes]) => [path, decodeUtf8(bytes)]))
  const restored = [...new Set([...disk.keys(), ...before.keys()])].filter(
    (path) => disk.get(path) !== before.get(path),
  )
  if (restored.length === 0 || disk.size === 0) return none
  const among = folders.map((folder) => `${folder}/**`)
  const earlier = await git.readEarlier(output, isOf, { commits: COMMITS, revision: base, among, followsTree: true })
  const states = statesOf(last, earlier)
  const { whole } = findWhole(cluster, states, { isLast: false })
  if (whole === undefined || whole === states[0]) return none
  // what the Cluster was at when the tree lost it no commit from before takes back
  const known = states.find(({ files }) => stateIn(cluster, files) !== undefined)
  const isSame = clusterStateFiles(cluster).every((file) => known?.files.get(file) === whole.files.get(file))
  if (known === undefined || !isSame) return none
  const ids = await git.listCommitted(output, whole.commit)
  const mended = (paths: Iterable<string>): ReadonlyMap<string, MendedFile> =>
    new Map([...paths].map((path) => [path, { text: whole.files.get(path), id: ids.get(path) }]))
  const step = stateIn(cluster, known.files)?.decommission?.step
  if (before.size === 0) {
    // what has ended does not come back
    if (step === 'release') return none
    if (cluster.options?.decommission !== undefined) return step === undefined ? none : mended(whole.files.keys())
  }
  const isWhole = findWhole(cluster, [{ commit: '', files: disk }], { isLast: false }).whole !== undefined
  return isWhole && restored.every((path) => disk.get(path) === whole.files.get(path)) ? mended(restored) : none
}

function foldersOf(cluster: ObjectName): readonly string[] {
  return [clusterTree(cluster), handoffFolder(cluster.namespace, cluster.name)]
}
