import { join } from 'node:path'
import { GitError } from '../model/git.ts'
import { type CommittedFile, GitWriteError, type NewCommit } from '../model/git-writer.ts'
import { decode, type WriterGit } from './node-git-run.ts'

/** How a tree is made. */
interface TreeChange {
  readonly base: string | undefined
  readonly graft?: { readonly folder: string; readonly tree: string | undefined }
  readonly files: readonly CommittedFile[]
  /** A folder for an index of its own. */
  readonly scratch: string
}

const NO_OBJECT = '0'.repeat(40)

/**
 * Makes a tree of a commit's and of files, whose bytes are kept as they are: no filter runs, and no line ending
 * changes.
 */
export async function makeTree(git: WriterGit, { base, graft, files, scratch }: TreeChange): Promise<string> {
  const index = join(scratch, 'index')
  await git(base === undefined ? ['read-tree', '--empty'] : ['read-tree', base], { index })
  if (graft !== undefined) {
    const below = decode((await git(['--literal-pathspecs', 'ls-files', '-z', '--', graft.folder], { index })).out)
    await updateIndex(
      git,
      index,
      below.split('\0').flatMap((path) => (path === '' ? [] : [`0 ${NO_OBJECT}\t${path}`])),
    )
    if (graft.tree !== undefined)
      await git(['read-tree', '-i', `--prefix=${graft.folder === '' ? '' : `${graft.folder}/`}`, graft.tree], { index })
  }
  const added = files.flatMap(({ path, from }) => (from === undefined ? [] : [{ path, from }]))
  const ids = await keepBlobs(
    git,
    added.map(({ from }) => from),
  )
  await updateIndex(git, index, [
    ...files.flatMap(({ path, from }) => (from === undefined ? [`0 ${NO_OBJECT}\t${path}`] : [])),
    ...added.map(({ path }, at) => `100644 ${ids[at] ?? ''}\t${path}`),
  ])
  // a partial clone has not all of what did not change
  return decode((await git(['write-tree', '--missing-ok'], { index })).out).trim()
}

async function updateIndex(git: WriterGit, index: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  await git(['update-index', '-z', '--index-info'], { index, input: lines.map((line) => `${line}\0`).join('') })
}

/** Keeps the content of files as blobs. */
async function keepBlobs(git: WriterGit, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const { out } = await git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: `${paths.join('\n')}\n` })
  return decode(out).split('\n')
}

/**
 * Makes a commit as git is configured: its author, and its signature.
 * @throws GitWriteError no-identity, not-signed
 */
export async function makeCommit(git: WriterGit, commit: NewCommit): Promise<string> {
  const isSigned = commit.isSigned !== false && (await flagOf(git, 'commit.gpgSign'))
  const args = [
    ...(await identityOf(git, commit.fallback)),
    'commit-tree',
    ...(isSigned ? ['-S'] : ['--no-gpg-sign']),
    ...commit.parents.flatMap((parent) => ['-p', parent]),
    commit.tree,
  ]
  try {
    return decode((await git(args, { input: commit.message })).out).trim()
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (/empty ident|identity unknown|auto-detect/i.test(error.message))
      throw new GitWriteError('no-identity', error.message, { cause: error })
    if (isSigned) throw new GitWriteError('not-signed', error.message, { cause: error })
    throw error
  }
}

async function flagOf(git: WriterGit, name: string): Promise<boolean> {
  const { out } = await git(['config', '--type=bool', '--get', name], { accepts: [1] })
  return decode(out).trim() === 'true'
}

/** Configuration for who makes a commit, where git has nobody. */
async function identityOf(git: WriterGit, fallback: NewCommit['fallback']): Promise<readonly string[]> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const { status, errors } = await git(['var', who], { accepts: [128] })
    if (status === 0) continue
    if (fallback !== undefined) return ['-c', `user.name=${fallback.name}`, '-c', `user.email=${fallback.email}`]
    const [said = ''] = errors.split('\n').filter((line) => line.startsWith('fatal:'))
    throw new GitWriteError('no-identity', said.replace(/^fatal: /, ''))
  }
  return []
}
