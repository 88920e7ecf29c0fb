import type { Report } from '../../report/report.ts'
import { jsonDiff } from '../../report/tree-change/json-diff.ts'
import type { DiffOutcome } from './outcome.ts'

/** The difference for programs (schemas/diff-report.json). */
export function diffReport({ before, after, change, inputs, findings }: DiffOutcome): Report {
  return {
    kind: 'DiffReport',
    content: { ...jsonDiff({ before, after, change }), inputs },
    findings,
  }
}
