import { lstatSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** The options of `git ls-files` that print what {@link findUnchanged} reads. */
export const INDEX_ARGS = ['ls-files', '-z', '--stage', '-v', '--debug'] as const

/**
 * The options of `git ls-files` that print files whose blobs are not their bytes: what a filter, `ident` or another
 * encoding makes of them. Line ends are passed over.
 */
export const FILTERED_ARGS = ['ls-files', '-z', '--', ':(exclude,attr:!filter !ident !working-tree-encoding)'] as const

/** A file that is neither in conflict, nor to be believed without a look, nor to be left out of the work tree. */
const ENTRY = /^H 100(?:644|755) ([0-9a-f]+) 0\t/
const FACTS =
  /^ {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: [0-9a-f]+\n/

/** The index keeps the last 32 bits of a size and of a number. */
const BITS = 2 ** 32

/** More bytes than the facts about a file take. */
const LONGEST_FACTS = 300

/** The facts about an index, besides its entries. */
interface IndexFacts {
  readonly folder: string
  readonly written: number
}

/**
 * Ids of the files of which the system says what the index says, by path relative to `folder`. A file that was written
 * in the second in which the index was, or later, is not among them: it may have been written again since git read it,
 * and file systems may count in whole seconds.
 * @param printed what git printed with {@link INDEX_ARGS} in `folder`
 * @param written when the index was written, before git read it; milliseconds since 1970
 */
export function findUnchanged(printed: Uint8Array, { folder, written }: IndexFacts): ReadonlyMap<string, string> {
  const second = Math.floor(written / 1000)
  const bytes = Buffer.from(printed.buffer, printed.byteOffset, printed.byteLength)
  const found = new Map<string, string>()
  // the facts about a file, and the entry of the next one, stand between two zero bytes
  let entry = ''
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at)
    const last = end === -1 ? bytes.length : end
    const facts = entry === '' ? null : FACTS.exec(bytes.toString('latin1', at, Math.min(last, at + LONGEST_FACTS)))
    const from = at + (facts?.[0].length ?? 0)
    const id = ENTRY.exec(entry)?.[1]
    if (facts !== null && id !== undefined) {
      const path = entry.slice(entry.indexOf('\t') + 1)
      if (isAsKept(facts, second, lookAt(join(folder, path)))) found.set(path, id)
    }
    entry = bytes.toString('utf8', from, last)
    at = last + 1
  }
  return found
}

/** Those of {@link findUnchanged} that git did not print with {@link FILTERED_ARGS}. */
export function withoutFiltered(
  unchanged: ReadonlyMap<string, string>,
  filtered: Uint8Array,
): ReadonlyMap<string, string> {
  const others = new Set(new TextDecoder().decode(filtered).split('\0'))
  return new Map([...unchanged].filter(([path]) => !others.has(path)))
}

/** When the index of a repository was written; undefined where it has none. */
export function indexWritten(directory: string): number | undefined {
  return statSync(join(directory, 'index'), { throwIfNoEntry: false })?.mtimeMs
}

function isAsKept([, ...numbers]: RegExpExecArray, second: number, stat: Stats | undefined): boolean {
  const [changed = 0, changedRest = 0, modified = 0, modifiedRest = 0, inode = 0, size = 0] = numbers.map(Number)
  return (
    stat?.isFile() === true &&
    // git writes no size for a file that it is not sure of
    size > 0 &&
    modified < second &&
    changed < second &&
    stat.size % BITS === size &&
    stat.mtimeMs === inMilliseconds(modified, modifiedRest) &&
    stat.ctimeMs === inMilliseconds(changed, changedRest) &&
    stat.ino % BITS === inode
  )
}

/** As Node counts. */
function inMilliseconds(seconds: number, nanoseconds: number): number {
  return seconds * 1000 + nanoseconds / 1e6
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // a part of it is no folder any more
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
