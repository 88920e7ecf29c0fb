import type { BranchLine, LineChange, LineCommit } from '../model/git-writer.ts'
import { decode, type WriterGit } from './node-git-run.ts'

const NOTHING = /^0+$/

/**
 * Reads the first-parent line that ends at a commit. Only plumbing is run: no configuration of the user changes what it
 * prints.
 */
export async function readBranchLine(
  git: WriterGit,
  { to, limit, among }: { readonly to: string; readonly limit: number; readonly among: readonly string[] },
): Promise<BranchLine> {
  const { out } = await git([
    'rev-list',
    '--first-parent',
    '--parents',
    '--timestamp',
    `--max-count=${String(limit)}`,
    to,
    '--',
  ])
  const lines = decode(out)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
  const commits = lines.map(([seconds, commit = '']): LineCommit => ({
    commit,
    date: new Date(Number(seconds) * 1000).toISOString(),
  }))
  if (among.length === 0) return { commits, changes: new Map() }
  // a commit with one parent on its line is compared with that one alone
  const input = lines.map((line) => `${line.slice(1, 3).join(' ')}\n`).join('')
  const pathspecs = among.map((pattern) => `:(top,glob)${pattern}`)
  const printed = await git(
    ['diff-tree', '--stdin', '--root', '-r', '-m', '--raw', '-z', '--no-renames', '--', ...pathspecs],
    { input },
  )
  const indexes = new Map(commits.map(({ commit }, index) => [commit, index]))
  return { commits, changes: parseChanges(decode(printed.out), indexes) }
}

/**
 * Ids of commits, and after each its changes: `:<mode> <mode> <object before> <object after> <letter>`, and the path.
 */
function parseChanges(
  printed: string,
  indexes: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly LineChange[]> {
  const changes = new Map<string, LineChange[]>()
  const words = printed.split('\0')
  const idOf = (object: string): string | undefined => (NOTHING.test(object) ? undefined : object)
  let index = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const [, before, after] = /^:[0-7]+ [0-7]+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/.exec(word) ?? []
    if (before === undefined || after === undefined) {
      index = indexes.get(word.trim()) ?? index
      continue
    }
    at += 1
    const path = words[at] ?? ''
    const found = changes.get(path) ?? []
    changes.set(path, found)
    found.push({ index, before: idOf(before), after: idOf(after) })
  }
  return changes
}
