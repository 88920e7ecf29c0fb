import { type EarlierFile, GitError } from '../model/git.ts'

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
  /** Id of the blob; undefined where the file was not there. */
  readonly object: string | undefined
  /** True: it is what another parent of the last commit held, and changed itself. */
  readonly isDropped?: true
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
  { commits, revision = 'HEAD', pathspecs, withDropped, readBlobs }: HistoryOptions,
): Promise<ReadonlyMap<string, readonly EarlierFile[]>> {
  const lines = decode(await run(['rev-list', '--first-parent', '--parents', `--max-count=${commits}`, revision]))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
  const parents = new Map(lines.map(([commit = '', parent = ''], index) => [commit, { parent, age: index + 1 }]))
  // a commit with one parent on its line is compared with that one alone
  const input = `${lines.map((line) => line.slice(0, 2).join(' ')).join('\n')}\n`
  const printed = decode(await run([...DIFF_TREE, '--stdin', '--root', '-m', '--', ...pathspecs], input))
  const [newest = []] = lines
  const dropped = withDropped ? await findDropped(run, newest, pathspecs) : []
  const changes = [...dropped, ...parseChanges(printed, parents)].filter(({ path }) => isWanted(path))
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

/** The bounds of {@link readHistory}, and how it reads blobs. */
interface HistoryOptions {
  readonly commits: number
  /** Id of the last commit. Default: that of the work tree. */
  readonly revision?: string
  /** The files that git tells of. */
  readonly pathspecs: readonly string[]
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
  let of: Parent = { parent: '', age: 0 }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const before = /^:[0-7]+ [0-7]+ ([0-9a-f]+) [0-9a-f]+ [A-Z]\d*$/.exec(word)?.[1]
    if (before === undefined) {
      of = parents.get(word.trim()) ?? of
      continue
    }
    at += 1
    changes.push({ path: words[at] ?? '', ...of, object: NOTHING.test(before) ? undefined : before })
  }
  return changes
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
