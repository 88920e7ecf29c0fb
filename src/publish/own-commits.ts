import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { BranchCommit } from '../model/git-writer.ts'
import type { Crypto } from '../model/ports.ts'

/** The trailers of a commit that we make. */
export const trailers = {
  /** The commit that was rendered. */
  source: 'Stackmason-Source',
  /** The stackmason.yaml that was rendered, from the root of its repository. */
  fleet: 'Stackmason-Fleet',
  /** The digest of the lock that it was rendered with. */
  lock: 'Stackmason-Lock',
  /** The digest of its message without trailers, by which it is seen whether that was changed since. */
  message: 'Stackmason-Message',
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

/** The value of the trailer for the words of a message. White space and what UTF-8 cannot hold do not count. */
export function digestOfWords(words: string, crypto: Crypto): string {
  const plain = words.replace(/[\s\uD800-\uDFFF\uFFFD]+/g, ' ').trim()
  return crypto.sha256Hex(encodeUtf8(plain)).slice(0, 16)
}

/** True if we made the commit, and nobody has changed it or its message since; of that older ones say nothing. */
export function isOwnCommit({ message, tree }: Pick<BranchCommit, 'message' | 'tree'>, crypto: Crypto): boolean {
  if (trailerOf(message, trailers.tree) !== tree) return false
  const said = trailerOf(message, trailers.message)
  const words = message.trim().split(/\n\n+/).slice(0, -1).join('\n\n')
  return said === undefined || said === digestOfWords(words, crypto)
}

/** The newest commit that we did not make, or that somebody has changed. */
export function findForeign(commits: readonly BranchCommit[], crypto: Crypto): BranchCommit | undefined {
  return commits.find((commit) => !isOwnCommit(commit, crypto))
}

/** How many of the newest commits are ours, up to the first of somebody else. */
export function countOwn(commits: readonly BranchCommit[], crypto: Crypto): number {
  const at = commits.findIndex((commit) => !isOwnCommit(commit, crypto))
  return at === -1 ? commits.length : at
}
