import type { LiveObject } from '../../adopt/live-object.ts'
import { readObjects } from '../../adopt/read-objects.ts'
import { joinPath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type Files, type Ports } from '../../model/ports.ts'

/** A file with exported objects, or a folder of such files. */
export interface ObjectPath {
  /** Absolute. */
  readonly path: string
  /** The cluster whose objects it holds; see LiveObject. */
  readonly clusterKey: string
}

/** No export that a person makes is larger. */
const MAX_BYTES = 128 * 1024 * 1024

/**
 * Reads exported objects: files, and the .yaml, .yml and .json files directly in folders.
 * @throws StackmasonError with the problems of every file: FILE_UNREADABLE, CONFIG_SYNTAX, ADOPT_INPUT_INVALID
 */
export async function readObjectFiles(
  inputs: readonly ObjectPath[],
  { files }: Pick<Ports, 'files'>,
): Promise<readonly LiveObject[]> {
  const objects: LiveObject[] = []
  const problems: Diagnostic[] = []
  const seen = new Set<string>()
  for (const { path, clusterKey: place } of inputs) {
    try {
      for (const file of await filesOf(path, files)) {
        const key = JSON.stringify([file, place])
        if (seen.has(key)) continue
        seen.add(key)
        const read = await readFile(file, place, files)
        objects.push(...read.objects)
        problems.push(...read.problems)
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      problems.push(unreadable(error, { what: 'the file', file: path }))
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  return objects
}

async function filesOf(path: string, files: Files): Promise<readonly string[]> {
  const real = await realPathOf(path, files)
  if (real === undefined || (await files.stat(real))?.type !== 'directory') return [path]
  const entries = await files.entries(path)
  return entries
    .filter(({ name, type }) => type !== 'directory' && /\.(?:ya?ml|json)$/.test(name))
    .map(({ name }) => joinPath(path, name))
}

/** Undefined for what has no path of its own, as a pipe behind /dev/fd/63, and for what is not there. */
async function realPathOf(path: string, files: Files): Promise<string | undefined> {
  try {
    return await files.realPath(path)
  } catch (error) {
    // reading says what is wrong
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function readFile(file: string, clusterKey: string, files: Files): Promise<ReturnType<typeof readObjects>> {
  const real = await realPathOf(file, files)
  const stat = real === undefined ? undefined : await files.stat(real)
  const tooLarge = (stat?.size ?? 0) > MAX_BYTES
  if (tooLarge) {
    const message = 'the file is larger than 128 MiB'
    return { objects: [], problems: [{ code: 'ADOPT_INPUT_INVALID', severity: 'error', message, file }] }
  }
  return readObjects({ file, clusterKey, text: decodeUtf8(await files.read(file, 'stream')).replace(/^\uFEFF/, '') })
}
