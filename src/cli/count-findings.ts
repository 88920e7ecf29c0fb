import type { Diagnostic } from '../model/diagnostic.ts'
import { foldFindings } from './fold-findings.ts'
import { plural } from './plural.ts'

/** How many findings of each kind there are, equal ones counted once: `2 errors, 1 warning, 3 notes`; '' when there is none. */
export function countFindings(findings: readonly Diagnostic[]): string {
  const folded = foldFindings(findings)
  return (['error', 'warning', 'note'] as const)
    .map((severity) => ({ severity, count: folded.filter(({ finding }) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => plural(count, severity))
    .join(', ')
}
