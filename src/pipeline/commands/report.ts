import type { CheckedUnit } from '../../check/checked-unit.ts'
import { ImageCollector } from '../../inventory/collect-images.ts'
import { imageVersions } from '../../inventory/image-versions.ts'
import { newerReleases } from '../../inventory/newer-releases.ts'
import { isCapiCluster, readTopologyVersion } from '../../model/class-reference.ts'
import type { Chart } from '../../model/chart.ts'
import type { CascadeKey, ClusterOverview, FleetOverview, ValuesCascade } from '../../model/fleet-overview.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, matchReleaseTag, parseClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { ClusterStep } from '../../model/steps.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import type { ClusterUnit } from '../expand/cluster-unit.ts'
import type { OnProgress, OpenedRun } from '../expand/expand-fleet.ts'
import type { ExpandedFolders } from '../expand/expanded-unit.ts'
import { lockFileOf } from '../resolve/open-inputs.ts'
import { check, type CheckOptions, type CheckResult } from './check.ts'

/** A fleet as a whole: what it consists of, what changes, what is wrong. */
export interface ReportResult extends CheckResult {
  readonly overview: FleetOverview
  /** The difference from the base; absent where there is none, or only a part was asked for. */
  readonly changed?: { readonly before: string; readonly after: string; readonly change: TreeChange } | undefined
}

/**
 * Renders a fleet into memory, judges it as {@link check} does, and says what it consists of; writes nothing.
 * @throws StackmasonError as check
 */
export async function report(options: CheckOptions, ports: Ports, onProgress: OnProgress): Promise<ReportResult> {
  const collected = new Collected()
  let changed: ReportResult['changed']
  const result = await check({ ...options, needs: 'whole' }, ports, onProgress, {
    unit: (unit, expanded, run) => {
      collected.add(unit, expanded, run)
    },
    change: (change, labels) => {
      changed = { ...labels, change }
    },
  })
  const overview = await collected.overview(ports)
  return { ...result, overview, changed }
}

/** A cluster whose newer releases and images are not known yet. */
interface SeenCluster extends Omit<ClusterOverview, 'newer' | 'images'> {
  /** The release that cluster.yaml asks for. */
  readonly name: ReleaseName
}

/** Collects the facts about units, which are forgotten one by one. */
class Collected {
  readonly #images = new ImageCollector()
  readonly #clusters: SeenCluster[] = []
  readonly #cascades = new Map<
    string,
    { readonly addon: string; readonly keys: readonly CascadeKey[]; readonly clusters: ObjectName[] }
  >()
  #run: OpenedRun | undefined

  add(unit: CheckedUnit, { unit: own, locator }: ExpandedFolders, run: OpenedRun): void {
    this.#run = run
    for (const { manifests, destination, addon } of unit.folders)
      this.#images.add({
        manifests,
        destination: destination === 'management' ? 'management' : 'workload',
        subject: unit.subject,
        addon,
      })
    if (unit.kind !== 'cluster' || own === undefined || own.kind === 'none') return
    const { namespace, name } = own.cluster
    const cluster = { namespace, name }
    const addons = unit.cluster?.addons ?? []
    this.#clusters.push({
      cluster,
      ...releasesOf(own),
      kubernetesVersion: own.committed?.version ?? (versionOf(unit) || own.cluster.version),
      addons: addons.map(({ name: addon, chart }) => ({ name: addon, version: chart && versionOfChart(chart) })),
      ...stepOf(own.plan?.due),
    })
    for (const { name: addon } of addons) this.#note(addon, locator?.cascadeOf(addon) ?? [], cluster)
  }

  #note(addon: string, keys: readonly CascadeKey[], cluster: ObjectName): void {
    if (keys.length === 0) return
    const key = JSON.stringify([addon, keys])
    const same = this.#cascades.get(key) ?? { addon, keys, clusters: [] }
    this.#cascades.set(key, same)
    same.clusters.push(cluster)
  }

  async overview(ports: Ports): Promise<FleetOverview> {
    const known = this.#run === undefined ? [] : await knownReleases(this.#run, ports)
    const { images } = this.#images.all()
    const counts = new Map<string, number>()
    for (const { clusters } of images)
      for (const cluster of clusters) counts.set(cluster, (counts.get(cluster) ?? 0) + 1)
    const byAddon = (a: ValuesCascade, b: ValuesCascade): number =>
      a.addon === b.addon ? b.clusters.length - a.clusters.length : a.addon < b.addon ? -1 : 1
    return {
      clusters: this.#clusters.map(({ name, ...cluster }) => ({
        ...cluster,
        newer: newerReleases(name, known),
        images: counts.get(objectPath(cluster.cluster)) ?? 0,
      })),
      images: imageVersions(images),
      cascades: [...this.#cascades.values()].toSorted(byAddon),
    }
  }
}

/** Releases that the lock has, and those that the fleet asks for. */
async function knownReleases({ repository, needed }: OpenedRun, ports: Ports): Promise<readonly ReleaseName[]> {
  const lock = await readLock(lockFileOf(repository.fleet), ports)
  const locked = (lock?.releases ?? []).flatMap(({ name }) => {
    const matched = matchReleaseTag(name)
    return 'value' in matched ? [matched.value] : []
  })
  return [...locked, ...needed.map(({ name }) => name)]
}

/** Without a GitOps tool there are no steps: what cluster.yaml asks for is written at once. */
function releasesOf(
  unit: Exclude<ClusterUnit, { readonly kind: 'none' }>,
): Pick<SeenCluster, 'name' | 'stack' | 'release' | 'addonsRelease' | 'wanted'> {
  const { plan, committed, cluster } = unit
  const rendered = unit.kind === 'rendered' ? unit.inputs.release.name : unit.release.name
  if (plan === undefined) return { name: rendered, stack: stackOf(rendered), release: formatTag(rendered) }
  const tagOf = (className: string): string => formatTag(parseClassName(className))
  const name = parseClassName(cluster.className)
  const state = committed?.className === undefined ? plan.due : committed
  const release = tagOf(state.className ?? cluster.className)
  const addonsRelease = state.addons === undefined ? release : tagOf(state.addons)
  const wanted = formatTag(name)
  return {
    name,
    stack: stackOf(name),
    release,
    ...(addonsRelease !== release && { addonsRelease }),
    ...((wanted !== release || wanted !== addonsRelease) && { wanted }),
  }
}

function stackOf({ provider, stack }: ReleaseName): string {
  return `${provider}-${stack}`
}

/** That of the Cluster as it is written, which may be held back for a later step. */
function versionOf({ folders }: CheckedUnit): string {
  const written = folders.flatMap(({ manifests }) => manifests).find(isCapiCluster)
  return written === undefined ? '' : readTopologyVersion(written.object)
}

/** Of the chart, or of the only one that it depends on: what addons of releases wrap. */
function versionOfChart({ metadata, dependencies }: Chart): string {
  const [only] = dependencies
  return dependencies.length === 1 && only !== undefined ? only.metadata.version : metadata.version
}

function stepOf(due: ClusterStep | undefined): Pick<ClusterOverview, 'step'> {
  return due === undefined || due.action === 'keep' ? {} : { step: due.summary }
}
