import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Crypto } from '../../model/ports.ts'
import { digestOfBytes } from '../../replay/digests.ts'
import { count, fields, listOf, oneOf, text } from './shape.ts'
import { MOST_SHARDS, type Shard } from './shard.ts'
import type { ShardInputs } from './shard-inputs.ts'

/** The file of a shard that is written last, and says what the others are. */
export const RECORD_FILE = 'shard.json'

/** The run that a shard is a part of, and the shard's content. */
export interface ShardRecord {
  readonly apiVersion: 'stackmason.dev/v1alpha1'
  readonly kind: 'RenderShard'
  readonly fleet: string
  readonly shard: Shard
  /** The version of the program, and its sha256 where that is known. */
  readonly program: string
  readonly mode: 'write' | 'check'
  readonly inputs: ShardInputs
  readonly parts: readonly ShardPart[]
  /** Digests of the inputs of clusters that the join renders by itself, since what is told of them may be secret. */
  readonly withheld: readonly string[]
}

/** A file with some of the clusters of a shard. */
export interface ShardPart {
  readonly file: string
  readonly size: number
  readonly sha256: string
  /** Digests of the inputs of its clusters. */
  readonly units: readonly string[]
}

/** The bytes of a record, which end with a hash of the rest. */
export function formatShardRecord(record: ShardRecord, crypto: Crypto): Uint8Array {
  return encodeUtf8(`${JSON.stringify({ ...record, sha256: hashOf(record, crypto) }, undefined, 2)}\n`)
}

/** The version of the form, of what is no record of this one. */
export interface OtherRecord {
  readonly apiVersion: string
}

/** Reads what {@link formatShardRecord} made; undefined for what is damaged, or was never one. */
export function parseShardRecord(bytes: Uint8Array, crypto: Crypto): ShardRecord | OtherRecord | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(decodeUtf8(bytes))
  } catch {
    return undefined
  }
  if (isOfOtherForm(parsed)) return { apiVersion: parsed.apiVersion }
  if (!isWritten(parsed)) return undefined
  const { sha256, ...record } = parsed
  return sha256 === hashOf(record, crypto) && record.shard.index <= record.shard.of ? record : undefined
}

/** True for a record of this version of the form. */
export function isShardRecord(record: ShardRecord | OtherRecord): record is ShardRecord {
  return 'kind' in record
}

function hashOf(record: ShardRecord, crypto: Crypto): string {
  return digestOfBytes(encodeUtf8(JSON.stringify(record)), crypto)
}

const hash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
/** No folder, and no name that another file has. */
const partFile = (value: unknown): boolean => typeof value === 'string' && PART_FILE.test(value)
const ordinal = (value: unknown): boolean => count(value) && Number(value) >= 1 && Number(value) <= MOST_SHARDS

/** The names of files with clusters. */
export const PART_FILE: RegExp = /^clusters-[0-9]{4,6}\.bin$/

const written = fields({
  apiVersion: oneOf('stackmason.dev/v1alpha1'),
  kind: oneOf('RenderShard'),
  fleet: text,
  shard: fields({ index: ordinal, of: ordinal }),
  program: text,
  mode: oneOf('write', 'check'),
  inputs: fields({ configuration: hash, releases: hash, tree: hash }),
  parts: listOf(fields({ file: partFile, size: count, sha256: hash, units: listOf(hash) })),
  withheld: listOf(hash),
  sha256: hash,
})

function isWritten(value: unknown): value is ShardRecord & { readonly sha256: string } {
  return written(value)
}

function isOfOtherForm(value: unknown): value is OtherRecord {
  if (typeof value !== 'object' || value === null || !('apiVersion' in value) || !('kind' in value)) return false
  const { apiVersion, kind } = value
  return kind === 'RenderShard' && typeof apiVersion === 'string' && apiVersion !== 'stackmason.dev/v1alpha1'
}
