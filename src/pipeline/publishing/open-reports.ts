import { adviceOnForge, type ForgeHints } from '../../network/forges/locate-forge.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PublishConfig } from '../../model/publish-config.ts'
import type { Ports } from '../../model/ports.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { BranchHistory } from './branch-history.ts'
import { locateTarget } from './locate-target.ts'
import type { PreparedSource } from './prepare-source.ts'
import type { OpenForge } from './forge-session.ts'
import { StatusGate, StepReports } from './status-gate.ts'

/** The inputs of reading statuses. */
export interface GateRequest {
  readonly prepared: PreparedSource
  readonly publish: PublishConfig
  readonly openForge: OpenForge | undefined
}

/** A branch, as far as something is reported on it. */
export interface OpenedReports {
  readonly reports: StepReports
  /** Absent where upgrades wait for no status. */
  readonly gate?: StatusGate
  readonly findings: readonly Diagnostic[]
}

/**
 * Opens what says whether steps are applied; undefined where the branch is not there yet. Nothing is asked before it
 * matters.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS
 */
export async function openReports(
  { prepared, publish, openForge: open = openForge }: GateRequest,
  ports: Ports,
): Promise<OpenedReports | undefined> {
  const { statuses } = publish
  const { remote, path, tip } = prepared
  if (tip === undefined) return undefined
  const { repository, url } = remote
  const history = new BranchHistory({ repository, url, commit: tip, path }, ports)
  if (statuses === undefined) return { reports: new StepReports(undefined, history, undefined), findings: [] }
  const location = locateTarget(remote, publish, ports)
  const forge = location && (await open(location, { ports, offline: false }))
  const reports = new StepReports(statuses, history, forge)
  return {
    reports,
    gate: new StatusGate(reports),
    findings: forge === undefined ? [unknownForge(url, publish.forge)] : [],
  }
}

function unknownForge(url: string, hints: ForgeHints): Diagnostic {
  return {
    code: 'PUBLISH_STATUS_UNKNOWN',
    severity: 'warning',
    message: `nothing tells which forge ${shownUrl(url)} is on, so no commit status can be read, and upgrades wait`,
    hint: `${adviceOnForge(url, hints)}, or take spec.publish.statuses out.`,
  }
}
