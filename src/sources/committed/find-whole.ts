import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { EarlierFile } from '../../model/git.ts'
import type { ObjectName } from '../../model/object-name.ts'
import { marker } from '../../model/step-marks.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { clusterFolder, clusterObjectFile, clusterTree } from '../../model/tree-path.ts'
import { readCommittedCluster } from './committed-cluster.ts'
import { findBroken } from './find-broken.ts'
import type { Texts } from './tree-files.ts'

/** The files of a cluster in a commit, by path relative to the output folder. */
export interface CommitState {
  readonly commit: string
  readonly files: Texts
}

/** The states that some files had: in the last commit, and in each one before the next changed any of them. */
export function statesOf(
  last: ReadonlyMap<string, Uint8Array>,
  earlier: ReadonlyMap<string, readonly EarlierFile[]>,
): readonly CommitState[] {
  const changes = [...earlier]
    .flatMap(([path, files]) => files.map((file) => ({ ...file, path })))
    .toSorted((a, b) => a.age - b.age)
  const files = new Map([...last].map(([path, bytes]) => [path, decodeUtf8(bytes)]))
  const states: CommitState[] = [{ commit: 'HEAD', files: new Map(files) }]
  for (const [index, { path, bytes, commit, age }] of changes.entries()) {
    if (bytes === undefined) files.delete(path)
    else files.set(path, decodeUtf8(bytes))
    // what was before the first commit that is there is not known
    if (changes[index + 1]?.age !== age && commit !== '') states.push({ commit, files: new Map(files) })
  }
  return states
}

/** The paths of a Cluster in the tree, and of what a decommission puts in its place, relative to the output folder. */
export function clusterStateFiles(cluster: ObjectName): readonly [object: string, mark: string] {
  const folder = clusterFolder(cluster)
  return [`${folder}/${clusterObjectFile(cluster.name)}`, `${folder}/configmap-${marker.nameOf(cluster.name)}.yaml`]
}

/** Where a cluster can be taken from. */
export interface WholeStates {
  /** The newest commit that has it whole, in which no Cluster is that a decommission has taken out by now. */
  readonly whole?: CommitState
  /** If there is none: the newest that has it whole from before the decommission. */
  readonly before?: CommitState
}

/**
 * Finds where to take a cluster from. `states`: newest first; `isLast`: the first of them is the one that is broken.
 */
export function findWhole(
  cluster: ObjectName,
  states: readonly CommitState[],
  { isLast }: { readonly isLast: boolean },
): WholeStates {
  const [object, mark] = clusterStateFiles(cluster)
  const has = ({ files }: CommitState, path: string): boolean => files.has(path)
  const isGone = ({ files }: CommitState): boolean => files.size === 0
  const firstMark = states.findIndex((state) => has(state, mark))
  const cameBack = (index: number): boolean => {
    const older = states.slice(index + 1).find((state) => has(state, mark) || isGone(state))
    return older !== undefined && has(older, mark)
  }
  const found = states.flatMap((state, index) => {
    if ((isLast && index === 0) || (has(state, object) && has(state, mark))) return []
    const units = countUnits(cluster, state)
    if (units === undefined) return []
    const isTakenOut = has(state, object) && ((firstMark !== -1 && firstMark < index) || cameBack(index))
    return [{ state, units, isTakenOut, cameBack: cameBack(index) }]
  })
  const best = (some: typeof found): CommitState | undefined => (some.find(({ units }) => units > 0) ?? some[0])?.state
  const whole = best(found.filter(({ isTakenOut }) => !isTakenOut))
  if (whole !== undefined) return { whole }
  const before = best(found.filter((one) => !one.cameBack))
  return before === undefined ? {} : { before }
}

/** The state of a cluster in some files; undefined where they do not tell. */
export function stateIn(cluster: ObjectName, files: Texts): CommittedCluster | undefined {
  try {
    return readCommittedCluster(objectsOf(cluster, files), cluster)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

/** The files beside a Cluster by their names. */
function objectsOf(cluster: ObjectName, files: Texts): Texts {
  const own = clusterFolder(cluster)
  return new Map(
    [...files].flatMap(([path, text]) => (dirName(path) === own ? [[path.slice(own.length + 1), text]] : [])),
  )
}

/** How many files of the GitOps tool's objects a state has, if what it has of the cluster fits together. */
function countUnits(cluster: ObjectName, { files }: CommitState): number | undefined {
  const base = clusterTree(cluster)
  const content = new Map([...files].filter(([path]) => path.startsWith(`${base}/`)))
  const handoff = new Map([...files].filter(([path]) => !path.startsWith(`${base}/`)))
  try {
    const isThere = readCommittedCluster(objectsOf(cluster, files), cluster) !== undefined
    const breaks = findBroken(base, { content, handoff, display: (path) => path })
    return isThere && breaks.length === 0 ? handoff.size : undefined
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
