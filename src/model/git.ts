import type { Secret } from './secret.ts'

/** A branch or tag of a remote. `name` is the full name, `refs/heads/main`; a tag's commit is the one it points at. */
export interface GitRef {
  readonly name: string
  readonly commit: string
}

/** A remote repository. */
export interface GitRemote {
  /** https, http, ssh, git or file URL, `user@host:path`, or an absolute path; without credentials. */
  readonly url: string
  /** Sent as an Authorization header to this host only; with it no redirect is followed. */
  readonly authorization?: Secret
  /** A file with certificates in PEM to trust for this remote instead of the built-in ones. */
  readonly certificateFile?: string
  /** Milliseconds for one operation. */
  readonly timeout: number
}

/** A file of a commit. */
export interface GitFile {
  /** Relative to the repository's root. */
  readonly path: string
  readonly mode: 'file' | 'executable' | 'link' | 'submodule'
  readonly size: number
  /** Id of the blob. */
  readonly object: string
}

/** The content of a file before a later commit of the first-parent line changed it. */
export interface EarlierFile {
  /** Id of the newest commit that has it so; `''` where nothing is known before. */
  readonly commit: string
  /** How many commits of the line come after that one. */
  readonly age: number
  /** Undefined: the file was not there. */
  readonly bytes: Uint8Array | undefined
  /** True: it is no commit of the line, but one that the last commit merged, without the change that it made. */
  readonly isDropped?: true
}

/** A commit of a line, and the one before it there: `''` where it is the first. */
export interface LineCommit {
  readonly commit: string
  readonly parent: string
}

/** A line that leaves the first-parent line at a merge, through another parent. */
export interface SideLine {
  /** How many commits come after that merge. */
  readonly turn: number
  /** Newest first, beginning with those that both lines have. */
  readonly commits: readonly LineCommit[]
}

/** A path that the index of a repository has, and its work tree lacks. */
export interface LeftOutPath {
  /** Absolute, links resolved. */
  readonly path: string
  /** A sparse checkout, or a flag of the index alone, leaves a file out; a submodule is not checked out. */
  readonly by: 'sparse' | 'flag' | 'submodule'
}

/** Which commits there are before the last one: in a shallow clone not all. */
export type GitHistory = 'whole' | 'shallow' | 'none'

/** The newest commits of the first-parent line of a revision. */
export interface HistoryLine {
  readonly revision: string
  readonly commits: number
}

/** Why git failed. */
export type GitErrorReason =
  | 'not-installed'
  | 'not-found'
  | 'not-permitted'
  | 'no-such-ref'
  /** A name that stands for several commits. */
  | 'ambiguous'
  | 'timeout'
  | 'unreachable'
  | 'tls'
  | 'too-large'
  /** The fetched objects cannot be written to the folder. */
  | 'not-kept'
  /** A `.git` that git itself does not take for one, or a branch without a commit. */
  | 'damaged'
  /** Files in a work tree that git takes for another repository. */
  | 'embedded'
  /** A branch that is not there, in a repository that has others. */
  | 'no-branch'
  /** Configuration of the repository would make git run a program. */
  | 'program'
  | 'other'

/** Thrown by {@link Git}; the message is git's own, without credentials. */
export class GitError extends Error {
  readonly reason: GitErrorReason

  constructor(reason: GitErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'GitError'
    this.reason = reason
  }
}

/** How far back, and among which files, a history is read. */
export interface HistoryBounds {
  readonly commits: number
  /**
   * Patterns of paths relative to the folder, where `*` is a part of one name: git tells of no other file. A commit may
   * change every file of a fleet. Default: all.
   */
  readonly among?: readonly string[]
  /**
   * True: where the last commit is a merge, also what its other parents have changed since they left the line, and the
   * merge did not take. A pull of a stale branch makes its own commits the line, and the branch that others follow on a
   * side.
   */
  readonly withDropped?: boolean
  /** The last commit, any revision that git understands. Default: that of the work tree. */
  readonly revision?: string
  /** The commits to walk instead of the first-parent line, as `sideLines` gives them. */
  readonly line?: readonly LineCommit[]
  /**
   * True: the files are of the tree of a fleet, so they are looked for where it lay. The git program does not know
   * that; who knows the fleet does (`followMoves`).
   */
  readonly followsTree?: boolean
}

/** The digits of a commit's id that people are given. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 12)
}

/** A merge that nobody has committed yet. */
export interface OpenMerge {
  /** The commits that are merged into the last one. */
  readonly others: readonly string[]
  /** The newest commit that all of them come from; undefined where they have none in common. */
  readonly ancestor: string | undefined
}

/**
 * The git program of this machine: asks nobody, runs no hook and no configured command of a fetched repository. Every
 * failure throws {@link GitError}.
 */
export interface Git {
  /** Branches, tags and HEAD of a remote. */
  readonly listRefs: (remote: GitRemote) => Promise<readonly GitRef[]>
  /**
   * Brings one commit (a ref's name or a commit id), without its history, into the bare repository at `folder`, making
   * that when needed; gives the commit id. Any number of processes may do so at once, and any of them may be killed;
   * what is damaged there is made anew; with `damaged`, the whole of it.
   */
  readonly fetch: (remote: GitRemote, ref: string, folder: string, kept?: 'sound' | 'damaged') => Promise<string>
  /**
   * True if the bare repository at `folder` has the commit with all its files. What this and the next three read there
   * is checked against its id, from the commit down.
   */
  readonly hasCommit: (folder: string, commit: string) => Promise<boolean>
  /** Every file of a commit below `path` ('' = all). */
  readonly listFiles: (folder: string, commit: string, path: string) => Promise<readonly GitFile[]>
  /** When a commit was made, RFC 3339 in UTC. */
  readonly dateOf: (folder: string, commit: string) => Promise<string>
  /** The content of blobs by their ids. */
  readonly readFiles: (folder: string, objects: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Files of the work tree's last commit below a folder (absolute), by their path relative to it, as far as `isWanted`
   * says; none when the folder is in no repository or not in the commit. With `revision` (any that git understands) of
   * that commit instead; then GitError `no-such-ref` when there is no such.
   */
  readonly readCommitted: (
    folder: string,
    isWanted: (path: string) => boolean,
    revision?: string,
  ) => Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Ids of the blobs of a commit below a folder (absolute), by path relative to it; otherwise as `readCommitted`. A
   * submodule is there with a `/` behind its path, and the id of its commit. With `within` those in these folders
   * alone, which are relative to it.
   */
  readonly listCommitted: (
    folder: string,
    revision?: string,
    within?: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>
  /** The content of blobs of the repository around a folder (absolute), by their ids. */
  readonly readBlobs: (folder: string, objects: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Reads the content that files below a folder (absolute) had before the last commit, newest first, as far as the last
   * `commits` commits changed them; by their path relative to the folder. None when it is in no repository.
   */
  readonly readEarlier: (
    folder: string,
    isWanted: (path: string) => boolean,
    bounds: HistoryBounds,
  ) => Promise<ReadonlyMap<string, readonly EarlierFile[]>>
  /**
   * The lines through other parents of merges on which files below a folder (absolute) were removed, as far as the
   * first-parent line does not show the same. A pull that is pushed makes what a branch was one of them.
   */
  readonly sideLines: (
    folder: string,
    isWanted: (path: string) => boolean,
    bounds: HistoryBounds,
  ) => Promise<readonly SideLine[]>
  /** True if a folder (absolute), or the nearest above it that is there, lies in a repository. */
  readonly isInRepository: (folder: string) => Promise<boolean>
  /**
   * True if a git directory (absolute) is that of the repository around a folder (absolute), or of another work tree of
   * it. False where the folder is in no repository.
   */
  readonly isDirectoryOf: (folder: string, directory: string) => Promise<boolean>
  /**
   * A text that is another one when any other answer about commits may be: the repository around a folder (absolute),
   * the commit of a revision (default: the last one), and what a shallow clone lacks.
   */
  readonly stateOf: (folder: string, revision?: string) => Promise<string>
  /** The merge that is under way in the repository around a folder (absolute); undefined where none is. */
  readonly merging: (folder: string) => Promise<OpenMerge | undefined>
  /**
   * The commits before the last one that exist: `none` outside of any repository, and before the first commit. With
   * `line` only the first-parent line of that commit counts, so many commits of it; GitError `no-such-ref` where it is
   * none.
   */
  readonly history: (folder: string, line?: HistoryLine) => Promise<GitHistory>
  /**
   * Paths below a folder (absolute) that are in no commit, relative to the folder: `ignored` by some .gitignore (a
   * folder that is ignored as a whole ends in `/`), or only never added, or noted for that (`git add -N`). None when it
   * is in no repository. `within`: only in these folders below it, and those around them.
   */
  readonly findUntracked: (
    folder: string,
    kind: 'ignored' | 'new',
    within?: readonly string[],
  ) => Promise<readonly string[]>
  /**
   * Paths below a folder (absolute) of files with LF in git and CRLF on disk, because git has converted them; relative
   * to the folder. What somebody has edited since is not among them, nor what lies at or below `except`, relative to
   * the folder. None when it is in no repository.
   */
  readonly listConverted: (folder: string, except: string) => Promise<readonly string[]>
  /**
   * Ids of blobs of files on disk below a folder (absolute) that are as the repository's index has them, as far as the
   * system's facts about them tell, by path relative to the folder. No file is read. None where there is no index, or
   * git does not read it. With `within` only those below these folders, which are relative to `folder`.
   */
  readonly listUnchanged: (folder: string, within?: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /**
   * Paths that git leaves out of the work tree, anywhere in the repository around a folder (absolute); none where the
   * folder is in no repository.
   */
  readonly listLeftOut: (folder: string) => Promise<readonly LeftOutPath[]>
  /**
   * Which of these files (by path relative to the folder, absolute) hold something that no commit of the repository
   * has. A file that a merge left with conflict markers counts as committed as far as each of its lines comes from one
   * of the sides. Line endings are passed over.
   */
  readonly findUncommitted: (folder: string, files: ReadonlyMap<string, Uint8Array>) => Promise<ReadonlySet<string>>
}
