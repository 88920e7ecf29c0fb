import { realpath, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import {
  type EarlierFile,
  GitError,
  type Git,
  type GitFile,
  type GitRef,
  type GitRemote,
  type HistoryBounds,
  type SideLine,
} from '../model/git.ts'
import { refuseAmbiguous } from './node-git-ambiguous.ts'
import { findUncommitted } from './node-git-uncommitted.ts'
import { findConverted, lineEndsArgs, MODIFIED_ARGS } from './node-git-converted.ts'
import { findSideLines, readHistory } from './node-git-history.ts'
import { findLeftOut, LEFT_OUT_ARGS, mayLeaveOut } from './node-git-left-out.ts'
import { FILTERED_ARGS, findUnchanged, INDEX_ARGS, indexWritten, withoutFiltered } from './node-git-index.ts'
import { GitListing } from './node-git-listing.ts'
import { GitMemory } from './node-git-memory.ts'
import { createRunGit, decode, type GitCall, NO_REPOSITORY, withDeadline } from './node-git-run.ts'
import {
  checkUnborn,
  findRepository,
  gitDirectory,
  headCommit,
  historyMark,
  isSameRepository,
  mergeHeads,
  repositoryState,
} from './node-git-repository.ts'
import { fetchIntoStore, oddPathIn, sizeOf } from './node-git-store.ts'
import { type GitObject, verified, verifiedFiles } from './node-git-verify.ts'

/** The bounds of {@link createNodeGit}. */
export interface NodeGitOptions {
  /** The most that one fetch may write to the disk, bytes. */
  readonly maxFetchBytes?: number
}

/** More folders than this on one command line and git is asked about all. */
const MAX_FOLDERS = 500
/** Lists what `git add -N` has noted: the index names it, and a commit leaves it out. */
const INTENDED_ARGS = ['diff-files', '--name-only', '--diff-filter=A', '-z', '--relative', '--ignore-submodules=all']
const MAX_FETCH = 4 * 1024 * 1024 * 1024
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * {@link Git} through the git program on PATH, run by simple-git, which is loaded at first use. Credential helpers, ssh
 * and rewritten URLs of the user's own configuration work; see {@link gitEnvironment} for what is switched off.
 */
export function createNodeGit({ maxFetchBytes = MAX_FETCH }: NodeGitOptions = {}): Git {
  const memory = new GitMemory()
  const run = createRunGit()
  const git = async (call: GitCall): Promise<Uint8Array> => (await run(call)).out
  const inStore = async (call: GitCall): Promise<Uint8Array> => {
    const odd = await oddPathIn(call.repository)
    if (odd !== undefined) throw new GitError('other', `${odd} is no plain file`)
    return git(call)
  }
  const hasCommit = async (folder: string, commit: string): Promise<boolean> => {
    try {
      await listTree(inStore, folder, commit)
      return true
    } catch (error) {
      if (error instanceof GitError && (error.reason === 'other' || error.reason === 'not-found')) return false
      throw error
    }
  }
  return {
    listRefs: async (remote) => {
      checkUrl(remote.url)
      const args = ['ls-remote', '--quiet', '--', remote.url]
      const bytes = await withDeadline(remote.timeout, (signal) =>
        git({ args, repository: NO_REPOSITORY, remote, signal }),
      )
      return parseRefs(decode(bytes))
    },
    fetch: async (remote, ref, folder, kept = 'sound') => {
      checkUrl(remote.url)
      checkRef(ref)
      const fetch = (scratch: string): Promise<string> =>
        withDeadline(remote.timeout, (signal, abort) => {
          const call = (args: readonly string[]): Promise<Uint8Array> =>
            git({ args, repository: scratch, remote, signal })
          return withSizeLimit({ scratch, maxFetchBytes, abort }, () => fetchCommit({ call, scratch, remote, ref }))
        })
      return fetchIntoStore({ folder, fetch, hasCommit, isDamaged: kept === 'damaged' })
    },
    hasCommit,
    listFiles: async (folder, commit, path) => {
      const files = await listTree(inStore, folder, commit)
      return path === '' ? files : files.filter((file) => file.path === path || file.path.startsWith(`${path}/`))
    },
    dateOf: async (folder, commit) => {
      checkObject(commit)
      const found = verified(await readObjects(inStore, folder, [commit])).get(commit)
      if (found?.type !== 'commit') throw new GitError('other', `the object ${commit} is no commit`)
      const printed = decode(found.bytes)
      const seconds = Number(/^committer .*> (\d{1,11}) [-+]\d{4}$/m.exec(printed)?.[1])
      if (Number.isNaN(seconds)) throw new GitError('other', `the commit ${commit} has no date`)
      return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
    },
    readFiles: async (folder, objects) => {
      const wanted = [...new Set(objects)]
      wanted.forEach(checkObject)
      if (wanted.length === 0) return new Map()
      return blobsOf(verified(await readObjects(inStore, folder, wanted)))
    },
    readCommitted: (folder, isWanted, revision) => readCommitted({ git, memory }, folder, { isWanted, revision }),
    listCommitted: async (folder, revision, within) => {
      const { files } = await listCommitted({ git, memory }, folder, { revision, within })
      const objects = new Map<string, string>()
      // most files of a tree are the same in many clusters
      const ids = new Map<string, string>()
      for (const [index, path] of files.paths.entries()) {
        const id = files.objectAt(index)
        const known = ids.get(id)
        if (known === undefined) ids.set(id, id)
        objects.set(path, known ?? id)
      }
      return objects
    },
    readBlobs: async (folder, objects) => {
      objects.forEach(checkObject)
      const cwd = await nearestFolder(folder)
      findRepository(cwd)
      return objects.length === 0 ? new Map() : readBlobs({ git, memory }, objects, cwd)
    },
    readEarlier: (folder, isWanted, bounds) => readEarlier({ git, memory }, folder, { isWanted, ...bounds }),
    sideLines: (folder, isWanted, bounds) => sideLines({ git, memory }, folder, { isWanted, ...bounds }),
    stateOf: async (folder, revision = 'HEAD') => {
      const cwd = await nearestFolder(folder)
      const root = findRepository(cwd)
      if (root === undefined) return ''
      const known = revision === 'HEAD' ? headCommit(root) : undefined
      return JSON.stringify([
        repositoryState(root),
        known ?? (await commitOf({ git, memory }, revision, { cwd, root })),
      ])
    },
    isInRepository: async (folder) => findRepository(await nearestFolder(folder)) !== undefined,
    isDirectoryOf: async (folder, directory) => {
      const root = findRepository(await nearestFolder(folder))
      return root !== undefined && isSameRepository(gitDirectory(root), directory)
    },
    merging: async (folder) => {
      const root = findRepository(await nearestFolder(folder))
      const others = root === undefined ? [] : mergeHeads(root)
      if (root === undefined || others.length === 0) return undefined
      const args = ['merge-base', '--octopus', 'HEAD', ...others]
      const { out } = await run({ args, repository: 'discover', cwd: root, accepts: [1] })
      const ancestor = decode(out).trim()
      return { others, ancestor: ancestor === '' ? undefined : ancestor }
    },
    history: async (folder, line) => {
      const cwd = await nearestFolder(folder)
      const root = findRepository(cwd)
      if (root === undefined) return 'none'
      const print = printIn(git, cwd)
      if (root !== undefined && historyMark(root) !== undefined) return 'whole'
      try {
        if ((await print(['rev-parse', '--is-shallow-repository'])).trim() === 'false') return 'whole'
        if (line === undefined) return 'shallow'
        const last = await resolveRevision({ git, memory }, line.revision, { cwd, root })
        return (await isCut(print, last, line.commits)) ? 'shallow' : 'whole'
      } catch (error) {
        if (hasNothing(error, { cwd, words: NO_HISTORY })) return 'none'
        throw error
      }
    },
    findUntracked: async (folder, kind, within) => {
      const cwd = await nearestFolder(folder)
      if (cwd !== folder || findRepository(cwd) === undefined) return []
      const places = within !== undefined && within.length <= MAX_FOLDERS ? ['--', ...within] : []
      const list = async (args: readonly string[]): Promise<readonly string[]> =>
        decode(await git({ args: ['--literal-pathspecs', ...args, ...places], repository: 'discover', cwd })).split(
          '\0',
        )
      const others = ['ls-files', '-z', '--others', '--exclude-standard']
      const found =
        kind === 'ignored' ? [list([...others, '--ignored', '--directory'])] : [list(others), list(INTENDED_ARGS)]
      const paths = (await Promise.all(found)).flat()
      return paths.filter((path) => path !== '' && (within === undefined || within.some((one) => meets(path, one))))
    },
    listLeftOut: async (folder) => {
      const root = findRepository(await nearestFolder(folder))
      const directory = root === undefined ? '' : gitDirectory(root)
      if (root === undefined || !mayLeaveOut(root, directory)) return []
      const printed = decode(await git({ args: LEFT_OUT_ARGS, repository: 'discover', cwd: root }))
      return findLeftOut(printed, { root, directory })
    },
    listConverted: async (folder, except) => {
      const cwd = await nearestFolder(folder)
      if (cwd !== folder || findRepository(cwd) === undefined) return []
      const print = async (args: readonly string[]): Promise<string> =>
        decode(await git({ args, repository: 'discover', cwd }))
      const converted = findConverted(await print(lineEndsArgs(except)))
      if (converted.length === 0) return []
      const edited = new Set((await print(MODIFIED_ARGS)).split('\0'))
      return converted.filter((path) => !edited.has(path))
    },
    listUnchanged: async (folder, within) => {
      try {
        const cwd = await nearestFolder(folder)
        const root = cwd === folder ? findRepository(cwd) : undefined
        const written = root === undefined ? undefined : indexWritten(gitDirectory(root))
        if (written === undefined) return new Map()
        const places = within?.map((path) => `:(literal)${path}`) ?? []
        const ask = (args: readonly string[]): Promise<Uint8Array> => git({ args, repository: 'discover', cwd })
        const found = findUnchanged(await ask([...INDEX_ARGS, '--', ...places]), { folder, written })
        // in a clone that was just made, as CI has one, or a tree that was just written, no file is believed
        if (found.size === 0) return found
        return withoutFiltered(found, await ask([...FILTERED_ARGS, ...places]))
      } catch (error) {
        // whatever needs git says so
        if (error instanceof GitError) return new Map()
        throw error
      }
    },
    findUncommitted: async (folder, files) => {
      const cwd = await nearestFolder(folder)
      findRepository(cwd)
      const print = (args: readonly string[], input = ''): Promise<Uint8Array> =>
        git({ args, repository: 'discover', cwd, input })
      return findUncommitted(files, {
        print: async (args, input) => decode(await print(args, input)),
        blobs: async (ids) => parseBlobs(await print(['cat-file', '--batch'], `${ids.join('\n')}\n`), ids),
      })
    },
  }
}

/** True if a path, a folder with `/` at its end, is in another folder, or around it. */
function meets(path: string, folder: string): boolean {
  return path === './' || path.startsWith(`${folder}/`) || (path.endsWith('/') && `${folder}/`.startsWith(path))
}

/** The id of a revision's commit; `''` where git knows none, or several. */
async function commitOf(
  { git, memory }: CommitAccess,
  revision: string,
  { cwd, root }: { readonly cwd: string; readonly root: string },
): Promise<string> {
  if (memory.commits.has(`${root}\0${revision}`)) return revision
  try {
    return await askCommit({ git, memory }, revision, { cwd, root })
  } catch (error) {
    if (error instanceof GitError) return ''
    throw error
  }
}

/** True if a shallow clone has fewer commits of a commit's first-parent line than that, and the line goes on. */
async function isCut(
  print: (args: readonly string[]) => Promise<string>,
  commit: string,
  commits: number,
): Promise<boolean> {
  const line = (await print(['rev-list', '--first-parent', `--max-count=${commits}`, commit])).trim().split('\n')
  if (line.length >= commits) return false
  // of the oldest one git hides the parents that the clone lacks, but its object names them
  const [head = ''] = (await print(['cat-file', 'commit', line.at(-1) ?? commit])).split('\n\n', 1)
  return /^parent /m.test(head)
}

/** Runs git in the repository around `cwd`, and gives what it prints as text. */
function printIn(git: PrintGit, cwd: string): (args: readonly string[], input?: string) => Promise<string> {
  return async (args, input) => decode(await git({ args, repository: 'discover', cwd, input }))
}

interface SizeLimit {
  readonly scratch: string
  readonly maxFetchBytes: number
  readonly abort: (reason: GitError) => void
}

/** git has no limit on what it fetches, so the folder is looked at while it does. */
async function withSizeLimit<Result>(
  { scratch, maxFetchBytes, abort }: SizeLimit,
  run: () => Promise<Result>,
): Promise<Result> {
  const problem = new GitError('too-large', `the commit has more than ${maxFetchBytes} bytes`)
  const timer = setInterval(() => {
    void sizeOf(scratch).then((size) => {
      if (size > maxFetchBytes) abort(problem)
    })
  }, 500)
  try {
    const result = await run()
    if ((await sizeOf(scratch)) > maxFetchBytes) throw problem
    return result
  } finally {
    clearInterval(timer)
  }
}

interface Fetch {
  readonly call: (args: readonly string[]) => Promise<Uint8Array>
  readonly scratch: string
  readonly remote: GitRemote
  readonly ref: string
}

async function fetchCommit(fetch: Fetch): Promise<string> {
  const isLong = fetch.ref.length === 64 && COMMIT.test(fetch.ref)
  if (isLong) return fetchWithFormat(fetch, 'sha256')
  try {
    return await fetchWithFormat(fetch, 'sha1')
  } catch (error) {
    if (!(error instanceof GitError) || !error.message.includes('mismatched algorithms')) throw error
    await rm(fetch.scratch, { recursive: true, force: true })
    return fetchWithFormat(fetch, 'sha256')
  }
}

async function fetchWithFormat({ call, remote, ref }: Fetch, format: 'sha1' | 'sha256'): Promise<string> {
  await call(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`])
  const options = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance']
  try {
    await call([...options, '--depth=1', '--', remote.url, ref])
    return decode(await call(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).trim()
  } catch (error) {
    if (!COMMIT.test(ref) || !(error instanceof GitError) || error.reason !== 'no-such-ref') throw error
  }
  // Servers may refuse a commit that no ref points at, so all that refs lead to is fetched.
  await call([...options, '--', remote.url, '+refs/heads/*:refs/fetched/heads/*', '+refs/tags/*:refs/fetched/tags/*'])
  try {
    return decode(await call(['rev-parse', '--verify', `${ref}^{commit}`])).trim()
  } catch (cause) {
    throw new GitError('no-such-ref', `no branch and no tag leads to the commit ${ref}`, { cause })
  }
}

type PrintGit = (call: GitCall) => Promise<Uint8Array>

/** Sizes make git look at every object, so this fails unless all are there. */
async function listTree(git: PrintGit, folder: string, commit: string): Promise<readonly GitFile[]> {
  checkObject(commit)
  const args = ['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', commit]
  const trees = new Set<string>()
  const sizes = new Map<string, number>()
  for (const line of decode(await git({ args, repository: folder })).split('\0')) {
    if (line === '') continue
    const [, type, object = '', size] = /^\d+ (\w+) ([0-9a-f]+) +(\d+|-)\t/.exec(line) ?? []
    if (size === undefined) throw new GitError('other', `git ls-tree printed ${JSON.stringify(line.slice(0, 100))}`)
    if (type === 'tree') trees.add(object)
    if (type === 'blob') sizes.set(object, Number(size))
  }
  return verifiedFiles({ commit, trees, sizes }, (ids) => readObjects(git, folder, ids))
}

async function readObjects(
  git: PrintGit,
  folder: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, GitObject>> {
  const input = `${ids.join('\n')}\n`
  return parseObjects(await git({ args: ['cat-file', '--batch'], repository: folder, input }), ids)
}

/** A tag that has an object of its own is followed by a line with `^{}` and what it points at. */
function parseRefs(printed: string): readonly GitRef[] {
  const refs = new Map<string, string>()
  for (const line of printed.split('\n')) {
    const [, commit, name] = /^([0-9a-f]{40}|[0-9a-f]{64})\t(HEAD|refs\/.+?)(?:\^\{\})?$/.exec(line) ?? []
    if (commit !== undefined && name !== undefined) refs.set(name, commit)
  }
  return [...refs].map(([name, commit]) => ({ name, commit }))
}

/** The content of blobs; what is another object cannot be read. */
function parseBlobs(bytes: Uint8Array, wanted: readonly string[]): ReadonlyMap<string, Uint8Array> {
  return blobsOf(parseObjects(bytes, wanted))
}

function blobsOf(objects: ReadonlyMap<string, GitObject>): ReadonlyMap<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>()
  for (const [id, { type, bytes }] of objects) {
    if (type !== 'blob') throw new GitError('other', `the object ${id} cannot be read: it is a ${type}`)
    blobs.set(id, bytes)
  }
  return blobs
}

/** `<id> <type> <size>`, a line end, the content, a line end; for each. */
function parseObjects(bytes: Uint8Array, wanted: readonly string[]): ReadonlyMap<string, GitObject> {
  const objects = new Map<string, GitObject>()
  let at = 0
  for (const object of wanted) {
    const end = bytes.indexOf(0x0a, at)
    const header = decode(bytes.subarray(at, end === -1 ? undefined : end))
    const [, type, size] = /^[0-9a-f]+ (blob|tree|commit|tag) (\d+)$/.exec(header) ?? []
    if (type === undefined) throw new GitError('other', `the object ${object} cannot be read: ${header.slice(0, 100)}`)
    at = end + 1 + Number(size) + 1
    if (at > bytes.length) throw new GitError('other', `the object ${object} is cut off`)
    objects.set(object, { type, bytes: bytes.slice(end + 1, at - 1) })
  }
  return objects
}

/** git's words for a path that is in no repository or no commit. */
const NOT_COMMITTED =
  /not a git repository|invalid object name 'HEAD'|does not exist in 'HEAD'|not in 'HEAD'|Not a valid object name|outside (?:of )?(?:the )?work(?:ing)? ?tree/i

/** The same, and for a repository without a commit. */
const NO_HISTORY = new RegExp(`${NOT_COMMITTED.source}|unknown revision|bad revision|ambiguous argument 'HEAD'`, 'i')

/**
 * True if git failed because nothing is committed.
 * @throws GitError damaged when something is, and git does not reach it
 */
function hasNothing(error: unknown, { cwd, words }: { readonly cwd: string; readonly words: RegExp }): boolean {
  if (!(error instanceof GitError) || !words.test(error.message)) return false
  const root = findRepository(cwd)
  if (root === undefined) return true
  if (error.reason === 'not-found' && /not a git repository/i.test(error.message))
    throw new GitError('damaged', `git does not read the repository in ${root}: ${error.message}`, { cause: error })
  checkUnborn(root)
  return true
}

interface Wanted {
  readonly isWanted: (path: string) => boolean
  readonly revision: string | undefined
}

/** How commits are read: {@link GitMemory} is asked before git. */
interface CommitAccess {
  readonly git: PrintGit
  readonly memory: GitMemory
}

/** A few runs of git, however many files; a folder that is gone from the work tree can still be in the commit. */
async function readCommitted(
  access: CommitAccess,
  folder: string,
  { isWanted, revision }: Wanted,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { files, cwd } = await listCommitted(access, folder, { revision })
  const found = new Map<string, string>()
  for (const [index, path] of files.paths.entries())
    if (!path.endsWith('/') && isWanted(path)) found.set(path, files.objectAt(index))
  const blobs = await readBlobs(access, [...found.values()], cwd)
  return new Map(Array.from(found, ([path, object]) => [path, blobs.get(object) ?? new Uint8Array()]))
}

interface Listed {
  readonly revision: string | undefined
  /** Folders relative to the one that is listed; default: all of it. */
  readonly within?: readonly string[] | undefined
}

/** The files of a commit below a folder, and where git runs to read them; none where nothing is committed. */
async function listCommitted(
  access: CommitAccess,
  folder: string,
  { revision, within }: Listed,
): Promise<{ readonly files: GitListing; readonly cwd: string }> {
  const cwd = await nearestFolder(folder)
  const root = findRepository(cwd)
  const commit = revision === undefined ? undefined : await resolveRevision(access, revision, { cwd, root })
  if (root === undefined) return { files: GitListing.nothing, cwd }
  try {
    return { files: await listFolder(access, { folder, cwd, root, commit, within }), cwd }
  } catch (error) {
    if (hasNothing(error, { cwd, words: NOT_COMMITTED })) return { files: GitListing.nothing, cwd }
    throw error
  }
}

interface ListedFolder {
  readonly folder: string
  /** The nearest that is there. */
  readonly cwd: string
  readonly root: string
  /** The last one by default. */
  readonly commit: string | undefined
  readonly within: readonly string[] | undefined
}

/** The files of a commit below a folder. */
async function listFolder(
  { git, memory }: CommitAccess,
  { folder, cwd, root, commit, within }: ListedFolder,
): Promise<GitListing> {
  const below = relative(cwd, folder).replaceAll(sep, '/')
  const start = below === '' ? './' : `./${below}/`
  const list = async (folders = [start]): Promise<GitListing> => {
    const printed = await git({
      args: ['ls-tree', '-r', '-z', commit ?? 'HEAD', '--', ...folders],
      repository: 'discover',
      cwd,
    })
    return GitListing.parse(printed, below === '' ? 0 : Buffer.byteLength(below) + 1)
  }
  if (within !== undefined)
    return within.length === 0 ? GitListing.nothing : list(within.map((one) => `${start}${one}/`))
  const known = commit ?? headCommit(root)
  if (known === undefined) return list()
  const place = { root, commit: known, folder: join(await realpath(cwd), below).replaceAll(sep, '/') }
  // somebody may have committed in between
  const isStill = (): boolean => known === (commit ?? headCommit(root))
  const files = await memory.files(place, list, isStill)
  if (isStill()) memory.commits.add(`${root}\0${known}`)
  return files
}

/** The content of blobs of the repository around `cwd`. */
async function readBlobs(
  { git, memory }: CommitAccess,
  objects: readonly string[],
  cwd: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = async (ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    const input = `${ids.join('\n')}\n`
    return parseBlobs(await git({ args: ['cat-file', '--batch'], repository: 'discover', cwd, input }), ids)
  }
  return memory.blobs(objects, findRepository(cwd), async (missing, beside) => {
    if (beside.length === 0) return read(missing)
    try {
      return await read([...missing, ...beside])
    } catch (error) {
      // one that cannot be read, and that nobody may ever ask for
      if (error instanceof GitError) return read(missing)
      throw error
    }
  })
}

type AskedHistory = HistoryBounds & { readonly isWanted: (path: string) => boolean }

async function readEarlier(
  access: CommitAccess,
  folder: string,
  asked: AskedHistory,
): Promise<ReadonlyMap<string, readonly EarlierFile[]>> {
  const { commits, line, withDropped = false } = asked
  const found = await askHistory(access, folder, asked, ({ run, isWanted, cwd, prefix, ...bounds }) =>
    readHistory(run, isWanted, {
      ...bounds,
      commits,
      withDropped,
      ...(line !== undefined && { line }),
      readBlobs: (objects) => readBlobs(access, objects, cwd),
    }).then((files) => ({ files, prefix })),
  )
  return new Map([...(found?.files ?? [])].map(([path, files]) => [path.slice(found?.prefix.length), files]))
}

async function sideLines(access: CommitAccess, folder: string, asked: AskedHistory): Promise<readonly SideLine[]> {
  const { commits } = asked
  const found = await askHistory(access, folder, asked, ({ run, isWanted, pathspecs, ...rest }) =>
    findSideLines(run, isWanted, {
      commits,
      pathspecs,
      ...(rest.revision !== undefined && { revision: rest.revision }),
    }),
  )
  return found ?? []
}

/** How the commits of a repository are asked about a folder. */
interface HistoryAccess {
  /** Keeps what git prints, as long as the repository has the same commits. */
  readonly run: (args: readonly string[], input?: string) => Promise<Uint8Array>
  /** By paths relative to `cwd`. */
  readonly isWanted: (path: string) => boolean
  readonly pathspecs: readonly string[]
  /** Id of the last commit; absent: that of the work tree. */
  readonly revision?: string
  readonly cwd: string
  /** Of paths in the folder, relative to `cwd`. */
  readonly prefix: string
}

/** Undefined where the folder is in no repository, or there is no commit yet. */
async function askHistory<Result>(
  access: CommitAccess,
  folder: string,
  { isWanted, among, revision }: AskedHistory,
  ask: (history: HistoryAccess) => Promise<Result>,
): Promise<Result | undefined> {
  const cwd = await nearestFolder(folder)
  const below = relative(cwd, folder).replaceAll(sep, '/')
  const prefix = below === '' ? '' : `${below}/`
  const root = findRepository(cwd)
  if (root === undefined) return undefined
  const history = historyMark(root)
  const git = (args: readonly string[], input?: string): Promise<Uint8Array> =>
    access.git({ args, repository: 'discover', cwd, input })
  try {
    const last = revision === undefined ? undefined : await resolveRevision(access, revision, { cwd, root })
    return await ask({
      run: (args, input) =>
        history === undefined
          ? git(args, input)
          : access.memory.printed(
              // ids of commits are the same in each folder, paths are relative to it
              [history, root, args[0] === 'diff-tree' ? cwd : '', ...args, input ?? ''].join('\0'),
              () => git(args, input),
              () => history === historyMark(root),
            ),
      isWanted: (path) => path.startsWith(prefix) && isWanted(path.slice(prefix.length)),
      ...(last !== undefined && { revision: last }),
      pathspecs: among?.map((pattern) => `:(glob)${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}${pattern}`) ?? ['.'],
      cwd,
      prefix,
    })
  } catch (error) {
    if (hasNothing(error, { cwd, words: NO_HISTORY })) return undefined
    throw error
  }
}

/** The commit that a revision of the repository around `cwd` stands for. */
async function resolveRevision(
  { git, memory }: CommitAccess,
  revision: string,
  { cwd, root }: { readonly cwd: string; readonly root: string | undefined },
): Promise<string> {
  const known = revision === 'HEAD' && root !== undefined ? headCommit(root) : revision
  if (known !== undefined && memory.commits.has(`${root ?? ''}\0${known}`)) return known
  const problem = `${JSON.stringify(revision)} is not a commit of the repository`
  // an option, a file of a commit, or a search through messages is none
  if (!/^[^-:][^\0-\x20\x7f:]*$/.test(revision)) throw new GitError('no-such-ref', problem)
  try {
    const printed = await askCommit({ git, memory }, revision, { cwd, root })
    if (COMMIT.test(printed)) return printed
  } catch (error) {
    if (!(error instanceof GitError) || error.reason === 'timeout' || error.reason === 'ambiguous') throw error
    throw new GitError('no-such-ref', problem, { cause: error })
  }
  throw new GitError('no-such-ref', problem)
}

/** The commit of a revision as git prints it. @throws GitError */
function askCommit(
  { git, memory }: CommitAccess,
  revision: string,
  { cwd, root }: { readonly cwd: string; readonly root: string | undefined },
): Promise<string> {
  return memory.names.find(root, revision, async () => {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
    const commit = decode(await git({ args, repository: 'discover', cwd })).trim()
    if (root !== undefined && COMMIT.test(commit)) memory.commits.add(`${root}\0${commit}`)
    await refuseAmbiguous(revision, printIn(git, cwd))
    return commit
  })
}

async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  return found?.isDirectory() === true || dirname(folder) === folder ? folder : nearestFolder(join(folder, '..'))
}

/**
 * Refuses a URL that git would take for an option, a helper program (`ext::…`) or a path below this folder, or would
 * print with the password.
 */
function checkUrl(url: string): void {
  const isAllowed =
    !/[\0-\x20\x7f]/.test(url) &&
    (/^(?:https?|ssh|git|file):\/\/[^-]/i.test(url) ||
      (url.startsWith('/') && !url.startsWith('//')) ||
      /^[A-Za-z]:\//.test(url) ||
      /^(?:[\w.+~-]+@)?[A-Za-z0-9[][^\s:/]*:(?!:|\/\/)[^-]/.test(url))
  if (!isAllowed || url.startsWith('-') || /^[\w.+-]+::/.test(url)) {
    throw new GitError('other', 'the URL is not one of https, http, ssh, git, file, user@host:path or an absolute path')
  }
  if (/^https?:\/\/[^/?#]*@/i.test(url)) throw new GitError('other', 'the URL holds credentials')
}

function checkRef(ref: string): void {
  const isAllowed = /^[^-+.][^\0-\x20\x7f~^:?*[\\]*$/.test(ref) && !/\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/.test(ref)
  if (!isAllowed) throw new GitError('no-such-ref', `${JSON.stringify(ref)} cannot be the name of a ref`)
}

function checkObject(object: string): void {
  if (!COMMIT.test(object)) throw new GitError('other', `${JSON.stringify(object)} is not the id of an object`)
}
