import { isInside, joinPath } from '../../codec/path.ts'
import type { Cluster, Fleet, FleetRepository } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { objectPath, parseObjectPath } from '../../model/object-name.ts'
import { CLUSTERS, clusterTree, HANDOFF, HANDOFF_STACKS } from '../../model/tree-path.ts'
import { controlPaths } from '../../write/control-folder.ts'
import type { FolderOutline } from '../../write/known-unit.ts'
import type { SharedFacts } from '../expand/expand-fleet.ts'
import { handoffFolders } from '../fleet/fleet-part.ts'
import type { PartChoice } from './replay-run.ts'

/** Facts about the rest of a fleet, for runs of some of its clusters. */
interface KnownRest {
  /** The folder of the inputs of clusters, and that of the output; absolute. */
  readonly inputs: string
  readonly output: string
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

/** The cluster of a folder of the tree that is one cluster's alone. */
function clusterOf(path: string): string | undefined {
  const [top, namespace, name] = path.split('/')
  if (namespace === undefined || name === undefined) return undefined
  if (top !== CLUSTERS && (top !== HANDOFF || name === HANDOFF_STACKS)) return undefined
  return objectPath({ namespace, name })
}

/** The name of what is known of the rest; no cluster has it. */
const REST = ''

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
  return new Map([[REST, JSON.stringify(rest)], ...clustersOf(shared, tally)])
}

/** By the keys of clusters, and one for the rest. */
export type Parts = ReadonlyMap<string, string>

function clustersOf({ clusters }: SharedFacts, tally: ClusterTally): readonly (readonly [string, string])[] {
  return [...clusters].map(([key, { crossing, charts }]) => {
    const known: KnownCluster = { crossing, charts, ...tally.of(key) }
    return [key, JSON.stringify(known)]
  })
}

/** True if nobody but a cluster itself has to do with what lies in its folder. */
function isApart(fleet: Fleet, clusters: readonly Cluster[], inputs: string): boolean {
  const isBelow = (value: unknown): boolean => {
    if (typeof value === 'string') return isInside(inputs, value)
    if (typeof value !== 'object' || value === null) return false
    return (value instanceof Map ? [...value.values()] : Object.values(value)).some(isBelow)
  }
  if (isBelow(fleet)) return false
  return clusters.every(({ folder, addons }) =>
    addons.every(({ chart, templates }) =>
      [chart, templates].every((path) => path === undefined || !isInside(inputs, path) || isInside(folder, path)),
    ),
  )
}

/** The clusters that changed paths belong to; undefined where one belongs to none, or others may depend on it. */
export function findClusters(
  changed: readonly string[],
  { parts, links }: { readonly parts: Parts; readonly links: ReadonlyMap<string, string> },
): PartChoice | undefined {
  const rest = restIn(parts)
  if (rest === undefined) return undefined
  const { inputs, output } = rest
  if ([...links.values()].some((target) => isInside(inputs, target))) return undefined
  const names = new Set<string>()
  for (const path of changed) {
    if (path === joinPath(output, controlPaths.written)) continue
    const key = isInside(inputs, path)
      ? clusterOf(`${CLUSTERS}/${path.slice(inputs.length + 1)}`)
      : isInside(output, path)
        ? clusterOf(path.slice(output.length + 1))
        : undefined
    if (key === undefined || !parts.has(key) || names.add(key).size > MOST) return undefined
  }
  if (names.size === 0) return undefined
  const roots = [inputs, joinPath(output, CLUSTERS), joinPath(output, HANDOFF)].map((root) => `${root}/`)
  // asked of every path of a fleet; a cluster of another name has no folder among the stacks'
  const isOf = (path: string): boolean => {
    const root = roots.find((start) => path.startsWith(start))
    if (root === undefined) return false
    const slash = path.indexOf('/', path.indexOf('/', root.length) + 1)
    return names.has(path.slice(root.length, slash === -1 ? undefined : slash))
  }
  return { names: [...names], isOf, changed }
}

/** For more, all are looked at: what they have in common is then read once. */
const MOST = 32

/** The folders of the output that are a cluster's alone. */
export function treesOf(key: string): readonly string[] {
  const cluster = parseObjectPath(key)
  return [clusterTree(cluster), ...handoffFolders([cluster])]
}

/** Those of all clusters of which something is known. */
export function treesOfClusters(parts: Parts): readonly string[] {
  return [...parts.keys()].filter((key) => key !== REST).flatMap(treesOf)
}

/** Where clusters of the fleet have their images from. */
export function imagesIn(parts: Parts): SharedFacts['imagesFrom'] {
  return new Map(restIn(parts)?.imagesFrom)
}

/** Facts about the rest. */
export function restIn(parts: Parts): KnownRest | undefined {
  const text = parts.get(REST)
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  return isRest(value) ? value : undefined
}

function isRest(value: unknown): value is KnownRest {
  return typeof value === 'object' && value !== null && 'inputs' in value && 'charts' in value && 'lines' in value
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
  const rest = restIn(before)
  if (rest === undefined || shared === undefined) return undefined
  const now = new Map(clustersOf(shared, tally))
  const charts = new Map(rest.charts)
  let objects = 0
  const count = (hashes: readonly string[], by: 1 | -1): void => {
    for (const hash of hashes) {
      const places = (charts.get(hash) ?? 0) + by
      if (places > 0) charts.set(hash, places)
      else charts.delete(hash)
    }
  }
  const clusters: [string, string][] = []
  for (const name of names) {
    const [text, textBefore] = [now.get(name), before.get(name)]
    const [own, known]: unknown[] = [text, textBefore].map((one) => (one === undefined ? undefined : JSON.parse(one)))
    if (text === undefined || !isCluster(own) || !isCluster(known)) return undefined
    if (own.crossing !== known.crossing || own.own.join() !== known.own.join()) return undefined
    count(known.charts, -1)
    count(own.charts, 1)
    objects += own.objects - known.objects
    clusters.push([name, text])
  }
  const after: KnownRest = { ...rest, charts: [...charts] }
  return { parts: new Map([[REST, JSON.stringify(after)], ...clusters]), charts: charts.size, objects }
}

/** True if a file of the fleet's inputs or output, by its path, is one of these clusters'. */
export function isOfClusters(path: string, names: readonly string[]): boolean {
  return names.some(
    (key) =>
      path.includes(`${inputPath(parseObjectPath(key))}/`) || treesOf(key).some((tree) => path.includes(`${tree}/`)),
  )
}
