import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { formatTreeFolder, parseTreeFolder } from '../../model/tree-path.ts'
import type { DigestUnit } from '../expand/digest-unit.ts'
import type { ClusterUnit } from '../expand/cluster-unit.ts'
import type { ClusterContent, ExpandUnits, Taker, UnitPool, UnitResult } from '../expand/unit-results.ts'
import { formatShard, shardOf } from './shard.ts'
import type { JoinedShards } from './read-shards.ts'

/** The inputs of taking clusters from shards. */
export interface JoiningUnits {
  readonly shards: JoinedShards
  /** All of the fleet, in their order. */
  readonly clusters: readonly Cluster[]
  readonly digestUnit: DigestUnit
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** True once nothing will be written: then inputs may lack what a problem has kept from them. */
  readonly hasFailed: () => boolean
}

/**
 * A pool that takes what clusters came to from shards: what it gives was rendered from the inputs that are here, to the
 * byte. Clusters that stay as they are committed are expanded here.
 */
export function joinUnits(
  { shards, clusters, digestUnit, taker, hasFailed }: JoiningUnits,
  here: ExpandUnits,
): UnitPool {
  const places = new Map(clusters.map((cluster, place) => [cluster, place]))
  const take = async (unit: ClusterUnit): Promise<UnitResult | undefined> => {
    if (unit.kind !== 'rendered') return undefined
    const content = await shards.find(digestUnit(unit))
    if (content === 'withheld' || (content === undefined && hasFailed())) return undefined
    const shard = shardOf(places.get(unit.cluster) ?? 0, shards.of)
    if (content === undefined) throw notThere(unit.cluster, formatShard(shard))
    if (!isOf(content, unit.cluster))
      throw shards.damaged(shard, `what this shard holds of ${objectPath(unit.cluster)} lies outside of its folders`)
    const { summary, leaving, folders } = content
    return { summary, leaving, give: () => taker.take(folders) }
  }
  return {
    expand: async (units) => {
      const taken: (UnitResult | undefined)[] = []
      for (const unit of units) taken.push(await take(unit))
      const expanded = [...(await here(units.filter((_, index) => taken[index] === undefined)))]
      return taken.flatMap((result) => result ?? expanded.shift() ?? [])
    },
    ahead: 0,
    end: () => undefined,
  }
}

/** True if what was rendered of a cluster is about it, and lies where nothing else does. */
function isOf({ summary: { note }, folders }: ClusterContent, { namespace, name }: ObjectName): boolean {
  const paths = folders.map(({ path }) => path)
  return (
    new Set(paths).size === paths.length &&
    paths.every((path) => isOwnFolder(path, { namespace, name })) &&
    (note === undefined || (note.cluster.namespace === namespace && note.cluster.name === name))
  )
}

function isOwnFolder(path: string, { namespace, name }: ObjectName): boolean {
  const folder = parseTreeFolder(path)
  if (folder === undefined || formatTreeFolder(folder) !== path || folder.namespace !== namespace) return false
  if (folder.kind === 'handoff') return folder.of === name
  const isOutside = folder.kind === 'addons' && (folder.addon === '.' || folder.addon === '..')
  return folder.kind !== 'stack' && folder.name === name && !isOutside
}

function notThere(cluster: Cluster, shard: string): StackmasonError {
  return new StackmasonError({
    code: 'SHARD_MISMATCHED',
    severity: 'error',
    message: `shard ${shard} holds nothing of ${objectPath(cluster)} with the inputs that it has here`,
    file: cluster.source.path ?? cluster.source.name,
    hint: 'Render all shards and join them at one commit, with the same releases at the same paths.',
  })
}
