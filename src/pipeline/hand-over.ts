import type { Diagnostic } from '../model/diagnostic.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { HandedCluster, HandoffFolders, Unit } from '../model/handoff.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import type { Ports } from '../model/ports.ts'
import { renderArgo } from '../handoff/argocd/render-argo.ts'
import { renderFlux } from '../handoff/flux/render-flux.ts'
import { planUnits } from '../handoff/units/plan-units.ts'
import { readEngineSources } from './handoff-templates.ts'
import type { Scope } from './narrow.ts'
import type { FleetCluster, RenderedFleet } from './render-fleet.ts'

/** What handing a rendered fleet over needs. */
export interface HandOverRun {
  readonly repository: FleetRepository
  readonly scope: Scope
  readonly ports: Ports
}

/** The folders of the output tree. */
export interface HandedFleet {
  readonly folders: readonly RenderedFolder[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Makes the output tree of a rendered fleet: as it is when the fleet has no engine, else with what the engine must see on objects and with the engine's own
 * objects.
 * @throws StackmasonError HANDOFF_*, CONFIG_UNKNOWN_FILE
 */
export async function handOver(rendered: RenderedFleet, run: HandOverRun): Promise<HandedFleet> {
  const { fleet } = run.repository
  const stackFolders = rendered.stacks.map(({ folder }) => folder)
  const clusterFolders = rendered.clusters.flatMap((cluster) => cluster.rendered.folders)
  const folders = [...stackFolders, ...clusterFolders]
  const engine = fleet.handoff?.engine
  const planned = planUnits(rendered.stacks, rendered.clusters.map(handedCluster), { engine })
  if (engine === undefined) return { folders, findings: planned.findings }
  const handed = await renderEngine(planned.units, [...folders, ...planned.folders], run)
  return { folders: [...handed.folders, ...handed.handoff.filter(spokenFor(run.scope))], findings: planned.findings }
}

function handedCluster({ cluster, release, stackNamespace, rendered }: FleetCluster): HandedCluster {
  const [clusterFolder, ...addons] = rendered.folders
  if (clusterFolder === undefined) throw new Error(`cluster ${cluster.name} has no folder`)
  return { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues: false }
}

async function renderEngine(
  units: readonly Unit[],
  folders: readonly RenderedFolder[],
  { repository, ports }: HandOverRun,
): Promise<HandoffFolders> {
  const { handoff } = repository.fleet
  const sources = await readEngineSources(repository.fleet, ports)
  if (handoff?.engine === 'flux') return renderFlux(units, handoff, { folders, templates: sources.templates })
  if (handoff?.engine === 'argocd') return renderArgo(units, handoff, { folders, ...sources, holes: [] })
  return { folders, handoff: [] }
}

/** A run that was narrowed to clusters speaks for their own engine objects, not for folders that hold those of others. */
function spokenFor(scope: Scope): (folder: RenderedFolder) => boolean {
  const own = new Set(scope.clusters.map(({ namespace, name }) => `handoff/${namespace}/${name}`))
  return ({ path }) => scope.isWhole || own.has(path)
}
