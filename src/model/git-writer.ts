import type { Secret } from './secret.ts'

/** The state of a user's checkout. */
export interface CheckoutFacts {
  /** The root of the work tree; absolute. */
  readonly root: string
  /** Undefined before the first commit. */
  readonly commit: string | undefined
  /** The name of the branch; undefined where none is checked out. */
  readonly branch: string | undefined
  /** URLs by the name of the remote, without credentials. */
  readonly remotes: ReadonlyMap<string, string>
}

/** A remote repository, as a repository of this machine reaches it. */
export interface RemoteAccess {
  /** The root of its work tree; absolute. */
  readonly repository: string
  /** Name of a remote that the repository has, or the URL of any. */
  readonly remote: string
  /** Its URL without credentials. */
  readonly url: string
  /** An Authorization header for where the credentials that git has are refused. */
  readonly authorization?: Secret
  /** The variables that hold those, for messages. */
  readonly variables?: string
  /** Milliseconds for one operation. */
  readonly timeout: number
}

/** The branches of a remote. */
export interface RemoteRefs {
  /** The branch that HEAD names, where the server tells. */
  readonly defaultBranch: string | undefined
  /** Commits by full name, `refs/heads/main`. */
  readonly refs: ReadonlyMap<string, string>
}

/** A work tree of a commit, in a folder of its own. */
export interface PublishTree {
  /** Absolute. */
  readonly folder: string
  readonly commit: string
  readonly remove: () => Promise<void>
}

/** A file of a commit that is to be made. */
export interface CommittedFile {
  /** Relative to the repository's root. */
  readonly path: string
  /** A file of this machine with the content; undefined: the path is removed. */
  readonly from: string | undefined
}

/** The tree of a commit, or no tree, with a folder replaced by a tree (or taken out), and with other files. */
export interface TreeChange {
  readonly base: string | undefined
  readonly graft?: { readonly folder: string; readonly tree: string | undefined }
  readonly files: readonly CommittedFile[]
}

/** A tree that can be committed; nothing of it need be written yet. */
export interface PlannedTree {
  readonly id: string
  /** Ids of the contents of its new files, by their paths on this machine. */
  readonly blobs: ReadonlyMap<string, string>
  /** Tree objects of folders that no listed tree has, by their ids. */
  readonly folders: ReadonlyMap<string, Uint8Array>
}

/** A commit that is to be made. */
export interface NewCommit {
  readonly tree: PlannedTree
  readonly parents: readonly string[]
  readonly message: string
  /** Who makes it where git is not told; else that is an error. */
  readonly fallback?: { readonly name: string; readonly email: string }
  /** False for one that nobody sees; else as git is configured. */
  readonly isSigned?: false
}

/** A commit of a branch. */
export interface BranchCommit {
  readonly commit: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: string
  readonly message: string
}

/** A commit that a branch was at. */
export interface LineCommit {
  readonly commit: string
  /** When it was made: by the forge that merged it, where one did. RFC 3339 in UTC. */
  readonly date: string
}

/** A change of a file on the line of a branch: the ids of its content, undefined where it is not there. */
export interface LineChange {
  /** Which commit of the line made it. */
  readonly index: number
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The commits that a branch was at: its first-parent line. */
export interface BranchLine {
  /** Newest first. */
  readonly commits: readonly LineCommit[]
  /** By path from the root of the repository, newest first; files that no commit of the line changed are left out. */
  readonly changes: ReadonlyMap<string, readonly LineChange[]>
}

/** A branch that is to move, or to go. */
export interface BranchPush {
  /** Its name, without `refs/heads/`. */
  readonly branch: string
  /** Undefined: it goes. */
  readonly commit: string | undefined
  /** Where it is now; undefined: it is not there. */
  readonly expected: string | undefined
  /** `lease`: from there to anywhere, so that what somebody else pushed meanwhile stays. */
  readonly mode: 'fast-forward' | 'lease'
}

/** Why a server did not move a branch. `outdated`: somebody was faster. */
export type PushRefusal = 'outdated' | 'protected' | 'not-permitted' | 'refused'

/** The outcome of a push; the message is the server's. */
export type PushResult = { readonly status: 'pushed' } | { readonly status: PushRefusal; readonly message: string }

/** Why a commit cannot be made. */
export type GitWriteReason = 'no-identity' | 'not-signed' | 'unsafe-path' | 'clash'

/** Thrown by {@link GitWriter} beside GitError. */
export class GitWriteError extends Error {
  readonly reason: GitWriteReason

  constructor(reason: GitWriteReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'GitWriteError'
    this.reason = reason
  }
}

/**
 * Makes commits with the git program of this machine and moves branches of remotes. What somebody has checked out, the
 * index, HEAD, branches, the stash and what is known of remotes stay as they are: everything is done in work trees
 * apart and under private refs. Hooks, filters and attributes of a repository do not count. Failures throw GitError and
 * {@link GitWriteError}.
 */
export interface GitWriter {
  /** The checkout around a folder; undefined where it is in no repository. */
  readonly describe: (folder: string) => Promise<CheckoutFacts | undefined>
  /** Removes what killed runs have left behind in a repository. */
  readonly clear: (repository: string) => Promise<void>
  readonly listRemote: (access: RemoteAccess) => Promise<RemoteRefs>
  /**
   * Brings refs of a remote, by full name, with as many commits of their history as `history` says, as far as a shallow
   * clone lacks them. Refs that are not there (any more) are left out of the result.
   */
  readonly fetch: (
    access: RemoteAccess,
    names: readonly string[],
    history: number,
  ) => Promise<ReadonlyMap<string, string>>
  /** Brings what a partial clone lacks of a commit, and of the last `history` states of a folder of it. */
  readonly complete: (
    access: RemoteAccess,
    commit: string,
    past: { readonly folder: string; readonly history: number },
  ) => Promise<void>
  readonly addTree: (repository: string, commit: string) => Promise<PublishTree>
  /** The id of a tree: of a commit's, or of a folder in it, or that of a file; undefined where there is none. */
  readonly treeOf: (repository: string, commit: string, folder: string) => Promise<string | undefined>
  /** Plans trees, in order; writes nothing. */
  readonly planTrees: (repository: string, changes: readonly TreeChange[]) => Promise<readonly PlannedTree[]>
  /** Makes commits, and writes their trees; their ids, in order. */
  readonly commit: (repository: string, commits: readonly NewCommit[]) => Promise<readonly string[]>
  /** Commits that lead to `to` and not to `from`, newest first, at most `limit`. */
  readonly commitsBetween: (
    repository: string,
    range: { readonly from: string | undefined; readonly to: string; readonly limit: number },
  ) => Promise<readonly BranchCommit[]>
  /** The same for several ends, in order. */
  readonly commitsOfBranches: (
    repository: string,
    range: { readonly from: string | undefined; readonly to: readonly string[]; readonly limit: number },
  ) => Promise<readonly (readonly BranchCommit[])[]>
  /**
   * The newest `limit` commits of the line that ends at `to`; `among` are patterns of paths, `*` a part of one name.
   */
  readonly branchLine: (
    repository: string,
    line: { readonly to: string; readonly limit: number; readonly among: readonly string[] },
  ) => Promise<BranchLine>
  /** The newest commit of the line that ends at `to` which changed something in a folder of it; undefined: none. */
  readonly lastChange: (repository: string, to: string, folder: string) => Promise<string | undefined>
  /** When a commit was made, RFC 3339 in UTC. */
  readonly dateOf: (repository: string, commit: string) => Promise<string>
  /** The newest commit that leads to both; undefined where none is known. */
  readonly mergeBase: (repository: string, a: string, b: string) => Promise<string | undefined>
  /** The trees that merges into a commit make; undefined where they conflict, or git is too old to tell. */
  readonly mergedTrees: (
    repository: string,
    into: string,
    commits: readonly string[],
  ) => Promise<readonly (string | undefined)[]>
  /** Moves branches, each for itself: what became of them, in order. */
  readonly push: (access: RemoteAccess, pushes: readonly BranchPush[]) => Promise<readonly PushResult[]>
  /** Forgets what this run has fetched under private refs. */
  readonly release: (repository: string) => Promise<void>
}
