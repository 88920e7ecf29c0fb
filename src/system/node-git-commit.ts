import { GitError } from '../model/git.ts'
import { GitWriteError, type NewCommit } from '../model/git-writer.ts'
import { writeTrees } from './node-git-tree.ts'
import { decode, type WriterGit } from './node-git-run.ts'

/**
 * Makes commits as git is configured: their author, and their signature; `scratch` is a folder for that.
 * @throws GitWriteError no-identity, not-signed
 */
export async function makeCommits(
  git: WriterGit,
  commits: readonly NewCommit[],
  scratch: string,
): Promise<readonly string[]> {
  if (commits.length === 0) return []
  await writeTrees(
    git,
    commits.map(({ tree }) => tree),
    scratch,
  )
  const isSigning = commits.some(({ isSigned }) => isSigned !== false) && (await flagOf(git, 'commit.gpgSign'))
  const unknown = await findUnknown(git)
  const made: string[] = []
  for (const commit of commits) {
    const isSigned = isSigning && commit.isSigned !== false
    const args = [
      ...identityOf(unknown, commit.fallback),
      'commit-tree',
      ...(isSigned ? ['-S'] : ['--no-gpg-sign']),
      ...commit.parents.flatMap((parent) => ['-p', parent]),
      commit.tree.id,
    ]
    try {
      made.push(decode((await git(args, { input: commit.message })).out).trim())
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (/empty ident|identity unknown|auto-detect/i.test(error.message))
        throw new GitWriteError('no-identity', error.message, { cause: error })
      if (isSigned) throw new GitWriteError('not-signed', error.message, { cause: error })
      throw error
    }
  }
  return made
}

async function flagOf(git: WriterGit, name: string): Promise<boolean> {
  const { out } = await git(['config', '--type=bool', '--get', name], { accepts: [1] })
  return decode(out).trim() === 'true'
}

/** What git says where it has nobody who makes commits; undefined: it has. */
async function findUnknown(git: WriterGit): Promise<string | undefined> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const { status, errors } = await git(['var', who], { accepts: [128] })
    if (status !== 0) return errors
  }
  return undefined
}

/** Configuration for who makes a commit, where git has nobody. */
function identityOf(unknown: string | undefined, fallback: NewCommit['fallback']): readonly string[] {
  if (unknown === undefined) return []
  if (fallback !== undefined) return ['-c', `user.name=${fallback.name}`, '-c', `user.email=${fallback.email}`]
  const [said = ''] = unknown.split('\n').filter((line) => line.startsWith('fatal:'))
  throw new GitWriteError('no-identity', said.replace(/^fatal: /, ''))
}
