import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { compilePathPattern, PathPatternError } from '../../codec/match-path.ts'
import { baseName, dirName, isInside, joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source, Span } from '../../model/source.ts'

const NAME = '.gitattributes'

/** Attributes by which git gives a file other bytes than the commit has; line endings are passed over. */
const ALTERING: readonly string[] = ['filter', 'ident', 'working-tree-encoding']

/** A line of a .gitattributes by which git alters files. */
interface AlteringLine {
  readonly place: Span
  /** Folder of the file, absolute. */
  readonly folder: string
  /** True if it may be about a file, by its name: too often rather than too rarely. */
  readonly mayMatch: (name: string) => boolean
}

/**
 * Finds rendered files of which the commit has other content than the disk, because git alters them as a
 * .gitattributes says: they are reviewed and checked in one form, and a GitOps tool applies another. `committed`: ids
 * of blobs by path relative to the output folder; `unchanged`: paths that hold what is rendered.
 */
export async function findAlteredOutput(
  { output, root }: { readonly output: string; readonly root: string },
  { committed, unchanged }: { readonly committed: ReadonlyMap<string, string>; readonly unchanged: Iterable<string> },
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<readonly Diagnostic[]> {
  const inner = [...committed.keys()].filter((path) => baseName(path) === NAME).map((path) => joinPath(output, path))
  const lines = await readAltering([...filesAbove(output, root), ...inner], files)
  if (lines.length === 0) return []
  const asked = new Map<string, { readonly id: string; readonly line: AlteringLine }>()
  for (const path of unchanged) {
    const id = committed.get(path)
    const file = joinPath(output, path)
    const line = lines.find(({ folder, mayMatch }) => isInside(folder, file) && mayMatch(baseName(path)))
    if (id !== undefined && line !== undefined) asked.set(path, { id, line })
  }
  const blobs = await git.readBlobs(output, [...new Set(Array.from(asked.values(), ({ id }) => id))])
  const found: Diagnostic[] = []
  for (const [path, { id, line }] of asked) {
    const file = joinPath(output, path)
    const blob = blobs.get(id)
    if (blob === undefined || sameText(blob) === sameText(await files.read(file))) continue
    found.push({
      code: 'OUTPUT_ALTERED',
      severity: 'error',
      message: `the last commit has other content of ${file} than the disk, and git alters such files by this line: a GitOps tool may apply what nobody has seen`,
      at: line.place,
      hint: 'Take the line out, check the files out anew (`git rm --cached -r -q . && git reset --hard`), and render again.',
    })
  }
  return found
}

function filesAbove(output: string, root: string): readonly string[] {
  const found: string[] = []
  for (let folder = dirName(output); ; folder = dirName(folder)) {
    found.unshift(joinPath(folder, NAME))
    if (folder === root || !isInside(root, folder)) return found
  }
}

async function readAltering(paths: readonly string[], files: Ports['files']): Promise<readonly AlteringLine[]> {
  const lines: AlteringLine[] = []
  const altering = new Set(ALTERING)
  for (const path of paths) {
    if ((await files.stat(path))?.type !== 'file') continue
    const source: Source = { name: path, text: decodeUtf8(await files.read(path)) }
    for (const { 0: line, index: start } of source.text.matchAll(/[^\r\n]+/g)) {
      const [, pattern = '', attributes = ''] = /^\s*("(?:[^"\\]|\\.)*"|\S+)\s+(.*)$/.exec(line) ?? []
      if (pattern.startsWith('#') || !attributes.split(/\s+/).some((text) => isAltering(text, altering))) continue
      // a name for attributes, which lines below it may use
      if (pattern.startsWith('[attr]')) altering.add(pattern.slice('[attr]'.length))
      else {
        const place = { source, start, end: start + line.length }
        lines.push({ place, folder: dirName(path), mayMatch: matcherOf(pattern) })
      }
    }
  }
  return lines
}

/** True for an attribute that is set, to something that changes bytes. */
function isAltering(text: string, altering: ReadonlySet<string>): boolean {
  const [name = '', value] = text.split('=')
  return altering.has(name) && !(name === 'working-tree-encoding' && /^utf-?8$/i.test(value ?? ''))
}

function matcherOf(pattern: string): (name: string) => boolean {
  const last = pattern.startsWith('"') ? undefined : pattern.slice(pattern.lastIndexOf('/') + 1)
  if (last === undefined || last === '' || last.includes('**')) return () => true
  try {
    return compilePathPattern(last)
  } catch (error) {
    if (error instanceof PathPatternError) return () => true
    throw error
  }
}

/** Line endings are what git may change. */
function sameText(bytes: Uint8Array): string {
  return decodeUtf8(bytes).replaceAll('\r\n', '\n')
}
