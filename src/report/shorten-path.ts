import { dirName, isInside, relativePath } from '../codec/path.ts'
import { addFleet, nameFleet } from './name-fleet.ts'

/** Shows paths below the working folder relative to it. */
export interface ShortenPath {
  (path: string): string
  /** The same for paths inside of a sentence, whose commands name the fleet. */
  readonly inText: (text: string) => string
  /** A command of ours to run next, such as `stackmason render`, with the fleet. */
  readonly command: (command: string) => string
  /** The same from a folder in `root` for all paths in it: `../patches/p.yaml`. */
  readonly within: (root: string) => (path: string) => string
}

/**
 * Makes the function for one working folder (absolute, `/` separated); `fleet` is what the user has written for
 * `--fleet`.
 */
export function createShortenPath(workingFolder: string, fleet?: string): ShortenPath {
  const prefix = workingFolder.endsWith('/') ? workingFolder : `${workingFolder}/`
  const shorten = (path: string): string => {
    if (path === workingFolder) return '.'
    return prefix !== '/' && path.startsWith(prefix) ? path.slice(prefix.length) : path
  }
  return Object.assign(shorten, {
    within:
      (root: string) =>
      (path: string): string =>
        isInside(root, workingFolder) && isInside(root, path) ? relativePath(workingFolder, path) : shorten(path),
    command: (command: string): string => (fleet === undefined ? command : addFleet(command, fleet)),
    inText: (text: string): string => {
      const short = prefix === '/' ? text : text.replaceAll(prefix, '')
      return fleet === undefined ? short : nameFleet(short, fleet)
    },
  })
}

/** Shows paths beside the folder of a file, such as releases beside a fleet, relative to the working folder, too. */
export function shortenBeside(file: string, shorten: ShortenPath): (path: string) => string {
  return shorten.within(dirName(dirName(file)))
}
