import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { LeftOutPath } from '../model/git.ts'

/** The options of `git ls-files` that print what {@link findLeftOut} reads: every entry with its tag and its mode. */
export const LEFT_OUT_ARGS = ['ls-files', '-z', '-t', '--stage'] as const

const ENTRY = /^(.) (\d{6}) [0-9a-f]+ \d\t/
const SUBMODULE = '160000'

/**
 * True if git may leave something out of a work tree: it has a list of what a sparse checkout holds, or submodules.
 * Without either git need not be asked.
 */
export function mayLeaveOut(root: string, directory: string): boolean {
  return isThere(join(directory, 'info/sparse-checkout')) || isThere(join(root, '.gitmodules'))
}

/**
 * Paths that the index has and the work tree lacks, because git leaves them out. What somebody has deleted is not among
 * them.
 * @param printed what git printed with {@link LEFT_OUT_ARGS} in `root`
 */
export function findLeftOut(printed: string, root: string): readonly LeftOutPath[] {
  return printed.split('\0').flatMap((line): readonly LeftOutPath[] => {
    const entry = ENTRY.exec(line)
    if (entry === null) return []
    const path = join(root, line.slice(entry[0].length))
    if (entry[2] === SUBMODULE) return isThere(join(path, '.git')) ? [] : [{ path, by: 'submodule' }]
    return entry[1] === 'S' && !isThere(path) ? [{ path, by: 'sparse' }] : []
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
