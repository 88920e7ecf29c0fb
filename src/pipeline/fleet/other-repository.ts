import { isAbsolutePath, joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'

/**
 * Warns where the environment names another repository than that of the fleet, as git reads it: commits are those of
 * the repository around the fleet all the same. Hooks name that one.
 * @param place `root`: the fleet's folder; `start`: where the run was started; absolute
 */
export async function findOtherRepository(
  { root, start }: { readonly root: string; readonly start: string },
  { git, environment }: Pick<Ports, 'git' | 'environment'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const named = environment.get('GIT_DIR') ?? ''
  if (named === '') return { findings: [] }
  const directory = isAbsolutePath(named) ? named : joinPath(start, named)
  try {
    if (await git.isDirectoryOf(root, directory)) return { findings: [] }
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return { findings: [] }
    throw error
  }
  const own = (await git.isInRepository(root))
    ? 'the repository that the fleet lies in is another one, and its commits count'
    : 'the fleet lies in no repository, so it counts as one without commits'
  return {
    findings: [
      {
        code: 'GIT_ELSEWHERE',
        severity: 'warning',
        message: `GIT_DIR names ${directory}, which has no effect: ${own}`,
        file: joinPath(root, 'stackmason.yaml'),
        hint: 'Run `unset GIT_DIR GIT_WORK_TREE` before, or run it where `.git` of the repository lies above the fleet.',
      },
    ],
  }
}
