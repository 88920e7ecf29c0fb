import { decode, type WriterGit } from './node-git-run.ts'

/** No words: only trees count. */
const MERGE = ['merge-tree', '--write-tree', '--no-messages']
/** 1: they conflict; 128: one is not here; 129: a git that cannot do it. */
const ACCEPTED = [1, 128, 129]

/** The trees that merges into a commit make; undefined where they conflict, or git is too old to tell. */
export async function mergeTrees(
  git: WriterGit,
  into: string,
  commits: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (commits.length === 0) return []
  const input = commits.map((commit) => `${into} ${commit}\n`).join('')
  const all = await git([...MERGE, '--stdin'], { input, accepts: ACCEPTED })
  const merged = all.status === 0 ? parseMerges(decode(all.out)) : undefined
  if (merged?.length === commits.length) return merged
  // git 2.38 takes one at a time
  const each: (string | undefined)[] = []
  for (const commit of commits) {
    const { out, status } = await git([...MERGE, into, commit], { accepts: ACCEPTED })
    each.push(status === 0 ? decode(out).trim() : undefined)
  }
  return each
}

/** For each merge whether it is clean, its tree, lines for what conflicts, an empty field; all end with a zero byte. */
function parseMerges(printed: string): readonly (string | undefined)[] | undefined {
  const merged: (string | undefined)[] = []
  const fields = printed.split('\0')
  for (let at = 0; at + 1 < fields.length; at++) {
    const [status, tree = ''] = fields.slice(at, at + 2)
    if ((status !== '0' && status !== '1') || !/^[0-9a-f]{40,64}$/.test(tree)) return undefined
    merged.push(status === '1' ? tree : undefined)
    at = fields.indexOf('', at + 2)
    if (at === -1) return undefined
  }
  return merged
}
