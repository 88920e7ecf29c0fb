import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { ObjectName } from '../../model/object-name.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { ownerHint } from './owner-hint.ts'

/** Texts of files by path relative to some folder. */
export type Texts = ReadonlyMap<string, string>

/** Which tree counts as the one that the GitOps tool may have applied. */
export interface TreeRevision {
  /** `disk` for what asks whether the tree itself is right. */
  readonly from: 'commit' | 'disk'
  /** Revision of the commit; the last one by default. With `disk`: the tree that the one on disk is to replace. */
  readonly base?: string | undefined
  /**
   * Conditions of a cluster's step in the tree that nobody has reported yet, one sentence each: the step counts as
   * applied when there are none. Absent: as soon as it is committed.
   */
  readonly awaited?: ((cluster: AwaitedCluster) => Promise<readonly string[]>) | undefined
}

/** A cluster between two steps of an upgrade, as the tree has it. */
export interface AwaitedCluster extends ObjectName {
  readonly committed: CommittedCluster
  /** The names of its units, those of its own addons left out: a mistake in them never stops an upgrade. */
  readonly units: readonly string[]
}

/** The ports that read the tree. */
export type TreePorts = Pick<Ports, 'files' | 'git'>

/** True if a file is wanted, by its path relative to the folder that is read. */
export type IsWanted = (path: string) => boolean

/** A folder of the output. */
export interface OutputFolder {
  /** Absolute. */
  readonly output: string
  /** Relative to it; '' = all of it. */
  readonly folder: string
}

/**
 * Files of a commit, the last one without `base`; none where the folder is in no repository.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED
 */
export async function readCommit(
  { output, folder }: OutputFolder,
  isWanted: IsWanted,
  { base, ports }: { readonly base: string | undefined; readonly ports: TreePorts },
): Promise<Texts> {
  try {
    return textsOf(await ports.git.readCommitted(joinPath(output, folder), isWanted, base))
  } catch (error) {
    throw error instanceof GitError ? gitProblem(error, output) : error
  }
}

/** Files on disk; none where there is no such folder. */
export async function readDisk(
  { output, folder }: OutputFolder,
  isWanted: IsWanted,
  { files }: Pick<Ports, 'files'>,
): Promise<Texts> {
  const found = new Map<string, string>()
  const root = joinPath(output, folder)
  const walk = async (below: string): Promise<void> => {
    for (const { name, type } of await entriesOf(joinPath(root, below), files)) {
      const path = below === '' ? name : `${below}/${name}`
      if (type === 'directory') await walk(path)
      else if (type === 'file' && isWanted(path)) found.set(path, decodeUtf8(await files.read(joinPath(root, path))))
    }
  }
  await walk('')
  return found
}

/** The text of one file on disk. @throws FileError */
export async function readDiskFile(path: string, { files }: Pick<Ports, 'files'>): Promise<string> {
  return decodeUtf8(await files.read(path))
}

/** The error for a reader of the tree when git fails. */
export function gitProblem(error: GitError, output: string): StackmasonError {
  // what was asked for is wrong, and no file
  if (error.reason === 'no-such-ref' || error.reason === 'ambiguous')
    return new StackmasonError(
      { code: 'BASE_UNKNOWN', severity: 'error', message: error.message, hint: fullName(error) },
      { cause: error },
    )
  const about = { severity: 'error', file: output } as const
  const message = `the committed tree cannot be read: ${error.message}`
  return new StackmasonError({ code: 'GIT_FAILED', ...about, message, hint: hintOf(error) }, { cause: error })
}

function fullName({ reason, message }: GitError): string | undefined {
  return reason === 'ambiguous'
    ? `Give the full name of the one that is meant, such as ${message.slice(message.lastIndexOf(' ') + 1)}.`
    : undefined
}

function hintOf({ reason, message }: GitError): string {
  if (reason === 'not-installed') return 'Install git: the last commit tells which step of an upgrade is due.'
  if (reason === 'damaged')
    return 'Mend the repository (.git/HEAD holds `ref: refs/heads/<branch>`), or clone it anew. Without the last commit every cluster would count as new.'
  if (reason === 'embedded')
    return 'Take HEAD, objects and refs out of that folder, and look at who committed them: git would read them in place of the repository.'
  if (reason === 'no-branch')
    return 'Switch to the branch that holds the tree (`git switch <branch>`), or commit to this one first. Without the last commit every cluster would count as new.'
  // rendering lets git fetch nothing
  if (/\bpromisor remote\b/.test(message))
    return 'This is a partial clone, which lacks files of the commits. Bring them with `git fetch --refetch --no-filter`, or clone without `--filter`; in CI, check out without a filter.'
  const owner = ownerHint(message)
  if (owner !== undefined) return owner
  return 'Run `git status` there and mend what it says; the last commit tells which step of an upgrade is due.'
}

function textsOf(files: ReadonlyMap<string, Uint8Array>): Texts {
  // equal files of many clusters are one blob
  const known = new Map<Uint8Array, string>()
  return new Map(
    [...files].map(([path, bytes]) => {
      const text = known.get(bytes) ?? decodeUtf8(bytes)
      known.set(bytes, text)
      return [path, text]
    }),
  )
}

async function entriesOf(folder: string, files: Ports['files']): ReturnType<Ports['files']['entries']> {
  try {
    return await files.entries(folder)
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}
