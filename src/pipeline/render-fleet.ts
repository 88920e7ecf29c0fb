import { refuseClassHoles } from '../handoff/binding/refuse-class-holes.ts'
import { imageRules } from '../handoff/images/image-rules.ts'
import { refuseUnknownImages } from '../handoff/images/refuse-unknown-images.ts'
import { clusterAt } from '../handoff/steps/cluster-at.ts'
import { type Diagnostic, type FindingSubject, StackmasonError, withSubject } from '../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../model/fleet.ts'
import type { HandoffStack, UnitRelease, UnitStack } from '../model/handoff.ts'
import { objectPath } from '../model/object-name.ts'
import type { Ports } from '../model/ports.ts'
import { formatClassName, formatTag } from '../model/release-name.ts'
import type { Release } from '../model/release.ts'
import { locating } from '../render/explain/locate-findings.ts'
import type { Locator } from '../render/explain/locator.ts'
import { createTraceMemory } from '../render/explain/trace-memory.ts'
import type { ChartRenderer } from '../render/stack/chart-renderer.ts'
import { createPlacer } from '../render/stack/place.ts'
import { renderClass, type RenderedClass } from '../render/stack/render-class.ts'
import { renderCluster, type RenderedCluster } from '../render/stack/render-cluster.ts'
import type { NeededRelease } from '../render/stack/select-releases.ts'
import type { CompleteChart } from './complete-charts.ts'
import { diagnosticsOf, distinct } from './diagnostics.ts'
import type { ClusterLifecycle } from './fleet-lifecycle.ts'
import { createImageChoice } from './image-variables.ts'
import type { LoadedReleases } from './load-releases.ts'
import type { FleetPart } from './fleet-part.ts'
import { readOwnAddons } from './own-addons.ts'
import { unusedPatches, unusedValues } from './unused-inputs.ts'

/** Told after each unit of work; `total` is known from the first call on. */
export type OnProgress = (event: { readonly done: number; readonly total: number; readonly label: string }) => void

/** What rendering a fleet needs. */
export interface FleetRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  readonly loaded: LoadedReleases
  readonly complete: CompleteChart
  readonly charts: ChartRenderer
  readonly ports: Ports
  readonly onProgress: OnProgress
}

/** A stack of a run. */
export interface FleetStack extends HandoffStack {
  /** Whether the run writes it; others are there because clusters of the run use them. */
  readonly isInPart: boolean
  /** Where the fields of its objects come from. */
  readonly locator: Locator
}

/** A cluster of a run, and what it was rendered to. */
export interface FleetCluster {
  readonly cluster: Cluster
  /** Its steps; undefined without a GitOps tool. */
  readonly lifecycle: ClusterLifecycle | undefined
  readonly release: Release
  /** Namespace of its class. */
  readonly stackNamespace: string
  readonly rendered: RenderedCluster
}

/** A cluster of which this run writes what is committed, or nothing more. */
export type KeptCluster = Omit<FleetCluster, 'rendered' | 'lifecycle' | 'release'> & {
  readonly lifecycle: ClusterLifecycle
  readonly release: UnitRelease
}

/** What a fleet was rendered to, before a GitOps tool's needs are met. */
export interface RenderedFleet {
  readonly stacks: readonly FleetStack[]
  readonly clusters: readonly FleetCluster[]
  readonly kept: readonly KeptCluster[]
  /** Stacks that stay as they are committed. */
  readonly keptStacks: readonly UnitStack[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Renders the classes and then the clusters of a run to the folders of the output tree.
 * @throws StackmasonError with the problems of every class and cluster
 */
export async function renderFleet(run: FleetRun): Promise<RenderedFleet> {
  const { fleet } = run.repository
  const options = {
    helmVersion: fleet.helmVersion,
    instanceLabel: fleet.instanceLabel,
    scopes: fleet.scopes,
    charts: run.charts,
    place: createPlacer(),
    traceMemory: createTraceMemory(),
    crypto: run.ports.crypto,
    runtimeFields: fleet.handoff === undefined ? ('refuse' as const) : ('bind' as const),
  }
  const stacks: FleetStack[] = []
  const clusters: FleetCluster[] = []
  const kept: KeptCluster[] = []
  const keptStacks: UnitStack[] = [...run.loaded.keptStacks]
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  const total = run.loaded.needed.length + run.part.clusters.length
  let done = 0
  run.onProgress({ done, total, label: '' })
  const attempt = async (
    { label, about }: { readonly label: string; readonly about: FindingSubject },
    work: () => Promise<readonly Diagnostic[]> | readonly Diagnostic[],
  ): Promise<void> => {
    try {
      findings.push(...(await work()).map((finding) => withSubject(finding, about)))
    } catch (error) {
      problems.push(...diagnosticsOf(error).map((finding) => withSubject(finding, about)))
    }
    run.onProgress({ done: ++done, total, label })
  }

  const classes = new Map<NeededRelease, RenderedClass>()
  const chooseImages = createImageChoice(fleet)
  for (const needed of run.loaded.needed) {
    const tag = formatTag(needed.name)
    await attempt({ label: `${needed.namespace}/${tag}`, about: { release: tag } }, async () => {
      const release = run.loaded.releases.get(tag)
      if (release === undefined) return []
      try {
        const rendered = renderClass(release, needed.namespace, options)
        const stack = { namespace: needed.namespace, release, folder: rendered.folder }
        if (fleet.handoff !== undefined)
          locating(rendered.locator, () => {
            checkStack(stack, run.repository)
          })
        classes.set(needed, rendered)
        stacks.push({ ...stack, isInPart: run.part.renderStacks(needed), locator: rendered.locator })
        return rendered.findings
      } catch (error) {
        const skipped = await run.loaded.skip(needed, diagnosticsOf(error))
        if (skipped === undefined) throw error
        if (skipped.stack !== undefined) keptStacks.push(skipped.stack)
        return [skipped.finding]
      }
    })
  }
  for (const cluster of run.part.clusters) {
    const label = objectPath(cluster)
    await attempt({ label, about: { cluster: label } }, async () => {
      const lifecycle = run.loaded.lifecycle?.clusters.get(cluster)
      const needed = lifecycle?.release ?? run.loaded.byCluster.get(cluster)
      if (needed === undefined) return []
      const tag = formatTag(needed.name)
      const release = run.loaded.releases.get(tag)
      const known = release ?? run.loaded.keptReleases.get(tag)
      if (lifecycle !== undefined && lifecycle.plan.content !== 'rendered' && known !== undefined) {
        kept.push({ cluster, lifecycle: lifecycle, release: known, stackNamespace: needed.namespace })
        return []
      }
      if (release === undefined) return []
      const { clusterClass, folder, locateField } = classes.get(needed) ?? {}
      const here = lifecycle === undefined ? cluster : clusterAt(cluster, release)
      const inputs = {
        cluster: chooseImages(here, folder && { namespace: needed.namespace, release, folder }),
        release,
        ...(clusterClass === undefined ? {} : { clusterClass }),
        ...(locateField !== undefined && { locateInClass: locateField }),
        ...(lifecycle?.committed?.object === undefined ? {} : { committed: lifecycle.committed.object }),
        ...(await readOwnAddons(cluster, run.repository.fleet.root, run)),
      }
      const rendered = renderCluster(inputs, options)
      clusters.push({ cluster, lifecycle, release, stackNamespace: needed.namespace, rendered })
      return rendered.findings
    })
  }
  const results = clusters.map(({ rendered }) => rendered)
  const isWhole = run.part.isWhole && kept.length === 0
  const written = run.part.clusters.filter((cluster) => !kept.some((other) => other.cluster === cluster))
  problems.push(...unusedPatches(written, results, isWhole))
  problems.push(...unusedValues(written, results, isWhole))
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  return { stacks, clusters, kept, keptStacks, findings }
}

/**
 * What the handoff of a stack demands of it alone.
 * @throws StackmasonError SECRET_NOT_MADE, RELEASE_METADATA_INVALID, NODE_IMAGE_UNKNOWN
 */
function checkStack(stack: HandoffStack, { fleet, clusters }: FleetRepository): void {
  const rules = imageRules(fleet.nodeImages, stack.release.name)
  const className = formatClassName(stack.release.name)
  // which of the images that exist are needed can be up to the clusters
  const isUpToClusters = rules.use === 'existing' && clusters.some((cluster) => cluster.className === className)
  const problems = [
    ...refuseClassHoles(stack.folder.manifests),
    ...(isUpToClusters ? [] : refuseUnknownImages(stack, rules)),
  ]
  if (problems.length > 0) throw new StackmasonError(problems)
}
