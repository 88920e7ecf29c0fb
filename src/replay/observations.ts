/** Some of the paths of a record that stand beside each other: from the first to before the last. */
export type PathRange = readonly [from: number, to: number]

/** A path that was looked at. */
export interface ObservedPath {
  /** As `signatures` of the files gave it before anything else was asked. */
  readonly signature: Float64Array
  /**
   * Hash of what was read there, where the signature is too young to show a later change: two changes within one tick
   * of a file system's clock look the same.
   */
  digest?: string
  /** True once its content was read, or its names listed: before that of a folder only counts that it is there. */
  isRead: boolean
}

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
  readonly paths: Map<string, ObservedPath>
  /** sha256 of files by path, hex, as far as they were asked for. */
  readonly hashes: Map<string, string>
  /** The entries of folders, by path, as `formatEntries` writes them. */
  readonly entries: Map<string, string>
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
    paths: new Map(),
    hashes: new Map(),
    entries: new Map(),
    trees: new Map(),
    places: new Set(),
    links: new Map(),
    variables: new Map(),
    packaged: new Map(),
    states: new Map(),
    untracked: new Map(),
  }
}
