import { isAbsolutePath, isInside, joinPath } from '../../codec/path.ts'
import type { Cluster, Fleet } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { objectPath, parseObjectPath } from '../../model/object-name.ts'
import { CLUSTERS, clusterTree, HANDOFF, HANDOFF_STACKS } from '../../model/tree-path.ts'
import { controlPaths } from '../../write/control-folder.ts'
import { handoffFolders } from '../fleet/fleet-part.ts'
import type { PartChoice } from './replay-run.ts'

/** Facts of one run about clusters, by their keys, and about the rest of their fleet: plain values as JSON. */
export type Parts = ReadonlyMap<string, string>

/** Where the files of clusters are; what is known of the rest of a fleet has these two. */
export interface ClusterPlaces {
  /** The folder of the inputs of clusters, and that of the output; absolute. */
  readonly inputs: string
  readonly output: string
}

/** The name of what is known of the rest; no cluster has it. */
const REST = ''

/** Facts as they are kept. */
export function formatParts(rest: ClusterPlaces, clusters: Iterable<readonly [key: string, fact: unknown]>): Parts {
  return new Map([
    [REST, JSON.stringify(rest)],
    ...Array.from(clusters, ([key, fact]) => [key, JSON.stringify(fact)] as const),
  ])
}

/** A fact as it is kept; undefined for any other text. */
function factIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What is known of the rest. */
export function restIn(parts: Parts): unknown {
  const text = parts.get(REST)
  return text === undefined ? undefined : factIn(text)
}

/** What is known of a cluster. */
export function factOf(parts: Parts, cluster: string): unknown {
  const text = cluster === REST ? undefined : parts.get(cluster)
  return text === undefined ? undefined : factIn(text)
}

function havePlaces(rest: unknown): rest is ClusterPlaces {
  return typeof rest === 'object' && rest !== null && 'inputs' in rest && 'output' in rest
}

/** The cluster of a folder of the tree that is one cluster's alone. */
export function clusterOf(path: string): string | undefined {
  const [top, namespace, name] = path.split('/')
  if (namespace === undefined || name === undefined) return undefined
  if (top !== CLUSTERS && (top !== HANDOFF || name === HANDOFF_STACKS)) return undefined
  return objectPath({ namespace, name })
}

/** True if nobody but a cluster itself has to do with what lies in its folder: also not by a folder around all. */
export function isApart(fleet: Fleet, clusters: readonly Cluster[], inputs: string): boolean {
  const meets = (path: string): boolean => isInside(inputs, path) || isInside(path, inputs)
  const isBelow = (value: unknown): boolean => {
    if (typeof value === 'string') return value !== fleet.root && isAbsolutePath(value) && meets(value)
    if (typeof value !== 'object' || value === null) return false
    return (value instanceof Map ? [...value.values()] : Object.values(value)).some(isBelow)
  }
  if (isBelow(fleet) || fleet.schemaFolders.some(meets)) return false
  return clusters.every(({ folder, addons }) =>
    addons.every(({ chart, templates }) =>
      [chart, templates].every((path) => path === undefined || !meets(path) || isInside(folder, path)),
    ),
  )
}

/**
 * The clusters that changed paths belong to, and some others; undefined where a path belongs to none, or others may
 * depend on it.
 */
export function findClusters(
  changed: readonly string[],
  { parts, links }: { readonly parts: Parts; readonly links: ReadonlyMap<string, string> },
  besides: readonly string[] = [],
): PartChoice | undefined {
  const rest = restIn(parts)
  if (!havePlaces(rest)) return undefined
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
  for (const name of besides) names.add(name)
  if (names.size > MOST || besides.some((name) => !parts.has(name))) return undefined
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

/** True if a file of the fleet's inputs or output, by its path, is one of these clusters'. */
export function isOfClusters(path: string, names: readonly string[]): boolean {
  return names.some(
    (key) =>
      path.includes(`${inputPath(parseObjectPath(key))}/`) || treesOf(key).some((tree) => path.includes(`${tree}/`)),
  )
}
