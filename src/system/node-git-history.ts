import type { EarlierFile } from '../model/git.ts'

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
}

const NOTHING = /^0+$/

/**
 * Reads the content that files below the working directory had before, through at most that many commits of the
 * first-parent line. Only plumbing is run: no configuration of the user changes what it prints.
 */
export async function readHistory(
  run: RunGit,
  isWanted: (path: string) => boolean,
  { commits, pathspecs, readBlobs }: HistoryOptions,
): Promise<ReadonlyMap<string, readonly EarlierFile[]>> {
  const lines = decode(await run(['rev-list', '--first-parent', '--parents', `--max-count=${commits}`, 'HEAD']))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ').slice(0, 2))
  const parents = new Map(lines.map(([commit = '', parent = ''], index) => [commit, { parent, age: index + 1 }]))
  // a commit with one parent on its line is compared with that one alone
  const input = `${lines.map((line) => line.join(' ')).join('\n')}\n`
  const args = [
    'diff-tree',
    '--stdin',
    '--root',
    '-r',
    '-m',
    '--raw',
    '-z',
    '--no-renames',
    '--relative',
    '--',
    ...pathspecs,
  ]
  const changes = parseChanges(decode(await run(args, input)), parents).filter(({ path }) => isWanted(path))
  const blobs = await readBlobs(changes.flatMap(({ object }) => object ?? []))
  const found = new Map<string, EarlierFile[]>()
  for (const { path, parent, age, object } of changes) {
    const files = found.get(path) ?? []
    files.push({ commit: parent, age, bytes: object === undefined ? undefined : blobs.get(object) })
    found.set(path, files)
  }
  return found
}

/** The bounds of {@link readHistory}, and how it reads blobs. */
interface HistoryOptions {
  readonly commits: number
  /** The files that git tells of. */
  readonly pathspecs: readonly string[]
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
