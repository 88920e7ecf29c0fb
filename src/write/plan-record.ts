import { joinPath } from '../codec/path.ts'
import type { Crypto, Files } from '../model/ports.ts'
import { controlPaths, IGNORE_ALL } from './control-folder.ts'
import type { FileStep } from './plan-folder.ts'
import { isSameText } from './same-text.ts'
import { fileContent } from './serialize-folder.ts'
import { formatWrittenFiles, type WrittenFiles } from './written-files.ts'

/**
 * The steps that bring the record of written files up to date. They go through the journal like any other, so that the
 * record never says more or less than what a run did.
 */
export async function planRecord(
  written: WrittenFiles,
  output: string,
  { files, crypto }: { readonly files: Files; readonly crypto: Crypto },
): Promise<readonly FileStep[]> {
  const texts = [
    [controlPaths.ignore, IGNORE_ALL],
    [controlPaths.written, formatWrittenFiles(written)],
  ] as const
  const steps: FileStep[] = []
  for (const [path, text] of texts) {
    const content = fileContent(text, crypto)
    const absolute = joinPath(output, path)
    const before = (await files.stat(absolute))?.type === 'file' ? await files.read(absolute) : undefined
    if (before === undefined) steps.push({ path, change: 'added', content })
    else if (!isSameText(before, content.bytes)) steps.push({ path, change: 'changed', content, before })
  }
  return steps
}
