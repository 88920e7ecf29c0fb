import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleet } from '../../sources/fleet/read-fleet.ts'
import { keepFindings, type KeptFindings } from './keep-findings.ts'
import { supplyRuntimeValues } from './runtime-values-file.ts'

/** Which fleet a command is about. */
export interface FleetChoice {
  /** Folder to search from, upwards, for stackmason.yaml; absolute. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** A file with values of running clusters; absolute. */
  readonly runtimeValues?: string
}

/** A fleet that was found and read. */
export interface OpenFleet {
  /** stackmason.yaml; absolute. */
  readonly file: string
  readonly repository: FleetRepository
  /** Warnings of reading it. */
  readonly warnings: readonly Diagnostic[]
  /** Keeps them, and takes up those of all that follows. */
  readonly findings: KeptFindings
}

/**
 * Finds a fleet and reads all of its files.
 * @throws StackmasonError CONFIG_*, FILE_*, USAGE
 */
export async function openFleet({ start, fleet, runtimeValues }: FleetChoice, ports: Ports): Promise<OpenFleet> {
  const file = await findFleet(fleet ?? start, ports)
  const findings = keepFindings()
  const { repository, findings: warnings } = await findings.of(readFleet(file, ports))
  findings.acknowledge(repository.fleet.acknowledged)
  if (runtimeValues === undefined) return { file, repository, warnings, findings }
  return { file, repository: await supplyRuntimeValues(repository, runtimeValues, ports), warnings, findings }
}
