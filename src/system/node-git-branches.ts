import type { BranchCommit } from '../model/git-writer.ts'
import { decode, type WriterGit } from './node-git-run.ts'

/** Commits that lead to one and not to another. */
interface CommitRange {
  readonly from: string | undefined
  readonly to: string
  readonly limit: number
}

const LOG = ['log', '-z', '--no-show-signature', '--encoding=UTF-8', '--format=%H%n%T%n%P%n%an <%ae>%n%B']

/** Commits that lead to `to` and not to `from`, newest first. */
export async function readBranchCommits(
  git: WriterGit,
  { from, to, limit }: CommitRange,
): Promise<readonly BranchCommit[]> {
  const range = from === undefined ? [to] : [to, `^${from}`]
  return parseLog(decode((await git([...LOG, `--max-count=${String(limit)}`, ...range, '--'])).out))
}

/** The same for several branches at once. */
export async function readBranches(
  git: WriterGit,
  { from, to, limit }: Omit<CommitRange, 'to'> & { readonly to: readonly string[] },
): Promise<readonly (readonly BranchCommit[])[]> {
  const tips = [...new Set(to)]
  if (tips.length === 0) return []
  const most = limit * tips.length
  const input = [...tips, ...(from === undefined ? [] : [`^${from}`]), ''].join('\n')
  const all = parseLog(
    decode((await git([...LOG, '--topo-order', `--max-count=${String(most)}`, '--stdin'], { input })).out),
  )
  // one of them has so many that others may be cut off
  const isCut = all.length === most
  const byId = new Map(all.map((commit) => [commit.commit, commit]))
  const found = new Map<string, readonly BranchCommit[]>()
  for (const tip of tips) {
    const one = isCut ? await readBranchCommits(git, { from, to: tip, limit }) : leadingTo(tip, all, byId)
    found.set(tip, one.slice(0, limit))
  }
  return to.map((tip) => found.get(tip) ?? [])
}

/** Those of commits from which one was made, in their order. */
function leadingTo(
  tip: string,
  all: readonly BranchCommit[],
  byId: ReadonlyMap<string, BranchCommit>,
): readonly BranchCommit[] {
  const reached = new Set<string>()
  const open = [tip]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const commit = byId.get(id)
    if (commit === undefined || reached.has(id)) continue
    reached.add(id)
    open.push(...commit.parents)
  }
  return reached.size < 2
    ? Array.from(reached, (id) => byId.get(id)).filter((commit) => commit !== undefined)
    : all.filter(({ commit }) => reached.has(commit))
}

/** Fields in lines of their own, the message last; a zero byte between commits. */
function parseLog(printed: string): readonly BranchCommit[] {
  return printed
    .split('\0')
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [commit = '', tree = '', parents = '', author = '', ...message] = text.split('\n')
      const ids = parents.split(' ').filter((id) => id !== '')
      return { commit, tree, parents: ids, author, message: message.join('\n') }
    })
}
