import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { baseName, joinPath } from '../codec/path.ts'
import type { Crypto, Files } from '../model/ports.ts'
import { controlPaths, IGNORE_ALL } from './control-folder.ts'
import type { FileStep } from './plan-folder.ts'
import { sha256 } from './sha256.ts'

/**
 * The steps that bring the record of written files up to date. They go through the journal like any other, so that the
 * record never says more or less than what a run did. `written` is its new content, if that differs.
 */
export async function planRecord(
  written: { readonly bytes: Iterable<Uint8Array> } | undefined,
  output: string,
  { files, crypto }: { readonly files: Files; readonly crypto: Crypto },
): Promise<readonly FileStep[]> {
  const contents = [
    [controlPaths.ignore, encodeUtf8(IGNORE_ALL)],
    ...(written === undefined ? [] : [[controlPaths.written, written.bytes] as const]),
  ] as const
  const steps: FileStep[] = []
  for (const [path, bytes] of contents) {
    const name = baseName(path)
    const content = { bytes, sha256: sha256(bytes, crypto) }
    const absolute = joinPath(output, path)
    const before =
      (await files.stat(absolute))?.type === 'file' ? sha256(await files.read(absolute, 'record'), crypto) : undefined
    if (before === undefined) steps.push({ name, change: 'added', content })
    else if (before !== content.sha256) steps.push({ name, change: 'changed', content, before })
  }
  return steps
}
