import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PublishConfig } from '../../model/publish-config.ts'
import type { Ports } from '../../model/ports.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { BranchHistory } from './branch-history.ts'
import { locateTarget } from './locate-target.ts'
import type { PreparedSource } from './prepare-source.ts'
import type { OpenForge } from './forge-session.ts'
import { StatusGate } from './status-gate.ts'

/** What statuses are read for. */
export interface GateRequest {
  readonly prepared: PreparedSource
  readonly publish: PublishConfig
  readonly openForge: OpenForge | undefined
}

/** A gate, and what is to be said of it. */
export interface OpenedGate {
  readonly gate: StatusGate
  readonly findings: readonly Diagnostic[]
}

/**
 * Opens what says by commit statuses whether steps are applied; undefined where the fleet names none, or nothing is
 * there yet. Nothing is asked before it matters.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS
 */
export async function openStatusGate(
  { prepared, publish, openForge: open = openForge }: GateRequest,
  ports: Ports,
): Promise<OpenedGate | undefined> {
  const { statuses } = publish
  const { remote, path, tip } = prepared
  if (statuses === undefined || tip === undefined) return undefined
  const { repository, url } = remote
  const history = new BranchHistory({ repository, url, commit: tip, path }, ports)
  const place = locateTarget(remote, publish, ports)
  if (place === undefined) return { gate: new StatusGate(statuses, history, undefined), findings: [unknownForge(url)] }
  const forge = await open(place, { ports, offline: false })
  return { gate: new StatusGate(statuses, history, forge), findings: [] }
}

function unknownForge(url: string): Diagnostic {
  return {
    code: 'PUBLISH_STATUS_UNKNOWN',
    severity: 'warning',
    message: `nothing tells which forge ${shownUrl(url)} is on, so no commit status can be read, and upgrades wait`,
    hint: 'Name it in spec.publish.forge of stackmason.yaml (kind and url), or take spec.publish.statuses out.',
  }
}
