import { joinPath } from '../../codec/path.ts'
import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { CLUSTERS } from '../../model/tree-path.ts'

/**
 * Refuses files of the tree that a merge left with conflict markers: nobody can tell from them what the cluster has.
 * `files` by path below the folder of all clusters.
 * @throws StackmasonError CONFIG_SYNTAX for each of them, at its first marker
 */
export function refuseConflicts(
  files: ReadonlyMap<string, string>,
  { output, isCommit }: { readonly output: string; readonly isCommit: boolean },
): void {
  const problems = [...files].flatMap(([path, text]): readonly Diagnostic[] => {
    const file = joinPath(output, CLUSTERS, path)
    const marker = findConflictMarker({ name: file, text })
    if (marker === undefined) return []
    const message = isCommit
      ? 'the file was committed with a conflict marker of git: it does not tell what the cluster has'
      : marker.message
    const hint = isCommit
      ? `Run \`git restore --source=<commit> --staged --worktree -- ${shellWord(file)}\` with a commit before the merge, commit that, and render again.`
      : 'Run `stackmason render` before you commit the merge: it writes the file again.'
    return [{ code: 'CONFIG_SYNTAX', severity: 'error', message, at: marker.at, hint }]
  })
  if (problems.length > 0) throw new StackmasonError(problems)
}
