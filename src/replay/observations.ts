import { ObservedPaths } from './observed-paths.ts'

/** Some of the paths of a record that stand beside each other: from the first to before the last. */
export type PathRange = readonly [from: number, to: number]

/** A folder whose whole content was asked for. */
export interface ObservedTree {
  /** The folder from which paths are counted, absolute, and the folder of the tree in it. */
  readonly base: string
  readonly folder: string
  /** The digest that an earlier run had for it, and the paths of that run's record. */
  readonly carried?: { readonly digest: string; readonly paths: readonly PathRange[] }
}

/** An answer of git about what lies in the work tree and in no commit. */
export interface ObservedUntracked {
  readonly folder: string
  readonly kind: 'ignored' | 'new'
  readonly digest: string
}

/** The state of a repository that answers depended on. */
export interface ObservedState {
  readonly folder: string
  readonly revision?: string
  readonly state: string
}

/** All that a run asked of its ports, as far as its result may depend on the answers. */
export interface Observations {
  readonly paths: ObservedPaths
  /** By `treeKey`. */
  readonly trees: Map<string, ObservedTree>
  /** Folders on the way to paths: that they are folders, and the same, counts, not what else lies in them. */
  readonly places: Set<string>
  /** The targets of links, by path. */
  readonly links: Map<string, string>
  /** Salted hashes of variables by name; `''` for those that are not set. */
  readonly variables: Map<string, string>
  /** Hashes of what the program's package holds, by `names`, `below` or `read` and a path. */
  readonly packaged: Map<string, string>
  readonly states: Map<string, ObservedState>
  readonly untracked: Map<string, ObservedUntracked>
}

/** Observations of nothing. */
export function noObservations(): Observations {
  return {
    paths: new ObservedPaths(),
    trees: new Map(),
    places: new Set(),
    links: new Map(),
    variables: new Map(),
    packaged: new Map(),
    states: new Map(),
    untracked: new Map(),
  }
}
