import type { TreeChange } from '../../model/tree-change.ts'
import type { ReportResult } from '../../pipeline/commands/report.ts'
import { countFindings } from '../../report/count-findings.ts'
import { countExceptions, describeException } from '../../report/describe-exception.ts'
import { fleetFacts } from '../../report/overview/fleet-facts.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import { countChanges, isEmpty } from '../../report/tree-change/format-diff.ts'
import type { TextReport } from '../command.ts'

/** The sums of a fleet, for people; everything else is in the page. */
export function reportText({
  fleet,
  clusters,
  objects,
  overview,
  changed,
  findings,
  exceptions,
}: ReportResult): TextReport {
  const facts = fleetFacts(overview, 'short')
  const width = Math.max(...facts.map(([what]) => what.length))
  const count = countFindings(findings)
  const standing = countExceptions(exceptions)
  return {
    output: printableLines([
      `${fleet}: ${plural(clusters, 'cluster')}, ${plural(objects, 'object')}`,
      ...facts.map(([what, text]) => `  ${what.padEnd(width)}  ${text}`),
      ...(changed === undefined ? [] : [`${changed.before} -> ${changed.after}: ${changeCount(changed.change)}`]),
      `Findings: ${count === '' ? 'none' : count}.`,
      ...(standing === undefined ? [] : [standing]),
      ...exceptions.added.map((exception) => `New in this change: ${describeException(exception)}.`),
    ]),
    findings: 'first',
  }
}

function changeCount(change: TreeChange): string {
  return isEmpty(change) ? 'no differences' : countChanges(change)
}
