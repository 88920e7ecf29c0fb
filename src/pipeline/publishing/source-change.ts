import type { Diagnostic } from '../../model/diagnostic.ts'
import type { CommittedFile } from '../../model/git-writer.ts'
import type { StepPlan } from '../../model/steps.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'

/** What rendering changed in a work tree. */
export interface SourceChange {
  /** Of rendering. */
  readonly result: {
    readonly fleet: string
    /** Absolute. */
    readonly output: string
    readonly steps?: readonly StepPlan[]
    readonly findings: readonly Diagnostic[]
  }
  /** Of the tree, relative to the output folder, in path order; none where only what says whose it is differs. */
  readonly files: readonly TreeFile[]
  /** Files that were edited before, from the root of the repository: stackmason.lock, if it moved, and others. */
  readonly inputs: readonly CommittedFile[]
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
    const folder = parseTreeFolder(path.slice(0, Math.max(path.lastIndexOf('/'), 0)))
    if (folder !== undefined && 'name' in folder) names.add(`${folder.namespace}/${folder.name}`)
  }
  return [...names].sort()
}
