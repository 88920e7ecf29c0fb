import { type Git, GitError } from '../model/git.ts'

/** A file of the output folder that may hold somebody's work. */
export interface DoubtfulFile {
  /** Relative to the output folder. */
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * The paths of files whose content is in no commit: to replace or remove them would lose it. Without git, or outside of
 * a repository, that is all of them.
 */
export async function keepUncommitted(
  output: string,
  doubtful: readonly DoubtfulFile[],
  git: Git,
): Promise<ReadonlySet<string>> {
  if (doubtful.length === 0) return new Set()
  try {
    return await git.findUncommitted(output, new Map(doubtful.map(({ path, bytes }) => [path, bytes])))
  } catch (error) {
    if (error instanceof GitError) return new Set(doubtful.map(({ path }) => path))
    throw error
  }
}
