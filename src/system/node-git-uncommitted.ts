import { createHash } from 'node:crypto'
import { GitError } from '../model/git.ts'

/** Runs git in one work tree. */
export interface WorkTreeGit {
  /** The output of git, as text. */
  readonly print: (args: readonly string[], input?: string) => Promise<string>
  /** Blobs by their ids. */
  readonly blobs: (ids: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
}

type Files = ReadonlyMap<string, Uint8Array>

/** More paths than this on one command line and the whole folder is asked about. */
const MAX_PATHS = 500

const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/

/**
 * The files of which no commit has the content, whatever their paths were then: first the last commit is asked, which
 * nearly always has it, then the history of the paths, then the sides of a merge that is going on. Paths are relative
 * to the folder that git runs in.
 * @throws GitError when there is no repository, or git fails
 */
export async function findUncommitted(files: Files, git: WorkTreeGit): Promise<ReadonlySet<string>> {
  const inHead = await idsOf(() => listIfThere('HEAD', git))
  const left = without(files, inHead)
  if (left.size === 0) return new Set()
  const paths = left.size > MAX_PATHS ? ['./'] : [...left.keys()]
  const log = [
    'log',
    '--all',
    '--full-history',
    '--root',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '-m',
    '-z',
    '--format=',
    '--no-show-signature',
  ]
  const unknown = without(left, await idsOf(() => git.print(['--literal-pathspecs', ...log, '--', ...paths])))
  if (unknown.size === 0) return new Set()
  const sides = await readSides(unknown, git)
  return new Set([...unknown].filter(([path, bytes]) => !isMadeOf(bytes, sides.get(path) ?? [])).map(([path]) => path))
}

async function idsOf(print: () => Promise<string>): Promise<ReadonlySet<string>> {
  const printed = await orNothing(print)
  return new Set(Array.from(printed.matchAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g), ([id]) => id))
}

/** The output of git; '' if there is no such commit (yet). */
async function orNothing(print: () => Promise<string>): Promise<string> {
  try {
    return await print()
  } catch (error) {
    if (error instanceof GitError && /Not a valid object name|unknown revision/i.test(error.message)) return ''
    throw error
  }
}

/** Those names that stand for something. */
async function existing(names: readonly string[], git: WorkTreeGit): Promise<readonly string[]> {
  const found = (await git.print(['cat-file', '--batch-check'], `${names.join('\n')}\n`)).split('\n')
  return names.filter((_, index) => / commit \d+$/.test(found[index] ?? ''))
}

function listIfThere(commit: string, git: WorkTreeGit): Promise<string> {
  return orNothing(() => git.print(['ls-tree', '-r', '-z', commit, '--', './']))
}

function without(files: Files, ids: ReadonlySet<string>): Files {
  return new Map([...files].filter(([, bytes]) => !idsFor(bytes).some((id) => ids.has(id))))
}

/**
 * The ids that the content may have: in either kind of repository, with the line endings of the work tree or those that
 * git keeps.
 */
function idsFor(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes).toString('latin1')
  const unix = Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')
  return ['sha1', 'sha256'].flatMap((algorithm) =>
    [bytes, unix].map((content) =>
      createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex'),
    ),
  )
}

/** The names of the other side while a merge, cherry-pick, rebase or revert is in progress. */
const OTHER_SIDES = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REBASE_HEAD', 'REVERT_HEAD^'] as const

/**
 * The blobs of each of these files on the sides of a merge that goes on, by path. The index tells of files in conflict;
 * the two commits tell of those that git merged by itself, or that are resolved already.
 */
async function readSides(files: Files, git: WorkTreeGit): Promise<ReadonlyMap<string, readonly Uint8Array[]>> {
  const conflicts = await git.print(['ls-files', '--unmerged', '-z', '--', './'])
  const others = await existing(OTHER_SIDES, git)
  const commits = others.length > 0 ? [...others, 'HEAD'] : []
  const printed = [conflicts, ...(await Promise.all(commits.map((commit) => listIfThere(commit, git))))].join('')
  const entries = [...printed.matchAll(/[0-7]+ (?:blob )?([0-9a-f]+)(?: [123])?\t([^\0]+)\0/g)]
    .map(([, id = '', path = '']) => ({ id, path }))
    .filter(({ path }) => files.has(path))
  if (entries.length === 0) return new Map()
  const blobs = await git.blobs([...new Set(entries.map(({ id }) => id))])
  const sides = new Map<string, Uint8Array[]>()
  for (const { id, path } of entries) {
    const blob = blobs.get(id)
    if (blob !== undefined) sides.set(path, [...(sides.get(path) ?? []), blob])
  }
  return sides
}

function isMadeOf(bytes: Uint8Array, sides: readonly Uint8Array[]): boolean {
  const known = new Set(sides.flatMap(linesOf))
  return sides.length > 0 && linesOf(bytes).every((line) => known.has(line) || MARKER.test(line))
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes).toString('latin1').split(/\r?\n/)
}
