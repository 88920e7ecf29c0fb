import { GitError } from '../model/git.ts'

/** Where git looks for a name, in its order. */
const PLACES: readonly (readonly [before: string, behind: string])[] = [
  ['refs/', ''],
  ['refs/tags/', ''],
  ['refs/heads/', ''],
  ['refs/remotes/', ''],
  ['refs/remotes/', '/HEAD'],
]

/** Names that lead to one place only: the last commit, a full name, a whole id. */
const PLAIN = /^(?:@?|HEAD|refs\/.*|[0-9a-f]{40}|[0-9a-f]{64})$/
const SHORT_ID = /^[0-9a-f]{7,}$/

/**
 * Refuses a revision whose name stands for refs of different commits, or for a ref and a shortened id. git takes the
 * first, a tag before a branch, and who may push a tag need not be one who may push to a branch.
 * @param print gives what git prints, for arguments and an input
 * @throws GitError ambiguous
 */
export async function refuseAmbiguous(
  revision: string,
  print: (args: readonly string[], input: string) => Promise<string>,
): Promise<void> {
  const [name = ''] = revision.split(/[~^:]|@\{/, 1)
  if (PLAIN.test(name)) return
  const asked = PLACES.map(([before, behind]) => `${before}${name}${behind}`)
  // as `git describe` writes it, an id is never taken for a ref
  if (SHORT_ID.test(name)) asked.push(`x-0-g${name}`)
  const input = asked.map((one) => `${one}^{commit}\n`).join('')
  const lines = (await print(['cat-file', '--batch-check'], input)).split('\n')
  const found = asked.flatMap((one, index) => {
    const id = /^([0-9a-f]+) commit \d+$/.exec(lines[index] ?? '')?.[1]
    return id === undefined ? [] : [{ id, name: one.startsWith('refs/') ? one : id }]
  })
  if (new Set(found.map(({ id }) => id)).size < 2) return
  const names = found.map((one) => one.name).join(' and ')
  throw new GitError('ambiguous', `${JSON.stringify(name)} is ambiguous, as these are different commits: ${names}`)
}
