import type { CliIo } from './cli-io.ts'
import { createProgress, type Progress } from './progress.ts'

/** Shows how far `work` is, as the terminal and the environment allow; `verb` is what a plain line says was done. */
export async function withProgress<Result>(
  { stderr, environment }: CliIo,
  { verb, detail }: { readonly verb: string; readonly detail: 'shown' | 'quiet' },
  work: (show: Progress['show']) => Promise<Result>,
): Promise<Result> {
  const mode = isInteractive({ stderr, environment }) ? 'bar' : 'lines'
  const progress = createProgress(stderr, detail === 'quiet' ? 'none' : mode, verb)
  try {
    return await work(progress.show)
  } finally {
    progress.clear()
  }
}

/** True if a line on standard error may be written over. */
export function isInteractive({ stderr, environment }: Pick<CliIo, 'stderr' | 'environment'>): boolean {
  return stderr.isTerminal && environment['TERM'] !== 'dumb' && (environment['CI'] ?? '') === ''
}
