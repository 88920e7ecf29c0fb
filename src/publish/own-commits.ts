import type { BranchCommit } from '../model/git-writer.ts'

/** The trailers of a commit that we make. */
export const trailers = {
  /** The commit that was rendered. */
  source: 'Stackmason-Source',
  /** The stackmason.yaml that was rendered, from the root of its repository. */
  fleet: 'Stackmason-Fleet',
  /** The digest of the lock that it was rendered with. */
  lock: 'Stackmason-Lock',
  /** The commit's own tree, by which it is seen whether it was changed since. */
  tree: 'Stackmason-Tree',
} as const

/** Commits of ours that may follow each other on somebody's branch: more go round in circles. */
export const MAX_OWN_COMMITS = 3

/** The value of a trailer; undefined when the message has none, or several. */
export function trailerOf(message: string, name: string): string | undefined {
  const last = message.trim().split(/\n\n+/).at(-1) ?? ''
  const values = last
    .split('\n')
    .flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2).trim()] : []))
  return values.length === 1 ? values[0] : undefined
}

/** The path of a stackmason.yaml as its trailer has it. */
export function fleetTrailer(file: string): string {
  return file.replace(/[\0-\x1f\x7f-\x9f]/g, '?').trim()
}

/** True if we made the commit, and nobody has changed it since. */
export function isOwnCommit({ message, tree }: Pick<BranchCommit, 'message' | 'tree'>): boolean {
  return trailerOf(message, trailers.tree) === tree
}

/** The newest commit that we did not make, or that somebody has changed. */
export function findForeign(commits: readonly BranchCommit[]): BranchCommit | undefined {
  return commits.find((commit) => !isOwnCommit(commit))
}

/** How many of the newest commits are ours, up to the first of somebody else. */
export function countOwn(commits: readonly BranchCommit[]): number {
  const at = commits.findIndex((commit) => !isOwnCommit(commit))
  return at === -1 ? commits.length : at
}
