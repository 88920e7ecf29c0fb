import type { Diagnostic } from '../model/diagnostic.ts'
import type { CliIo } from './cli-io.ts'
import { createProgress, type Progress } from './progress.ts'

/** One run of the program, as a command sees it. */
export interface Session {
  readonly io: CliIo
  /** Prints findings and returns the exit status that they call for. */
  readonly report: (findings: readonly Diagnostic[]) => number
  /** Writes manifests to standard output as they are: they hold what the user put into them. The only way around `guardOutput`. */
  readonly writeManifests: (text: string) => void
}

/** Shows progress as the terminal and the environment allow; `verb` is what a plain line says was done. */
export function progressOf({ stderr, environment }: CliIo, verb: string, detail: 'shown' | 'quiet'): Progress {
  const mode = isInteractive({ stderr, environment }) ? 'bar' : 'lines'
  return createProgress(stderr, detail === 'quiet' ? 'none' : mode, verb)
}

/** Whether a line on standard error may be written over. */
export function isInteractive({ stderr, environment }: Pick<CliIo, 'stderr' | 'environment'>): boolean {
  return stderr.isTerminal && environment['TERM'] !== 'dumb' && (environment['CI'] ?? '') === ''
}
