import { createHash } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { GitWriteError, type PublishTree } from '../model/git-writer.ts'
import type { Process, ProcessIdentity } from '../model/ports.ts'
import type { RepositoryFacts } from './node-git-facts.ts'
import { decode, type WriterGit } from './node-git-run.ts'

const PREFIX = 'stackmason'

/** Milliseconds after which a run on another machine, or in another container, is over for sure. */
const STALE = 24 * 60 * 60 * 1000

/** Bytes of content that are in memory at once. */
const MAX_BATCH = 32 * 1024 * 1024

/** The names of our work trees: of those of the user we keep away. */
const TREE_NAME = /^stackmason-\d+-[^-]+-[0-9a-f]{12}-[0-9a-f]+-\w{6}$/

/** The name of everything that one run has in a repository: it says which process that is. */
export function runName(identity: ProcessIdentity, random: string): string {
  return [PREFIX, String(identity.process), identity.started ?? '0', placeOf(identity), random].join('-')
}

/** Where numbers of processes mean the same. */
function placeOf({ host, boot = '', namespace = '' }: ProcessIdentity): string {
  return createHash('sha256').update([host, boot, namespace].join('\0')).digest('hex').slice(0, 12)
}

/**
 * Adds a work tree of a commit in a new folder, where no program of anybody takes part: no hook and no filter runs, no
 * line ending and no encoding changes, links are made last, and submodules stay out.
 * @throws GitWriteError unsafe-path, clash
 */
export async function addPublishTree(
  git: WriterGit,
  {
    name,
    commit,
    facts,
    gitAt,
  }: {
    readonly name: string
    /** By its full id. */
    readonly commit: string
    readonly facts: RepositoryFacts
    readonly gitAt: (folder: string) => WriterGit
  },
): Promise<PublishTree> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-publish-')))
  // git calls it by the last part, of which each must be unlike the others
  const folder = join(parent, `${name}-${basename(parent).slice(-6)}`)
  const worktrees = join(facts.commonFolder, 'worktrees')
  const remove = async (): Promise<void> => {
    await rm(parent, { recursive: true, force: true, maxRetries: 3 })
    await removeEntry(worktrees, basename(folder))
  }
  try {
    await register(git, { folder, worktrees, commit, facts })
    const inTree = gitAt(folder)
    await fill(folder, inTree)
    await inTree(['read-tree', 'HEAD'])
    return { folder: folder.replaceAll('\\', '/'), commit, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * Makes a folder a work tree as `git worktree add` does, but so that git sees none before all of it is there: where that is
 * killed it leaves one whose HEAD is no commit, and with it every fetch of the user fails.
 */
async function register(
  git: WriterGit,
  {
    folder,
    worktrees,
    commit,
    facts: { config },
  }: {
    readonly folder: string
    readonly worktrees: string
    readonly commit: string
    readonly facts: RepositoryFacts
  },
): Promise<void> {
  // where HEAD is no file, only git can write it
  if (config.some(([key]) => key === 'extensions.refstorage')) {
    await git(['worktree', 'add', '--quiet', '--detach', '--no-checkout', '--', folder, commit])
    return
  }
  const own = join(worktrees, basename(folder))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '.git'), `gitdir: ${own.replaceAll('\\', '/')}\n`)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'HEAD'), `${commit}\n`)
  await writeFile(join(own, 'commondir'), '../..\n')
  // by this file git knows that there is one
  await writeFile(join(own, 'gitdir'), `${join(folder, '.git').replaceAll('\\', '/')}\n`)
}

/** Takes a work tree out of those that git knows, whatever is there of it: git keeps one that was not finished. */
async function removeEntry(worktrees: string, name: string): Promise<void> {
  await rm(join(worktrees, name), { recursive: true, force: true, maxRetries: 3 })
  // as git does with the last one; there are others, or never was one
  await rmdir(worktrees).catch(() => undefined)
}

interface TreeEntry {
  readonly mode: string
  readonly object: string
  readonly size: number
  /** Bytes: a name need not be text. */
  readonly path: Buffer
}

async function fill(folder: string, git: WriterGit): Promise<void> {
  const entries = parseEntries((await git(['ls-tree', '-r', '-l', '-z', '--full-tree', 'HEAD'])).out)
  const files = entries.filter(({ mode }) => mode !== '120000' && mode !== '160000')
  const links = entries.filter(({ mode }) => mode === '120000')
  for (const { path } of entries) checkTreePath(path)
  const made = new Set<string>()
  for (const batch of batches([...files, ...links])) {
    const input = `${batch.map(({ object }) => object).join('\n')}\n`
    const blobs = contents((await git(['cat-file', '--batch'], { input })).out, batch.length)
    for (const [index, entry] of batch.entries()) await place(folder, entry, blobs[index] ?? Buffer.alloc(0), made)
  }
}

function parseEntries(bytes: Uint8Array): readonly TreeEntry[] {
  const printed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries: TreeEntry[] = []
  for (let at = 0, end = printed.indexOf(0); end !== -1; at = end + 1, end = printed.indexOf(0, at)) {
    const tab = printed.indexOf(0x09, at)
    const [mode = '', , object = '', size = ''] = printed.toString('latin1', at, tab).split(/ +/)
    entries.push({ mode, object, size: size === '-' ? 0 : Number(size), path: printed.subarray(tab + 1, end) })
  }
  return entries
}

/** The characters that some file systems do not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * A tree that was made by hand may name what lies outside of it, or the repository's own files.
 * @throws GitWriteError unsafe-path
 */
export function checkTreePath(path: Buffer): void {
  const text = path.toString('utf8')
  const isUnsafe = text.split(process.platform === 'win32' ? /[/\\]/ : '/').some((part) => {
    const seen = part.replace(UNSEEN, '').toLowerCase()
    return seen === '' || seen === '..' || seen === '.' || /^\.git[ .]*$/.test(seen) || seen === 'git~1'
  })
  if (isUnsafe)
    throw new GitWriteError('unsafe-path', `the commit has a file that no checkout may write: ${shown(path)}`)
}

function* batches(entries: readonly TreeEntry[]): Iterable<readonly TreeEntry[]> {
  let batch: TreeEntry[] = []
  let size = 0
  for (const entry of entries) {
    batch.push(entry)
    size += entry.size
    if (size < MAX_BATCH) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** `<id> blob <size>`, a line end, the content, a line end; for each. */
function contents(bytes: Uint8Array, count: number): readonly Buffer[] {
  const printed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Buffer[] = []
  for (let at = 0; found.length < count;) {
    const end = printed.indexOf(0x0a, at)
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(printed.toString('latin1', at, end))?.[1]
    if (end === -1 || size === undefined) throw new Error('git cat-file printed something else')
    const content = printed.subarray(end + 1, end + 1 + Number(size))
    if (content.length < Number(size)) throw new Error('git cat-file printed less than it said')
    found.push(content)
    at = end + 2 + Number(size)
  }
  return found
}

async function place(folder: string, entry: TreeEntry, content: Buffer, made: Set<string>): Promise<void> {
  const path = Buffer.concat([Buffer.from(`${folder}/`), entry.path])
  const parent = path.subarray(0, path.lastIndexOf(0x2f))
  try {
    if (!made.has(parent.toString('latin1'))) await mkdir(parent, { recursive: true })
    made.add(parent.toString('latin1'))
    if (entry.mode === '120000') {
      await symlink(content, path)
      return
    }
    const file = await open(path, 'wx', entry.mode === '100755' ? 0o755 : 0o644)
    try {
      await file.writeFile(content)
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw new GitWriteError('clash', `the commit has two files that have one place here: ${shown(entry.path)}`, {
      cause: error,
    })
  }
}

function shown(path: Buffer): string {
  return JSON.stringify(path.toString('utf8').slice(0, 200))
}

/** Removes the work trees and refs of runs that have ended, however they did. */
export async function clearLeftovers(
  git: WriterGit,
  { commonFolder }: RepositoryFacts,
  process: Process,
): Promise<void> {
  const worktrees = join(commonFolder, 'worktrees')
  const own = placeOf(process.identity())
  const isOver = async (name: string): Promise<boolean> => {
    const [, id = '', started = '', place = ''] = name.split('-')
    if (place === own) {
      const holder = { ...process.identity(), process: Number(id), started }
      return (await process.stateOf(holder, '')) === 'ended'
    }
    const found = await stat(join(worktrees, name)).catch(() => undefined)
    return found === undefined || Date.now() - found.mtimeMs > STALE
  }
  for (const name of (await readdir(worktrees).catch(() => [])).filter((one) => TREE_NAME.test(one))) {
    const file = await readFile(join(worktrees, name, 'gitdir'), 'utf8').catch(() => '')
    const parent = dirname(dirname(file.trim()))
    if (file.trim() !== '' && !isParent(parent)) continue
    if (!(await isOver(name))) continue
    if (isParent(parent)) await rm(parent, { recursive: true, force: true, maxRetries: 3 })
    await removeEntry(worktrees, name)
  }
  const refs = decode((await git(['for-each-ref', '--format=%(refname)', 'refs/stackmason/'])).out)
  const names = new Set(
    Array.from(refs.matchAll(/^refs\/stackmason\/(stackmason-[^/\n]+)\//gm), ([, name = '']) => name),
  )
  for (const name of names) {
    if (!(await isOver(name))) continue
    // what git held when it was killed nobody else holds, and git waits for it in vain
    const folder = join(dirname(worktrees), 'refs/stackmason', name)
    const held = await readdir(folder, { recursive: true }).catch(() => [])
    for (const file of held) if (file.endsWith('.lock')) await rm(join(folder, file), { force: true })
    await removeRefs(git, `refs/stackmason/${name}/`)
  }
}

function isParent(folder: string): boolean {
  return basename(folder).startsWith('stackmason-publish-')
}

/** Deletes refs by the beginning of their names. */
export async function removeRefs(git: WriterGit, prefix: string): Promise<void> {
  const { out } = await git(['for-each-ref', '--format=delete %(refname)', prefix])
  if (out.length > 0) await git(['update-ref', '--stdin'], { input: decode(out) })
}
