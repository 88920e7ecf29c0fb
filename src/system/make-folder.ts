import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it; one that is there is fine. Node's own recursive way never ends below /proc, where
 * a folder is missing and cannot be made, though the one above it is there.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const error = tryToMake(path, mode)
  if (error === undefined) return
  if (!('code' in error) || error.code !== 'ENOENT' || dirname(path) === path) throw error
  if (!existsSync(dirname(path))) makeFolder(dirname(path), mode)
  const again = tryToMake(path, mode)
  if (again !== undefined) throw again
}

function tryToMake(path: string, mode: number): Error | undefined {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return error
  }
  return undefined
}
