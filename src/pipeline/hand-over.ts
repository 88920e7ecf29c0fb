import type { Hole } from '../model/binding.ts'
import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { HandoffConfig } from '../model/handoff-config.ts'
import type { HandedCluster, HandoffFolders, Unit } from '../model/handoff.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import type { Ports } from '../model/ports.ts'
import { bindCluster } from '../handoff/binding/bind-cluster.ts'
import { checkBinding } from '../handoff/binding/check-binding.ts'
import { createHookTranslator } from '../handoff/hooks/translate-hooks.ts'
import { diagnosticsOf, distinct } from './diagnostics.ts'
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
  const engine = run.repository.fleet.handoff?.engine
  const findings: Diagnostic[] = []
  const translate = engine === undefined ? undefined : createHookTranslator(engine)
  const translated = (folder: RenderedFolder): RenderedFolder => {
    if (translate === undefined) return folder
    const { manifests, report } = translate(folder.manifests)
    findings.push(...report)
    return { ...folder, manifests }
  }
  const stacks = rendered.stacks.map((stack) => ({ ...stack, folder: translated(stack.folder) }))
  const problems: Diagnostic[] = []
  const bound = rendered.clusters.flatMap((cluster) => {
    try {
      return [bind(cluster, translated, engine)]
    } catch (error) {
      problems.push(...diagnosticsOf(error))
      return []
    }
  })
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  const folders = [...stacks.map(({ folder }) => folder), ...bound.flatMap(({ handed }) => foldersOf(handed))]
  const planned = planUnits(
    stacks,
    bound.map(({ handed }) => handed),
    { engine },
  )
  findings.push(...planned.findings)
  if (engine === undefined) return { folders, findings }
  const holes = bound.flatMap((cluster) => cluster.holes)
  const made = await renderEngine({ units: planned.units, folders: [...folders, ...planned.folders], holes }, run)
  return { folders: [...made.folders, ...made.handoff.filter(spokenFor(run.scope))], findings }
}

interface BoundFleetCluster {
  readonly handed: HandedCluster
  readonly holes: readonly Hole[]
}

function bind(
  { cluster, release, stackNamespace, rendered }: FleetCluster,
  translated: (folder: RenderedFolder) => RenderedFolder,
  engine: HandoffConfig['engine'] | undefined,
): BoundFleetCluster {
  const folders = rendered.folders.map(translated)
  const bound = bindCluster({ cluster, folders, assumptions: rendered.assumptions, engine })
  const differences = checkBinding(bound.holes, bound.binding, rendered.assumptions)
  // a defect of ours, never of the input: what is applied would wait for ever
  if (differences.length > 0) throw new Error(`the binding of ${cluster.name}: ${differences.join('; ')}`)
  const [clusterFolder, ...addons] = bound.folders
  if (clusterFolder === undefined) throw new Error(`cluster ${cluster.name} has no folder`)
  // a binding of Secrets alone publishes no values that a unit could wait for
  const hasRuntimeValues = bound.holes.length > 0
  return {
    handed: { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues },
    holes: bound.holes,
  }
}

function foldersOf({ clusterFolder, addons }: HandedCluster): readonly RenderedFolder[] {
  return [clusterFolder, ...addons]
}

interface PlannedTree {
  readonly units: readonly Unit[]
  readonly folders: readonly RenderedFolder[]
  readonly holes: readonly Hole[]
}

async function renderEngine(
  { units, folders, holes }: PlannedTree,
  { repository, ports }: HandOverRun,
): Promise<HandoffFolders> {
  const { handoff } = repository.fleet
  const sources = await readEngineSources(repository.fleet, ports)
  if (handoff?.engine === 'flux') return renderFlux(units, handoff, { folders, templates: sources.templates })
  if (handoff?.engine === 'argocd') return renderArgo(units, handoff, { folders, ...sources, holes })
  return { folders, handoff: [] }
}

/** A run that was narrowed to clusters speaks for their own engine objects, not for folders that hold those of others. */
function spokenFor(scope: Scope): (folder: RenderedFolder) => boolean {
  const own = new Set(scope.clusters.map(({ namespace, name }) => `handoff/${namespace}/${name}`))
  return ({ path }) => scope.isWhole || own.has(path)
}
