import { dirName } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { type ReadFleet, readFleet } from '../../sources/fleet/read-fleet.ts'
import { isNamed } from './fleet-part.ts'
import { findLeftOut } from './left-out.ts'
import { findOtherRepository } from './other-repository.ts'
import { keepFindings, type KeptFindings } from './keep-findings.ts'
import { supplyRuntimeValues } from './runtime-values-file.ts'

/** Which fleet a command is about. */
export interface FleetChoice {
  /** Folder to search from, upwards, for stackmason.yaml; absolute. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** A file with values of running clusters; absolute. */
  readonly runtimeValues?: string | undefined
}

/** Which clusters a command is about: names, `name` or `namespace/name`. */
export interface ClusterChoice {
  readonly clusters: readonly string[]
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
 * Finds a fleet and reads its files: all of them, or for whoever asks for a few clusters alone nothing of others.
 * @throws StackmasonError CONFIG_*, FILE_*, INPUT_NOT_CHECKED_OUT, USAGE
 */
export async function openFleet(
  { start, fleet, runtimeValues }: FleetChoice,
  ports: Ports,
  only?: ClusterChoice,
): Promise<OpenFleet> {
  const file = await findFleet(fleet ?? start, ports)
  const findings = keepFindings()
  const leftOut = await findLeftOut(dirName(file), ports)
  leftOut.refuseParts()
  const few = only === undefined || runtimeValues !== undefined ? undefined : await readFew(file, only, ports)
  const { repository, findings: warnings } = await findings.of(
    few === undefined ? leftOut.reading((seen) => readFleet(file, seen)) : Promise.resolve(few),
  )
  findings.acknowledge(repository)
  const elsewhere = await findings.of(findOtherRepository({ root: repository.fleet.root, start }, ports))
  leftOut.refuseNamed(repository)
  const found = { file, warnings: [...warnings, ...elsewhere.findings], findings }
  if (runtimeValues === undefined) return { ...found, repository }
  return { ...found, repository: await supplyRuntimeValues(repository, runtimeValues, ports) }
}

/**
 * A fleet with these clusters alone; undefined where one is not there, or something is to be said: that takes all
 * files.
 */
async function readFew(file: string, { clusters }: ClusterChoice, ports: Ports): Promise<ReadFleet | undefined> {
  try {
    const read = await readFleet(file, ports, (cluster) => clusters.some((text) => isNamed(cluster, text)))
    const isWhole = clusters.every((text) => read.repository.clusters.some((cluster) => isNamed(cluster, text)))
    return isWhole && read.findings.length === 0 ? read : undefined
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
