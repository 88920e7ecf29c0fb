import { decodeUtf8, escapedByteAt } from '../../codec/bytes/utf8.ts'
import { dirName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { type IgnorePattern, readIgnorePatterns } from '../../codec/text/source-ignore.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'

const NAME = '.sourceignore'

/** A .sourceignore above the tree. */
interface IgnoreFile {
  readonly source: Source
  readonly patterns: readonly IgnorePattern[]
  /** Names on the way from its folder to the output folder. */
  readonly way: readonly string[]
}

/**
 * Finds rendered files that a .sourceignore between the root of the repository and the output folder hides from Flux:
 * one in the tree is none of ours anyway. `paths` are relative to the output folder.
 * @returns one finding for each line that hides files
 */
export async function findHiddenOutput(
  { output, root }: { readonly output: string; readonly root: string },
  paths: Iterable<string>,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<readonly Diagnostic[]> {
  const { ignoring, unreadable } = await readIgnoreFiles(output, root, ports)
  if (unreadable.length > 0 || ignoring.length === 0) return unreadable
  const hidden = new Map<IgnorePattern, { readonly file: IgnoreFile; readonly first: string; count: number }>()
  for (const path of paths) {
    const found = hiderOf(path.split('/'), ignoring)
    if (found === undefined) continue
    const known = hidden.get(found.pattern)
    if (known === undefined) hidden.set(found.pattern, { file: found.file, first: path, count: 1 })
    else known.count++
  }
  return Array.from(hidden, ([{ start, end }, { file, first, count }]) => ({
    code: 'OUTPUT_HIDDEN',
    severity: 'error',
    message: `Flux does not get ${joinPath(output, first)}${count === 1 ? '' : ` and ${String(count - 1)} more`}: this line leaves it out, and what is missing is not applied, or applied in another way`,
    at: { source: file.source, start, end },
    hint: `Take the line out, or add \`!/${[...file.way, '**'].join('/')}\` below it.`,
  }))
}

/** Bytes of a line that Flux reads (bufio.MaxScanTokenSize of Go): it stops at a longer one, and says nothing. */
const LONGEST = 64 * 1024

/** The files that are there, the farthest first, as the last commit has them; and what is wrong with one. */
async function readIgnoreFiles(
  output: string,
  root: string,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<{ readonly ignoring: readonly IgnoreFile[]; readonly unreadable: readonly Diagnostic[] }> {
  const ignoring: IgnoreFile[] = []
  const unreadable: Diagnostic[] = []
  for (let folder = dirName(output); folder === root || isInside(root, folder); folder = dirName(folder)) {
    const path = joinPath(folder, NAME)
    const read = await readIgnoreFile(folder, ports)
    if (typeof read === 'string') unreadable.push(tellUnreadable(path, read))
    else if (read !== undefined) {
      const text = decodeUtf8(read)
      const way = relativePath(folder, output).split('/')
      ignoring.unshift({ source: { name: path, text }, patterns: readIgnorePatterns(text), way })
    }
    if (folder === root) break
  }
  return { ignoring, unreadable }
}

/** The bytes; undefined where it is not there; or why nobody can say what Flux reads in it. */
async function readIgnoreFile(
  folder: string,
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<Uint8Array | string | undefined> {
  const path = joinPath(folder, NAME)
  const type = (await files.stat(path))?.type
  if (type === undefined) return undefined
  if (type !== 'file') return 'it is no file'
  // a checkout may give it out in another form
  const committed = await git
    .readCommitted(folder, (name) => name === NAME)
    .catch((error: unknown) => {
      if (error instanceof GitError) return new Map<string, Uint8Array>()
      throw error
    })
  const bytes = committed.get(NAME) ?? (await files.read(path))
  if (escapedByteAt(decodeUtf8(bytes)) !== undefined) return 'it holds bytes that are no UTF-8'
  return longestLine(bytes) >= LONGEST ? 'it has a line of 64 KiB or more' : bytes
}

function longestLine(bytes: Uint8Array): number {
  let longest = 0
  for (let start = 0; start <= bytes.length;) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    longest = Math.max(longest, end - start)
    start = end + 1
  }
  return longest
}

function tellUnreadable(file: string, reason: string): Diagnostic {
  return {
    code: 'OUTPUT_HIDDEN',
    severity: 'error',
    message: `nobody can say which rendered files Flux leaves out by this .sourceignore: ${reason}`,
    file,
    hint: 'Make it a plain file of short lines of text, or remove it.',
  }
}

/** The last pattern that says anything of a file, if it leaves it out: those of nearer folders come later. */
function hiderOf(
  names: readonly string[],
  ignoring: readonly IgnoreFile[],
): { readonly file: IgnoreFile; readonly pattern: IgnorePattern } | undefined {
  for (const file of ignoring.toReversed()) {
    const all = [...file.way, ...names]
    const pattern = file.patterns.findLast(({ matches }) => matches(all))
    if (pattern !== undefined) return pattern.isIncluding ? undefined : { file, pattern }
  }
  return undefined
}
