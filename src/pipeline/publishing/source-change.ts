import type { Diagnostic } from '../../model/diagnostic.ts'
import type { CommittedFile } from '../../model/git-writer.ts'
import type { StepPlan } from '../../model/steps.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { HANDOFF_STACKS, parseTreeFolder } from '../../model/tree-path.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'

/** The changes that rendering made in a work tree. */
export interface SourceChange {
  /** Of rendering. */
  readonly result: {
    readonly fleet: string
    /** Absolute. */
    readonly output: string
    readonly steps?: readonly StepPlan[]
    /** Reasons by `namespace/name` of clusters that are on hold. */
    readonly holds: ReadonlyMap<string, string>
    readonly findings: readonly Diagnostic[]
  }
  /** Of the tree, relative to the output folder, in path order; none where only what says whose it is differs. */
  readonly files: readonly TreeFile[]
  /** Files that were edited before, from the root of the repository: stackmason.lock, if it moved, and others. */
  readonly inputs: readonly CommittedFile[]
  /** Tags of newer releases that the lock was not moved to, the newest of each ClusterStack first. */
  readonly newer: readonly string[]
  /** The digest of the lock; undefined where there is none. */
  readonly digest: string | undefined
  /** Brings about what the files rely on; before a commit of them is pushed. */
  readonly beforehand?: () => Promise<void>
}

/** A file of the rendered tree. */
export interface TreeFile extends PublishedFile {
  /** On disk; undefined for one that is gone. */
  readonly from: string | undefined
}

/** `namespace/name` of the clusters that files of the tree belong to. */
export function clustersOf(files: readonly Pick<TreeFile, 'path'>[]): readonly string[] {
  const names = new Set<string>()
  for (const { path } of files) {
    const cluster = clusterOfFile(path)
    if (cluster !== undefined) names.add(objectPath(cluster))
  }
  return [...names].sort()
}

/** The cluster that a file of the tree belongs to. */
export function clusterOfFile(path: string): ObjectName | undefined {
  const folder = parseTreeFolder(path.slice(0, Math.max(path.lastIndexOf('/'), 0)))
  if (folder === undefined) return undefined
  if ('name' in folder) return { namespace: folder.namespace, name: folder.name }
  const isOfCluster = folder.kind === 'handoff' && folder.of !== undefined && folder.of !== HANDOFF_STACKS
  return isOfCluster ? { namespace: folder.namespace, name: folder.of } : undefined
}
