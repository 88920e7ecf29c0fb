import { writePlain } from '../../codec/plain-text.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { createDigests, createUnitDigests, type DigestUnit } from '../expand/digest-unit.ts'
import { joinUnits } from './join-units.ts'
import { knownSources } from './known-sources.ts'
import { createPortableText } from './portable-text.ts'
import { readShards } from './read-shards.ts'
import { type Shard, shardOf } from './shard.ts'
import { digestInputs, type ShardInputs } from './shard-inputs.ts'
import type { PartTexts } from './shard-part.ts'
import { keepApart } from './shard-units.ts'
import type { AskedShards, ShardedRun, ShardedUnits } from '../expand/sharded-units.ts'
import { ShardWriter, type WrittenShard } from './write-shard.ts'

/** The facts that all shards of a run and its join share, besides their inputs. */
export interface ShardKind {
  /** The version of the program, and its sha256 where that is known. */
  readonly program: string
  readonly mode: 'write' | 'check'
}

/** The shard that a process renders. */
export interface OwnShard extends ShardKind {
  readonly shard: Shard
  /** A folder of its own; absolute. */
  readonly folder: string
  /** True if a text holds no secret. */
  readonly isClean: (text: string) => boolean
}

/** Expands every n-th cluster, and keeps what it comes to in a folder. */
export interface ShardRun extends ShardedRun {
  /** Ends the shard. @throws StackmasonError WRITE_FAILED */
  readonly end: () => Promise<WrittenShard>
}

/** Makes a {@link ShardRun}. */
export function createShardRun({ shard, folder, isClean, ...kind }: OwnShard, ports: Ports): ShardRun {
  let end: (() => Promise<WrittenShard>) | undefined
  return {
    clustersOf: (all) => all.filter((_, place) => shardOf(place, shard.of).index === shard.index),
    open: async ({ inputs, context }) => {
      const { repository } = inputs
      const { texts, digestUnit, digested } = await digest({ inputs, context }, ports)
      const writer = new ShardWriter({ folder, texts, isClean }, ports)
      await writer.open()
      end = () => writer.end({ ...kind, fleet: repository.fleet.name, shard, inputs: digested })
      const { taker, pool } = keepApart(digestUnit, (cluster) => writer.add(cluster))
      return { expands: 'part', taker, pool: (_, open) => pool(open()) }
    },
    end: () => {
      if (end === undefined) throw new Error('a shard ends before it has begun')
      return end()
    },
  }
}

/** Takes what clusters came to from the shards in some folders. */
export function joinShards(folders: readonly string[], kind: ShardKind, ports: Ports): ShardedRun {
  return {
    clustersOf: (all) => all,
    open: async ({ inputs, context, taker, hasFailed }) => {
      const { fleet, clusters } = inputs.repository
      const { texts, digestUnit, digested } = await digest({ inputs, context }, ports)
      const shards = await readShards({ folders, texts }, { ...kind, fleet: fleet.name, inputs: digested }, ports)
      const pool: ShardedUnits['pool'] = (here) => joinUnits({ shards, clusters, digestUnit, taker, hasFailed }, here)
      return { expands: 'whole', taker, pool }
    },
  }
}

interface DigestedRun {
  readonly texts: PartTexts
  readonly digestUnit: DigestUnit
  readonly digested: ShardInputs
}

async function digest(
  { inputs, context }: Pick<AskedShards, 'inputs' | 'context'>,
  ports: Ports,
): Promise<DigestedRun> {
  const { repository } = inputs
  const texts = textsOf(repository, ports)
  const digests = createDigests(ports.crypto, (value) => texts.leave(writePlain(value)))
  return {
    texts,
    digestUnit: createUnitDigests(context, digests),
    digested: await digestInputs(inputs, digests, ports),
  }
}

function textsOf(repository: FleetRepository, { environment }: Ports): PartTexts {
  return { ...createPortableText(repository.fleet.root, environment), sources: knownSources(repository) }
}
