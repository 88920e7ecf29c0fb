import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { Ports } from '../model/ports.ts'
import { findFleet } from '../sources/fleet/find-fleet.ts'
import { readFleet } from '../sources/fleet/read-fleet.ts'
import { acknowledgeFindings } from './acknowledge-findings.ts'
import { distinct } from './diagnostics.ts'

/** Where a fleet is looked for. */
export interface FleetPlace {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
}

/**
 * Reads a fleet and works on it. The findings of both are one list in which the warnings that the fleet acknowledges are marked, also where the work fails:
 * what was found before may be the reason.
 * @throws StackmasonError what reading the fleet and the work raise
 */
export async function withFleet<Result extends { readonly findings: readonly Diagnostic[] }>(
  place: FleetPlace,
  ports: Ports,
  work: (repository: FleetRepository) => Promise<Result>,
): Promise<Result> {
  const { repository, findings } = await readFleet(await findFleet(place.fleet ?? place.start, ports), ports)
  const mark = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
    acknowledgeFindings(distinct([...findings, ...found]), repository.fleet.acknowledged)
  try {
    const result = await work(repository)
    return { ...result, findings: mark(result.findings) }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(mark(error.diagnostics), { cause: error })
  }
}
