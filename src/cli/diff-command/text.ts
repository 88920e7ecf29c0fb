import type { ShortenPath } from '../../report/shorten-path.ts'
import { formatDiff } from '../../report/tree-change/format-diff.ts'
import type { TextReport } from '../command.ts'
import type { DiffOutcome } from './outcome.ts'

/** The difference for people. */
export function diffText(outcome: DiffOutcome, shorten: ShortenPath): TextReport {
  return { output: outcome.isQuiet ? '' : formatDiff(outcome, outcome.detail, shorten.command) }
}
