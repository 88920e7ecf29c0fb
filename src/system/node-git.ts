import { GitError, type Git } from '../model/git.ts'

/** {@link Git} through the git program on PATH. */
export function createNodeGit(): Git {
  const refuse = async (): Promise<never> => {
    throw new GitError('not-installed', 'git cannot be run yet')
  }
  return {
    listRefs: refuse,
    fetch: refuse,
    hasCommit: refuse,
    listFiles: refuse,
    readFile: refuse,
    readCommitted: refuse,
  }
}
