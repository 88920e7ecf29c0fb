import { createHash } from 'node:crypto'
import { GitError, type GitRemote } from '../model/git.ts'
import type { RemoteAccess, RemoteRefs } from '../model/git-writer.ts'
import type { RepositoryFacts } from './node-git-facts.ts'
import { decode, type GitOutput, withDeadline, type WriterGit } from './node-git-run.ts'

/** Fetches what is named and nothing else: no ref and no file of the user's is written. */
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--refmap=',
]

/** git 2.48 notes which branch is the remote's own with each fetch. */
function unnoted(name: string, { url }: GitRemote): readonly (readonly [string, string])[] {
  return name === url ? [] : [[`remote.${name}.followRemoteHEAD`, 'never']]
}

/** How a remote is asked: by git's own credentials, else by those of the environment. */
interface Asked {
  /** What git takes for the remote: its name, or the URL. */
  readonly name: string
  readonly remote: GitRemote
}

/**
 * Asks a remote with the credentials that git has, and where those are refused with the given ones; by the URL then,
 * for that of the configuration may hold others.
 */
export async function askRemote(
  access: RemoteAccess,
  ask: (asked: Asked & { readonly signal: AbortSignal }) => Promise<GitOutput>,
): Promise<GitOutput> {
  const { remote: name, url, timeout, authorization, variables = '' } = access
  const plain = { url, timeout }
  try {
    return await withDeadline(timeout, (signal) => ask({ name, remote: plain, signal }))
  } catch (error) {
    if (authorization === undefined || !(error instanceof GitError) || !isRefusal(error)) throw error
    const again = withDeadline(timeout, (signal) => ask({ name: url, remote: { ...plain, authorization }, signal }))
    return again.catch((refused: unknown) => {
      if (variables === '' || !(refused instanceof GitError) || !isRefusal(refused)) throw refused
      const { reason, message } = refused
      const shown =
        reason === 'not-found'
          ? `also with the credentials of ${variables}`
          : `the credentials of ${variables} are refused`
      throw new GitError(reason, `${shown}: ${message}`, { cause: refused })
    })
  }
}

/** Forges hide a repository from those who may not see it. */
function isRefusal({ reason }: GitError): boolean {
  return reason === 'not-permitted' || reason === 'not-found'
}

/** The branches of a remote, and which of them HEAD names. */
export async function listRemote(git: WriterGit, access: RemoteAccess): Promise<RemoteRefs> {
  const { out } = await askRemote(access, ({ name, remote, signal }) =>
    git(['ls-remote', '--quiet', '--symref', '--', name, 'HEAD', 'refs/heads/*'], { remote, signal }),
  )
  const refs = new Map<string, string>()
  let defaultBranch: string | undefined
  for (const line of decode(out).split('\n')) {
    const [, symbolic] = /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line) ?? []
    const [, commit, name] = /^([0-9a-f]{40}|[0-9a-f]{64})\t(refs\/heads\/\S+)$/.exec(line) ?? []
    if (symbolic !== undefined) defaultBranch = symbolic
    if (commit !== undefined && name !== undefined) refs.set(name, commit)
  }
  return { defaultBranch, refs }
}

interface FetchRequest {
  readonly names: readonly string[]
  readonly history: number
  readonly isShallow: boolean
  readonly config: RepositoryFacts['config']
  /** Where they go: the beginning of names of refs that nobody else has. */
  readonly refs: string
}

/** Brings refs under private names, and gives their commits by their own names. */
export async function fetchRefs(
  git: WriterGit,
  access: RemoteAccess,
  { names, history, refs, isShallow, config }: FetchRequest,
): Promise<ReadonlyMap<string, string>> {
  const asked = names.map((name, index) => ({ name, ref: `${refs}/${String(index)}` }))
  // what the first has need not be brought again with the others: into a shallow clone all of their past would come
  const parts = isShallow ? [asked.slice(0, 1), asked.slice(1)] : [asked]
  const commits = new Map<string, string>()
  for (const part of parts) {
    await fetchAll(git, access, part)
    const found = await commitsAt(git, part)
    if (isShallow) await deepen(git, access, { found, history })
    for (const [{ name }, commit] of found) commits.set(name, commit)
  }
  if (config.some(([key, value]) => LACKS_TREES.test(key) && /(?:^|[:+])tree:/.test(value ?? '')))
    await bringTrees(git, access, { commits: [...commits.values()], history })
  // what came from elsewhere has no ref by which git would see, the next time, that it is there
  if (access.remote === access.url && commits.size > 0) {
    const kept = `refs/stackmason/kept/${digestOf(access.url)}`
    const lines = Array.from(commits, ([name, commit]) => `update ${kept}/${digestOf(name)} ${commit}\n`)
    await git(['update-ref', '--stdin'], { input: lines.join('') })
  }
  return commits
}

/** The filter of a partial clone. */
const LACKS_TREES = /^remote\..*\.partialclonefilter$/s

/**
 * Brings the folders that a clone with `--filter=tree:0` lacks of commits and their history: without them git finds no
 * file there, and a tree of the fleet would count as one that is not begun.
 */
async function bringTrees(
  git: WriterGit,
  access: RemoteAccess,
  { commits, history }: { readonly commits: readonly string[]; readonly history: number },
): Promise<void> {
  const list = ['rev-list', '--objects', '--missing=print', '--filter=blob:none', '--first-parent']
  const missing = new Set<string>()
  for (const commit of new Set(commits)) {
    const { out } = await git([...list, `--max-count=${String(history)}`, commit, '--'])
    for (const id of missingIn(out)) missing.add(id)
  }
  await bringObjects(git, access, missing)
}

/** The objects that `rev-list --missing=print` names as missing. */
function missingIn(printed: Uint8Array): readonly string[] {
  return Array.from(decode(printed).matchAll(/^\?([0-9a-f]+)$/gm), ([, id = '']) => id)
}

/** Brings objects by their ids, all at once; of a folder all below it but the content of files. */
async function bringObjects(git: WriterGit, access: RemoteAccess, missing: ReadonlySet<string>): Promise<void> {
  if (missing.size === 0) return
  await askRemote(access, ({ name, remote, signal }) =>
    git(['-c', 'fetch.negotiationAlgorithm=noop', ...FETCH, '--filter=blob:none', '--stdin', name], {
      input: [...missing, ''].join('\n'),
      remote,
      signal,
      config: unnoted(name, remote),
    }),
  )
}

/** A ref of a remote, and the private one that it is brought under. */
interface AskedRef {
  readonly name: string
  readonly ref: string
}

/** Brings all refs that are there: git brings none where one is missing, so each half is asked for then. */
async function fetchAll(git: WriterGit, access: RemoteAccess, asked: readonly AskedRef[]): Promise<void> {
  if (asked.length === 0) return
  try {
    await askRemote(access, ({ name: from, remote, signal }) =>
      git([...FETCH, '--stdin', '--', from], {
        remote,
        signal,
        input: refspecsOf(asked),
        config: unnoted(from, remote),
      }),
    )
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'no-such-ref') throw error
    if (asked.length === 1) return
    const middle = Math.ceil(asked.length / 2)
    await fetchAll(git, access, asked.slice(0, middle))
    await fetchAll(git, access, asked.slice(middle))
  }
}

function refspecsOf(asked: readonly AskedRef[]): string {
  return asked.map(({ name, ref }) => `+${name}:${ref}\n`).join('')
}

/** The commits that private refs point at; of those that are there. */
async function commitsAt(git: WriterGit, asked: readonly AskedRef[]): Promise<ReadonlyMap<AskedRef, string>> {
  if (asked.length === 0) return new Map()
  const input = asked.map(({ ref }) => `${ref}^{commit}\n`).join('')
  const lines = decode((await git(['cat-file', '--batch-check=%(objectname)'], { input })).out).split('\n')
  return new Map(
    asked.flatMap((one, index) => {
      const line = lines[index] ?? ''
      return /^[0-9a-f]+$/.test(line) ? [[one, line] as const] : []
    }),
  )
}

/** A shallow clone gets the history that is read; one that has it stays as it is. */
async function deepen(
  git: WriterGit,
  access: RemoteAccess,
  { found, history }: { readonly found: ReadonlyMap<AskedRef, string>; readonly history: number },
): Promise<void> {
  if (found.size === 0) return
  const walk = ['rev-list', '--first-parent', '--parents', '--stdin']
  const { out } = await git(walk, { input: [...found.values(), ''].join('\n') })
  const parents = new Map(
    decode(out)
      .split('\n')
      .map((line) => line.split(' '))
      .map(([commit = '', parent]) => [commit, parent] as const),
  )
  const isShort = (commit: string): boolean => {
    let [at, count]: [string | undefined, number] = [commit, 0]
    while (at !== undefined && count < history) [at, count] = [parents.get(at), count + 1]
    return count < history
  }
  const short = Array.from(found).flatMap(([one, commit]) => (isShort(commit) ? [one] : []))
  if (short.length === 0) return
  await askRemote(access, ({ name: from, remote, signal }) =>
    git([...FETCH, `--deepen=${String(history)}`, '--stdin', '--', from], {
      remote,
      signal,
      input: refspecsOf(short),
      config: unnoted(from, remote),
    }),
  )
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

interface Completion {
  readonly commit: string
  readonly folder: string
  readonly history: number
  readonly config: RepositoryFacts['config']
}

/**
 * Brings the blobs that a partial clone has not, all at once: git would ask for one after the other, each time that one
 * is read.
 */
export async function completeCommit(
  git: WriterGit,
  access: RemoteAccess,
  { commit, folder, history, config }: Completion,
): Promise<void> {
  if (!config.some(([key]) => /^(?:extensions\.partialclone|remote\..*\.promisor)$/s.test(key))) return
  const list = ['rev-list', '--objects', '--missing=print']
  const past = ['--first-parent', `--max-count=${String(history)}`, commit, '--', folder === '' ? '.' : folder]
  const missing = new Set<string>()
  for (const args of [
    [...list, '--no-walk', commit, '--'],
    ['--literal-pathspecs', ...list, ...past],
  ])
    for (const id of missingIn((await git(args)).out)) missing.add(id)
  await bringObjects(git, access, missing)
}
