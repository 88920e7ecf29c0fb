/** One of the processes that the clusters of a fleet are divided among. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly of: number
}

/** More would divide no fleet better. */
export const MOST_SHARDS = 1000

/** Parses `2/4`; undefined for anything else. */
export function parseShard(text: string): Shard | undefined {
  const [, index, of] = /^([1-9][0-9]{0,3})\/([1-9][0-9]{0,3})$/.exec(text) ?? []
  const shard = { index: Number(index), of: Number(of) }
  return shard.of <= MOST_SHARDS && shard.index <= shard.of ? shard : undefined
}

/** `2/4` */
export function formatShard({ index, of }: Shard): string {
  return `${String(index)}/${String(of)}`
}

/** The shard of the cluster at a position in the order of the fleet, from 0: each takes every n-th. */
export function shardOf(position: number, of: number): Shard {
  return { index: (position % of) + 1, of }
}

/** The name of a shard's folder. */
export function shardFolder({ index, of }: Shard): string {
  return `shard-${String(index)}-of-${String(of)}`
}
