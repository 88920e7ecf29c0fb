import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { acknowledgeFindings } from './acknowledge-findings.ts'
import { distinct } from '../diagnostics.ts'
import { type FleetChoice, openFleet } from './open-fleet.ts'

/**
 * Reads a fleet and works on it. The findings of both are one list in which the warnings that the fleet acknowledges
 * are marked, also where the work fails: what was found before may be the reason.
 * @throws StackmasonError what reading the fleet and the work raise
 */
export async function withFleet<Result extends { readonly findings: readonly Diagnostic[] }>(
  choice: FleetChoice,
  ports: Ports,
  work: (repository: FleetRepository) => Promise<Result>,
): Promise<Result> {
  const { repository, warnings } = await openFleet(choice, ports)
  const mark = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    acknowledgeFindings(distinct([...warnings, ...found]), repository.fleet.acknowledged)
  try {
    const result = await work(repository)
    return { ...result, findings: mark(result.findings) }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(mark(error.diagnostics), { cause: error })
  }
}
