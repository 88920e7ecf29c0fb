import { GitError } from '../model/git.ts'
import { GitWriteError, type NewCommit } from '../model/git-writer.ts'
import type { RepositoryFacts } from './node-git-facts.ts'
import { writeTrees } from './node-git-tree.ts'
import { decode, type WriterGit } from './node-git-run.ts'

/**
 * Makes commits as git is configured: their author, and their signature; `scratch` is a folder for that.
 * @throws GitWriteError no-identity, not-signed
 */
export async function makeCommits(
  git: WriterGit,
  commits: readonly NewCommit[],
  { scratch, config }: { readonly scratch: string; readonly config: RepositoryFacts['config'] },
): Promise<readonly string[]> {
  if (commits.length === 0) return []
  await writeTrees(
    git,
    commits.map(({ tree }) => tree),
    scratch,
  )
  const isSigning =
    commits.some(({ isSigned }) => isSigned !== false) &&
    config.some(([key]) => key === 'commit.gpgsign') &&
    (await flagOf(git, 'commit.gpgSign'))
  let isUnknown = false
  const made: string[] = []
  for (const commit of commits) {
    const isSigned = isSigning && commit.isSigned !== false
    const make = async (): Promise<string> => {
      const who = isUnknown ? identityOf(commit.fallback) : []
      const how = isSigned ? '-S' : '--no-gpg-sign'
      const args = [...who, 'commit-tree', how, ...commit.parents.flatMap((parent) => ['-p', parent]), commit.tree.id]
      return decode((await git(args, { input: commit.message })).out).trim()
    }
    try {
      made.push(
        await make().catch((error: unknown) => {
          if (isUnknown || commit.fallback === undefined || !isAboutIdentity(error)) throw error
          // asked before each run instead, git would be started twice more for those who are known
          isUnknown = true
          return make()
        }),
      )
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (isAboutIdentity(error))
        throw new GitWriteError('no-identity', error.message.replace(/^fatal: /, ''), { cause: error })
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

/** What git says where it has nobody who makes commits. */
function isAboutIdentity(error: unknown): boolean {
  return (
    error instanceof GitError && /empty ident|identity unknown|auto-detect|disallowed characters/i.test(error.message)
  )
}

/** Configuration for who makes a commit, where git has nobody. */
function identityOf(fallback: NewCommit['fallback']): readonly string[] {
  return fallback === undefined ? [] : ['-c', `user.name=${fallback.name}`, '-c', `user.email=${fallback.email}`]
}
