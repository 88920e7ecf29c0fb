import type { FolderHashes } from './folder-hashes.ts'
import { inPathOrder, pathIn } from './path-order.ts'
import type { FileChangeKind } from './plan-folder.ts'

/** The files of one folder to write or to remove. A run has many, so that each holds little, and what it can share. */
export interface FolderSteps {
  /** Relative to the output folder. */
  readonly path: string
  readonly changes: ReadonlyMap<string, FileChangeKind>
  /** Number of the first step: content is staged under the numbers of its steps. */
  readonly first: number
  /** sha256 of the new content, at least of what is written. */
  readonly after: FolderHashes
  /** sha256 of what lies there now, at least of what is written or removed. */
  readonly before: FolderHashes
}

/** The steps of a run, by folder. */
export type TreeSteps = ReadonlyMap<string, FolderSteps>

/** One file of the tree that differs; the path is relative to the output folder. */
export interface TreeChange {
  readonly path: string
  readonly change: FileChangeKind
}

/**
 * Files that differ, in path order. They are told one by one, and none is kept: a change of a whole fleet has more of
 * them than all else that a run keeps.
 */
export interface TreeChanges extends Iterable<TreeChange> {
  readonly length: number
}

/** Says what steps change. */
export class StepChanges implements TreeChanges {
  readonly #steps: TreeSteps
  readonly length: number

  constructor(steps: TreeSteps) {
    this.#steps = steps
    let length = 0
    for (const { changes } of steps.values()) length += changes.size
    this.length = length
  }

  *[Symbol.iterator](): Generator<TreeChange> {
    for (const { path, folder, names } of inPathOrder(this.#steps, ({ changes }) => changes.keys())) {
      const changes = new Map(folder.changes)
      for (const name of names) {
        const change = changes.get(name)
        if (change !== undefined) yield { path: pathIn(path, name), change }
      }
    }
  }

  /** As JSON, all of them. */
  toJSON(): readonly TreeChange[] {
    return [...this]
  }
}
