import { shellWord } from '../../codec/text/shell-word.ts'

/** The next step where git does not trust the owner of a repository, by its message; undefined for any other. */
export function ownerHint(message: string): string | undefined {
  // git's own advice, which it prints on lines of their own
  const owned = /dubious ownership in repository at '([^']+)'/.exec(message)?.[1]
  return owned === undefined
    ? undefined
    : `Run stackmason as the owner of the repository, or trust it: git config --global --add safe.directory ${shellWord(owned)}`
}
