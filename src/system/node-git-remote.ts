import { createHash } from 'node:crypto'
import { GitError, type GitRemote } from '../model/git.ts'
import type { RemoteAccess, RemoteRefs } from '../model/git-writer.ts'
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
  const { remote: name, url, timeout, authorization } = access
  const plain = { url, timeout }
  try {
    return await withDeadline(timeout, (signal) => ask({ name, remote: plain, signal }))
  } catch (error) {
    if (authorization === undefined || !(error instanceof GitError) || !isRefusal(error)) throw error
    return withDeadline(timeout, (signal) => ask({ name: url, remote: { ...plain, authorization }, signal }))
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
  /** Where they go: the beginning of names of refs that nobody else has. */
  readonly refs: string
}

/** Brings refs under private names, and gives their commits by their own names. */
export async function fetchRefs(
  git: WriterGit,
  access: RemoteAccess,
  { names, history, refs }: FetchRequest,
): Promise<ReadonlyMap<string, string>> {
  const commits = new Map<string, string>()
  for (const [index, name] of names.entries()) {
    const ref = `${refs}/${String(index)}`
    const found = await fetchRef(git, access, { name, ref })
    if (found === undefined) continue
    commits.set(name, found)
    await deepen(git, access, { name, ref, commit: found, history })
    // what came from elsewhere has no ref by which git would see, the next time, that it is there
    if (access.remote === access.url)
      await git(['update-ref', `refs/stackmason/kept/${digestOf(access.url)}/${digestOf(name)}`, found])
  }
  return commits
}

async function fetchRef(
  git: WriterGit,
  access: RemoteAccess,
  { name, ref }: { readonly name: string; readonly ref: string },
): Promise<string | undefined> {
  try {
    await askRemote(access, ({ name: from, remote, signal }) =>
      git([...FETCH, '--', from, `+${name}:${ref}`], { remote, signal }),
    )
  } catch (error) {
    if (error instanceof GitError && error.reason === 'no-such-ref') return undefined
    throw error
  }
  return decode((await git(['rev-parse', '--verify', `${ref}^{commit}`])).out).trim()
}

/** A shallow clone gets the history that is read; one that has it, or all, stays as it is. */
async function deepen(
  git: WriterGit,
  access: RemoteAccess,
  { name, ref, commit, history }: { name: string; ref: string; commit: string; history: number },
): Promise<void> {
  const isShallow = decode((await git(['rev-parse', '--is-shallow-repository'])).out).trim() === 'true'
  if (!isShallow) return
  const count = ['rev-list', '--first-parent', '--count', `--max-count=${String(history)}`, commit, '--']
  if (Number(decode((await git(count)).out)) >= history) return
  await askRemote(access, ({ name: from, remote, signal }) =>
    git([...FETCH, `--deepen=${String(history)}`, '--', from, `+${name}:${ref}`], { remote, signal }),
  )
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

interface Completion {
  readonly commit: string
  readonly folder: string
  readonly history: number
}

/**
 * Brings the blobs that a partial clone has not, all at once: git would ask for one after the other, each time that one
 * is read.
 */
export async function completeCommit(
  git: WriterGit,
  access: RemoteAccess,
  { commit, folder, history }: Completion,
): Promise<void> {
  const { status } = await git(['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'], {
    accepts: [1],
  })
  if (status !== 0) return
  const list = ['rev-list', '--objects', '--missing=print']
  const past = ['--first-parent', `--max-count=${String(history)}`, commit, '--', folder === '' ? '.' : folder]
  const missing = new Set<string>()
  for (const args of [
    [...list, '--no-walk', commit, '--'],
    ['--literal-pathspecs', ...list, ...past],
  ])
    for (const [, id = ''] of decode((await git(args)).out).matchAll(/^\?([0-9a-f]+)$/gm)) missing.add(id)
  if (missing.size === 0) return
  await askRemote(access, ({ name, remote, signal }) =>
    git(['-c', 'fetch.negotiationAlgorithm=noop', ...FETCH, '--filter=blob:none', '--stdin', name], {
      input: [...missing, ''].join('\n'),
      remote,
      signal,
    }),
  )
}
