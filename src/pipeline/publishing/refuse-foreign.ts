import type { TarFile } from '../../codec/bytes/tar.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { hasGeneratedHead } from '../../codec/text/generated-head.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { isInertName } from '../../model/inert-name.ts'
import { KUSTOMIZATION_FILE, OLD_INVENTORY } from '../../model/tree-path.ts'
import { listedFiles } from '../../write/kustomization-file.ts'

/** Findings that one run gives of this. */
const MOST = 10

/**
 * Finds files of somebody else among those of a tree. A file is ours by its first line, or by that of the list beside
 * it. Paths as they are given.
 */
export function findForeign(files: readonly TarFile[]): readonly string[] {
  const lists = new Map<string, ReadonlySet<string>>()
  for (const { path, bytes } of files)
    if (baseName(path) === KUSTOMIZATION_FILE) lists.set(dirName(path), listedFiles(decodeUtf8(bytes)))
  const isOurs = ({ path, bytes }: TarFile): boolean =>
    isInertName(baseName(path)) ||
    baseName(path) === OLD_INVENTORY ||
    hasGeneratedHead(decodeUtf8(bytes.subarray(0, 100))) ||
    lists.get(dirName(path))?.has(baseName(path)) === true
  return files.filter((file) => !isOurs(file)).map(({ path }) => path)
}

/**
 * Refuses to push a tree with files of somebody else, by their paths in `folder`: whoever applies an artifact applies
 * all of it, and what is signed is ours.
 * @throws StackmasonError OUTPUT_FOREIGN
 */
export function refuseForeign(foreign: readonly string[], folder: string): void {
  if (foreign.length === 0) return
  const more = foreign.length > MOST ? ` (one of ${String(foreign.length)} files)` : ''
  const findings = foreign
    .toSorted(compareBytes)
    .slice(0, MOST)
    .map((path): Diagnostic => ({
      code: 'OUTPUT_FOREIGN',
      severity: 'error',
      message: `stackmason did not write this${more}, and whoever applies the artifact would apply it, so it is not pushed to the registry`,
      file: joinPath(folder, path),
      hint: 'Move it out of the output folder, and push that.',
    }))
  throw new StackmasonError(findings)
}
