import type { ChangeStep, TreeObject } from '../model/tree-change.ts'

/** A field of an object that changes, which a finding is about. */
export interface ChangedField {
  /** As the new tree has it. Where many clusters have the change: that of one of them. */
  readonly object: TreeObject
  /** In the object, as far as it is there. */
  readonly path: readonly ChangeStep[]
  /** True if many clusters have the change: a place in the files of one of them is not that of all. */
  readonly isShared: boolean
}
