import { type EarlierFile, GitError, type LineCommit, type SideLine } from '../model/git.ts'

/** Runs git with these arguments and this input. */
type RunGit = (args: readonly string[], input?: string) => Promise<Uint8Array>

/** The commit before another. */
interface Parent {
  readonly parent: string
  /** How many commits come after it. */
  readonly age: number
}

/** A change of a file by a commit: what it held in the one before. */
interface Change extends Parent {
  readonly path: string
  /** The commit; empty where two are compared that are given. */
  readonly of: string
  /** Id of the blob; undefined where the file was not there. */
  readonly object: string | undefined
  /** True: it is what another parent of the last commit held, and changed itself. */
  readonly isDropped?: true
  /** True: the commit removed the file. */
  readonly isRemoval: boolean
}

const NOTHING = /^0+$/
const DIFF_TREE = ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--relative'] as const

/**
 * Reads the content that files below the working directory had before, through at most that many commits of the
 * first-parent line. Only plumbing is run: no configuration of the user changes what it prints.
 */
export async function readHistory(
  run: RunGit,
  isWanted: (path: string) => boolean,
  { line, withDropped, readBlobs, ...bounds }: HistoryOptions,
): Promise<ReadonlyMap<string, readonly EarlierFile[]>> {
  const { pathspecs } = bounds
  const lines = line === undefined ? await readFirstParents(run, bounds) : line.map((one) => [one.commit, one.parent])
  const [newest = []] = lines
  const dropped = withDropped ? await findDropped(run, newest, pathspecs) : []
  const changes = [...dropped, ...(await changesOf(run, lines, pathspecs))].filter(({ path }) => isWanted(path))
  const blobs = await readBlobs(changes.flatMap(({ object }) => object ?? []))
  const found = new Map<string, EarlierFile[]>()
  for (const { path, parent, age, object, isDropped } of changes) {
    const files = found.get(path) ?? []
    const bytes = object === undefined ? undefined : blobs.get(object)
    files.push({ commit: parent, age, bytes, ...(isDropped && { isDropped }) })
    found.set(path, files)
  }
  return found
}

/**
 * Finds the lines through other parents of merges on which wanted files were removed. A removal that the first-parent
 * line shows, too, makes none: an ordinary merge brings what its branch did.
 */
export async function findSideLines(
  run: RunGit,
  isWanted: (path: string) => boolean,
  bounds: LineBounds,
): Promise<readonly SideLine[]> {
  const { commits, revision = 'HEAD', pathspecs } = bounds
  const lines = await readFirstParents(run, bounds)
  if (!lines.some((words) => words.length > 2)) return []
  const graph = parseCommits(await run(['rev-list', '--parents', `--max-count=${commits}`, revision]))
  const ages = new Map(lines.map(([commit = ''], age) => [commit, age]))
  const children = new Map<string, string[]>()
  for (const [commit = '', ...parents] of graph)
    for (const parent of parents) children.set(parent, [...(children.get(parent) ?? []), commit])
  // what a merge lacks one of its parents has lost, or it never had it
  const besides = graph.filter((words) => words.length < 3 && !ages.has(words[0] ?? ''))
  if (besides.length === 0) return []
  const keyOf = ({ path, object = '' }: Change): string => `${path}\0${object}`
  const isLoss = ({ isRemoval, path }: Change): boolean => isRemoval && isWanted(path)
  const own = new Set((await changesOf(run, lines, pathspecs)).filter(isLoss).map(keyOf))
  const found: SideLine[] = []
  const known = new Set<string>()
  for (const { of, ...change } of await changesOf(run, besides, pathspecs)) {
    if (!isLoss({ of, ...change }) || own.has(keyOf({ of, ...change })) || known.has(of)) continue
    const side = pathTo(of, { ages, children })
    const turn = ages.get(side[0] ?? '')
    if (turn === undefined) continue
    const older = await readFirstParents(run, { commits, revision: of })
    const ids = [...lines.slice(0, turn).map(([commit = '']) => commit), ...side.slice(0, -1)]
    const line = [
      ...ids.map((commit, index) => ({ commit, parent: ids[index + 1] ?? of })),
      ...older.map(([commit = '', parent = '']) => ({ commit, parent })),
    ]
    for (const { commit } of line) known.add(commit)
    found.push({ turn, commits: line.slice(0, Math.max(commits, ids.length + 1)) })
  }
  return found
}

/** The shortest way from the first-parent line, whose commit comes first, to one beside it. */
function pathTo(
  commit: string,
  {
    ages,
    children,
  }: { readonly ages: ReadonlyMap<string, number>; readonly children: ReadonlyMap<string, readonly string[]> },
): readonly string[] {
  const ways: string[][] = [[commit]]
  const seen = new Set([commit])
  for (const way of ways) {
    const [first = ''] = way
    if (ages.has(first)) return way
    for (const child of children.get(first) ?? []) {
      if (!seen.has(child)) ways.push([child, ...way])
      seen.add(child)
    }
  }
  return []
}

/** Commits with their parents, newest first. */
async function readFirstParents(
  run: RunGit,
  { commits, revision = 'HEAD' }: Pick<LineBounds, 'commits' | 'revision'>,
): Promise<readonly (readonly string[])[]> {
  return parseCommits(await run(['rev-list', '--first-parent', '--parents', `--max-count=${commits}`, revision]))
}

function parseCommits(printed: Uint8Array): readonly (readonly string[])[] {
  const lines = decode(printed).split('\n')
  return lines.filter((line) => line !== '').map((line) => line.split(' '))
}

/** The changes by the commits of a line, each compared with the one before it there alone. */
async function changesOf(
  run: RunGit,
  lines: readonly (readonly string[])[],
  pathspecs: readonly string[],
): Promise<readonly Change[]> {
  const parents = new Map(lines.map(([commit = '', parent = ''], index) => [commit, { parent, age: index + 1 }]))
  const pairs = lines.map(([commit = '', parent = '']) => (parent === '' ? commit : `${commit} ${parent}`))
  const args = [...DIFF_TREE, '--stdin', '--root', '-m', '--', ...pathspecs]
  return parseChanges(decode(await run(args, `${pairs.join('\n')}\n`)), parents)
}

/**
 * Changes of the other parents of a merge that it did not take: what they hold differs from the merge, and from the
 * commit at which they left its line.
 */
async function findDropped(
  run: RunGit,
  [commit = '', first = '', ...others]: readonly string[],
  pathspecs: readonly string[],
): Promise<readonly Change[]> {
  const found: Change[] = []
  for (const parent of others) {
    const between = async (before: string, after: string): Promise<readonly Change[]> =>
      parseChanges(decode(await run([...DIFF_TREE, before, after, '--', ...pathspecs])), new Map())
    const lost = await between(parent, commit)
    if (lost.length === 0) continue
    const base = await commonCommit(run, first, parent)
    if (base === undefined) continue
    const own = new Set((await between(base, parent)).map(({ path }) => path))
    found.push(
      ...lost.filter(({ path }) => own.has(path)).map((one) => ({ ...one, parent, age: 1, isDropped: true as const })),
    )
  }
  return found
}

/** Undefined where there is none, or a shallow clone does not have it. */
async function commonCommit(run: RunGit, one: string, other: string): Promise<string | undefined> {
  try {
    return decode(await run(['merge-base', one, other])).trim()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** Which commits, and which of their files, are asked for. */
interface LineBounds {
  readonly commits: number
  /** Id of the last commit. Default: that of the work tree. */
  readonly revision?: string
  /** The files that git tells of. */
  readonly pathspecs: readonly string[]
}

/** The bounds of {@link readHistory}, and how it reads blobs. */
interface HistoryOptions extends LineBounds {
  /** Default: the first-parent line. */
  readonly line?: readonly LineCommit[]
  /** True: also the changes that the last commit, a merge, did not take. */
  readonly withDropped: boolean
  readonly readBlobs: (objects: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>
}

/**
 * Ids of commits, and after each its changes: `:<mode> <mode> <object before> <object after> <letter>`, and the path.
 */
function parseChanges(printed: string, parents: ReadonlyMap<string, Parent>): readonly Change[] {
  const changes: Change[] = []
  const words = printed.split('\0')
  let of = ''
  let before: Parent = { parent: '', age: 0 }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const [, object, letter] = /^:[0-7]+ [0-7]+ ([0-9a-f]+) [0-9a-f]+ ([A-Z])\d*$/.exec(word) ?? []
    if (object === undefined) {
      of = word.trim() === '' ? of : word.trim()
      before = parents.get(of) ?? before
      continue
    }
    at += 1
    changes.push({
      path: words[at] ?? '',
      of,
      ...before,
      object: NOTHING.test(object) ? undefined : object,
      isRemoval: letter === 'D',
    })
  }
  return changes
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
