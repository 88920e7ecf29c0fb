import { baseName, dirName, joinPath, relativePath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { outsideFleet, unwritable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { leadsOutOf } from './leads-out.ts'

type WritePorts = Pick<Ports, 'files'>

/** Files that are to be made. */
export interface NewFiles {
  readonly folder: string
  /** The fleet, out of which no link may lead; default: the folder. */
  readonly root?: string
  /** By path relative to the folder. */
  readonly contents: ReadonlyMap<string, Uint8Array>
  readonly isDry: boolean
}

/**
 * Writes files that are not there yet: all of them, or none.
 * @throws StackmasonError INIT_FILE_EXISTS for every file in the way, FILE_OUTSIDE, WRITE_FAILED
 */
export async function writeNewFiles(
  { folder, root = folder, contents, isDry }: NewFiles,
  ports: WritePorts,
): Promise<void> {
  await refuseOutside(
    root,
    [...contents.keys()].map((path) => joinPath(folder, path)),
    ports,
  )
  const inTheWay: Diagnostic[] = []
  for (const path of contents.keys()) {
    const file = joinPath(folder, path)
    if ((await ports.files.stat(file)) !== undefined) inTheWay.push(existing(file))
  }
  if (inTheWay.length > 0) throw new StackmasonError(inTheWay)
  if (!isDry) await createFiles(folder, contents, ports)
}

/**
 * Refuses folders that are links out of the fleet: what is written there is none of it, and is not read.
 * @throws StackmasonError FILE_OUTSIDE for each of them
 */
export async function refuseOutside(root: string, paths: readonly string[], ports: WritePorts): Promise<void> {
  if ((await ports.files.stat(root)) === undefined) return
  const outside = new Set<string>()
  for (const folder of new Set(paths.map(dirName))) {
    if (!(await leadsOutOf(root, folder, ports))) continue
    let link = folder
    while (dirName(link) !== root && (await leadsOutOf(root, dirName(link), ports))) link = dirName(link)
    outside.add(link)
  }
  if (outside.size > 0)
    throw new StackmasonError([...outside].map((link) => outsideFleet(link, relativePath(root, link))))
}

/** The error for a file that is there already. */
export function existing(file: string): Diagnostic {
  return { code: 'INIT_FILE_EXISTS', severity: 'error', message: 'the file is there already', file }
}

/** Files by which others count: whoever is stopped before leaves no half cluster and no half fleet. */
const LAST: ReadonlySet<string> = new Set(['cluster.yaml', 'stackmason.yaml'])

/**
 * Makes files, by path relative to the folder, each whole; after a failure those that were made are gone.
 * @throws StackmasonError INIT_FILE_EXISTS where one has come meanwhile, WRITE_FAILED
 */
export async function createFiles(
  folder: string,
  contents: ReadonlyMap<string, Uint8Array>,
  { files }: WritePorts,
): Promise<void> {
  const made: string[] = []
  const folders: string[] = []
  const isLast = (path: string): boolean => LAST.has(baseName(path))
  const ordered = [...contents].toSorted(([a], [b]) => Number(isLast(a)) - Number(isLast(b)))
  for (const [path, bytes] of ordered) {
    const file = joinPath(folder, path)
    try {
      folders.push(...(await missingAbove(file, files)))
      await files.makeDirectory(dirName(file))
      if (!(await files.createExclusive(file, bytes))) throw new StackmasonError(existing(file))
      made.push(file)
    } catch (cause) {
      await undo({ made, folders }, files)
      if (!(cause instanceof FileError)) throw cause
      throw new StackmasonError(unwritable(cause, file), { cause })
    }
  }
}

/** The folders above a file that are not there, the uppermost first. */
async function missingAbove(file: string, files: Ports['files']): Promise<readonly string[]> {
  const missing: string[] = []
  for (let at = dirName(file); (await files.stat(at)) === undefined && dirName(at) !== at; at = dirName(at))
    missing.unshift(at)
  return missing
}

async function undo(
  { made, folders }: { readonly made: readonly string[]; readonly folders: readonly string[] },
  files: Ports['files'],
): Promise<void> {
  try {
    for (const file of made) await files.remove(file)
    for (const folder of folders.toReversed()) await files.removeEmptyDirectory(folder)
  } catch (error) {
    // why a file could not be written says more
    if (!(error instanceof FileError)) throw error
  }
}
