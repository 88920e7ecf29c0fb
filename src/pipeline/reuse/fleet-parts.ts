import { joinPath } from '../../codec/path.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import type { FolderOutline } from '../../write/known-unit.ts'
import type { SharedFacts } from '../expand/expand-fleet.ts'
import { clusterOf, type ClusterPlaces, factOf, formatParts, isApart, type Parts, restIn } from './cluster-parts.ts'

/** Facts about the rest of a fleet, for renders of some of its clusters. */
interface KnownRest extends ClusterPlaces {
  readonly imagesFrom: readonly (readonly [stack: string, tags: readonly string[]])[]
  /** In how many places each render of a chart stands. */
  readonly charts: readonly (readonly [hash: string, places: number])[]
  /** sha256 of the lines that the record of written files has of all that is no cluster's. */
  readonly lines: string
}

/** Facts about a cluster, for runs of it and of others. */
interface KnownCluster {
  /** Its shares in the rest of the fleet. */
  readonly crossing: string
  readonly charts: readonly string[]
  readonly objects: number
  /** Kinds of stackmason's own API that it has, each as often. */
  readonly own: readonly string[]
}

/** The facts about clusters and the rest of a fleet, of one run. */
export interface FleetFacts {
  readonly repository: FleetRepository
  /** Absolute. */
  readonly output: string
  readonly shared: SharedFacts | undefined
  readonly tally: ClusterTally
}

/** The folders of clusters, added up as they come. */
export class ClusterTally {
  readonly #byCluster = new Map<string, { objects: number; readonly own: string[] }>()

  note({ path, objects, own = new Map<string, readonly string[]>() }: FolderOutline): void {
    const key = clusterOf(path)
    if (key === undefined) return
    const known = this.#byCluster.get(key) ?? { objects: 0, own: [] }
    this.#byCluster.set(key, known)
    known.objects += objects
    for (const [kind, names] of own) for (const _ of names) known.own.push(kind)
  }

  of(cluster: string): Pick<KnownCluster, 'objects' | 'own'> {
    const { objects, own } = this.#byCluster.get(cluster) ?? { objects: 0, own: [] }
    return { objects, own: own.toSorted() }
  }
}

/**
 * The facts for later runs of some clusters; undefined where something of the fleet lies among the files of a cluster,
 * so that others may depend on these.
 */
export function partsOfFleet({ repository, output, shared, tally }: FleetFacts, lines: string): Parts | undefined {
  const { fleet, clusters } = repository
  const inputs = joinPath(fleet.root, CLUSTERS)
  if (shared === undefined || !isApart(fleet, clusters, inputs)) return undefined
  const charts = new Map<string, number>()
  const count = (hashes: readonly string[]): void => {
    for (const hash of hashes) charts.set(hash, (charts.get(hash) ?? 0) + 1)
  }
  count(shared.charts)
  for (const share of shared.clusters.values()) count(share.charts)
  const rest: KnownRest = { inputs, output, imagesFrom: [...shared.imagesFrom], charts: [...charts], lines }
  return formatParts(rest, clustersOf(shared, tally))
}

function clustersOf({ clusters }: SharedFacts, tally: ClusterTally): ReadonlyMap<string, KnownCluster> {
  return new Map([...clusters].map(([key, { crossing, charts }]) => [key, { crossing, charts, ...tally.of(key) }]))
}

/** Where clusters of the fleet have their images from. */
export function imagesIn(parts: Parts): SharedFacts['imagesFrom'] {
  return new Map(renderedRest(parts)?.imagesFrom)
}

/** Facts about the rest. */
export function renderedRest(parts: Parts): KnownRest | undefined {
  const rest = restIn(parts)
  return isRest(rest) ? rest : undefined
}

function isRest(value: unknown): value is KnownRest {
  return typeof value === 'object' && value !== null && 'imagesFrom' in value && 'charts' in value && 'lines' in value
}

function isCluster(value: unknown): value is KnownCluster {
  return typeof value === 'object' && value !== null && 'crossing' in value && 'objects' in value
}

/** The changes of known facts by a run of some clusters, beside their own files. */
export interface PartsAfter {
  readonly parts: Parts
  /** Of the whole fleet. */
  readonly charts: number
  /** More than before. */
  readonly objects: number
}

/** The facts after a run of some clusters; undefined where they share something else with the rest than before. */
export function partsAfter(
  before: Parts,
  names: readonly string[],
  { shared, tally }: Pick<FleetFacts, 'shared' | 'tally'>,
): PartsAfter | undefined {
  const rest = renderedRest(before)
  if (rest === undefined || shared === undefined) return undefined
  const now = clustersOf(shared, tally)
  const charts = new Map(rest.charts)
  let objects = 0
  const count = (hashes: readonly string[], by: 1 | -1): void => {
    for (const hash of hashes) {
      const places = (charts.get(hash) ?? 0) + by
      if (places > 0) charts.set(hash, places)
      else charts.delete(hash)
    }
  }
  const clusters: [string, KnownCluster][] = []
  for (const name of names) {
    const [own, known] = [now.get(name), factOf(before, name)]
    if (own === undefined || !isCluster(known)) return undefined
    if (own.crossing !== known.crossing || own.own.join() !== known.own.join()) return undefined
    count(known.charts, -1)
    count(own.charts, 1)
    objects += own.objects - known.objects
    clusters.push([name, own])
  }
  const after: KnownRest = { ...rest, charts: [...charts] }
  return { parts: formatParts(after, clusters), charts: charts.size, objects }
}
