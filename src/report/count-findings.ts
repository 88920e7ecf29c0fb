import type { Diagnostic } from '../model/diagnostic.ts'
import { foldFindings } from './fold-findings.ts'
import { plural } from './plural.ts'

/**
 * How many findings of each kind there are, equal ones counted once: `2 errors, 1 warning, 4 acknowledged, 3 notes (-o
 * json lists them)`; '' when there is none. People see no note of a run otherwise.
 */
export function countFindings(findings: readonly Diagnostic[]): string {
  const folded = foldFindings(findings).map(({ finding }) => finding)
  const kinds = ['error', 'warning', 'acknowledged', 'note'] as const
  const kindOf = ({ severity, acknowledgement }: Diagnostic): (typeof kinds)[number] =>
    acknowledgement === undefined ? severity : 'acknowledged'
  return kinds
    .map((kind) => ({ kind, count: folded.filter((finding) => kindOf(finding) === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) =>
      kind === 'acknowledged'
        ? `${String(count)} acknowledged`
        : plural(count, kind) + (kind === 'note' ? placeOf(count) : ''),
    )
    .join(', ')
}

function placeOf(notes: number): string {
  return ` (-o json lists ${notes === 1 ? 'it' : 'them'})`
}

/**
 * The count as a line, where some findings are counted only: acknowledged warnings and notes; '' where all are shown.
 */
export function countHidden(findings: readonly Diagnostic[]): string {
  return findings.some(({ severity, acknowledgement }) => severity === 'note' || acknowledgement !== undefined)
    ? `${countFindings(findings)}.\n`
    : ''
}
