import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { type IgnorePattern, readIgnorePatterns } from '../../codec/text/source-ignore.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
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
  { files }: Pick<Ports, 'files'>,
): Promise<readonly Diagnostic[]> {
  const ignoring = await readIgnoreFiles(output, root, files)
  if (ignoring.length === 0) return []
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

/** The files that are there, the farthest first. */
async function readIgnoreFiles(output: string, root: string, files: Ports['files']): Promise<readonly IgnoreFile[]> {
  const found: IgnoreFile[] = []
  for (let folder = dirName(output); folder === root || isInside(root, folder); folder = dirName(folder)) {
    const path = joinPath(folder, NAME)
    if ((await files.stat(path))?.type === 'file') {
      const text = decodeUtf8(await files.read(path))
      const way = relativePath(folder, output).split('/')
      found.unshift({ source: { name: path, text }, patterns: readIgnorePatterns(text), way })
    }
    if (folder === root) break
  }
  return found
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
