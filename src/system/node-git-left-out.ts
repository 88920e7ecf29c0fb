import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { LeftOutPath } from '../model/git.ts'

/** The options of `git ls-files` that print what {@link findLeftOut} reads: every entry with its tag and its mode. */
export const LEFT_OUT_ARGS = ['ls-files', '-z', '-t', '--stage'] as const

const ENTRY = /^(.) (\d{6}) [0-9a-f]+ \d\t/
const SUBMODULE = '160000'

/**
 * True if git may leave something out of a work tree: it has a list of what a sparse checkout holds, or submodules, or
 * its index is of a form that has flags for that. Without any of them git need not be asked.
 */
export function mayLeaveOut(root: string, directory: string): boolean {
  return isSparse(directory) || isThere(join(root, '.gitmodules')) || indexVersion(directory) > PLAIN_INDEX
}

function isSparse(directory: string): boolean {
  return isThere(join(directory, 'info/sparse-checkout'))
}

/** git writes an index of a newer version where an entry has such a flag (`gitformat-index`). */
const PLAIN_INDEX = 2

/** The version in the header of an index; 0 where there is none. */
function indexVersion(directory: string): number {
  const header = Buffer.alloc(8)
  try {
    const index = openSync(join(directory, 'index'), 'r')
    try {
      readSync(index, header, 0, header.length, 0)
    } finally {
      closeSync(index)
    }
  } catch (error) {
    // whatever needs it says what is wrong
    if (error instanceof Error && 'code' in error) return 0
    throw error
  }
  return header.readUInt32BE(4)
}

/**
 * Paths that the index has and the work tree lacks, because git leaves them out. What somebody has deleted is not among
 * them.
 * @param printed what git printed with {@link LEFT_OUT_ARGS} in `root`
 */
export function findLeftOut(
  printed: string,
  { root, directory }: { readonly root: string; readonly directory: string },
): readonly LeftOutPath[] {
  const by = isSparse(directory) ? 'sparse' : 'flag'
  return printed.split('\0').flatMap((line): readonly LeftOutPath[] => {
    const entry = ENTRY.exec(line)
    if (entry === null) return []
    const path = join(root, line.slice(entry[0].length))
    if (entry[2] === SUBMODULE) return isThere(join(path, '.git')) ? [] : [{ path, by: 'submodule' }]
    return entry[1] === 'S' && !isThere(path) ? [{ path, by }] : []
  })
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // a part of it is no folder
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
