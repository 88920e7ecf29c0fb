import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { sha256 } from '../../write/sha256.ts'
import type { ClusterContent } from '../expand/unit-results.ts'
import { formatShard, type Shard } from './shard.ts'
import type { ShardInputs } from './shard-inputs.ts'
import { parsePart, type PartTexts } from './shard-part.ts'
import { isShardRecord, parseShardRecord, RECORD_FILE, type ShardPart, type ShardRecord } from './shard-record.ts'

/** Bytes of a record, and of a part: more is none of ours. */
const [MOST_RECORD, MOST_PART] = [64 * 1024 * 1024, 1024 * 1024 * 1024]
/** Folders in which shards are looked for: those that were named, of each download, of each shard. */
const DEPTH = 3

/** The run that all shards must belong to. */
export interface JoinedRun {
  readonly fleet: string
  readonly program: string
  readonly mode: 'write' | 'check'
  readonly inputs: ShardInputs
}

/** Where shards lie, and how what they hold is read. */
export interface ShardFolders {
  /** Absolute. */
  readonly folders: readonly string[]
  readonly texts: PartTexts
}

type ReadPorts = Pick<Ports, 'files' | 'crypto'>

/** The shards of a whole fleet. */
export interface JoinedShards {
  /** How many they are. */
  readonly of: number
  /**
   * The result for a cluster of these inputs; `withheld` where the shard leaves it to the join, undefined where none
   * has it.
   * @throws StackmasonError SHARD_DAMAGED
   */
  readonly find: (digest: string) => Promise<ClusterContent | 'withheld' | undefined>
  /** The error about the shard that should have a cluster. */
  readonly damaged: (shard: Shard, message: string) => StackmasonError
}

/**
 * Finds the shards in some folders, and makes sure that all of one run are there, each once.
 * @throws StackmasonError SHARD_MISSING, SHARD_MISMATCHED, SHARD_DAMAGED: all that is wrong
 */
export async function readShards(
  { folders, texts }: ShardFolders,
  run: JoinedRun,
  ports: ReadPorts,
): Promise<JoinedShards> {
  const found: FoundShard[] = []
  const problems: Diagnostic[] = []
  for (const folder of new Set(folders)) {
    const shards = await findShards(folder, ports.files)
    if (shards.length === 0) problems.push(noShard(folder))
    for (const shard of shards) {
      const record = await readRecord(shard, ports)
      if ('code' in record) problems.push(record)
      else found.push({ folder: shard, record })
    }
  }
  problems.push(...found.flatMap((shard) => mismatches(shard, run)))
  if (problems.length === 0) problems.push(...incomplete(found, folders[0] ?? ''))
  if (problems.length > 0) throw new StackmasonError(problems)
  const shards = found.map((shard) => new OpenShard(shard, texts, ports))
  const byDigest = new Map<string, OpenShard>()
  for (const shard of shards) for (const digest of shard.digests) byDigest.set(digest, shard)
  return {
    of: shards.length,
    find: async (digest) => byDigest.get(digest)?.read(digest),
    damaged: ({ index }, message) =>
      damaged(found.find(({ record }) => record.shard.index === index)?.folder ?? '', message),
  }
}

interface FoundShard {
  readonly folder: string
  readonly record: ShardRecord
}

/** Folders with a record, in the order of their names; links are not followed. */
async function findShards(folder: string, files: Ports['files'], depth = DEPTH): Promise<readonly string[]> {
  let entries
  try {
    entries = await files.entries(folder)
  } catch (error) {
    if (error instanceof FileError) return []
    throw error
  }
  if (entries.some(({ name }) => name === RECORD_FILE)) return [folder]
  const below: string[] = []
  if (depth > 1)
    for (const { name, type } of entries)
      if (type === 'directory') below.push(...(await findShards(joinPath(folder, name), files, depth - 1)))
  return below
}

async function readRecord(folder: string, { files, crypto }: ReadPorts): Promise<ShardRecord | Diagnostic> {
  const path = joinPath(folder, RECORD_FILE)
  const bytes = await readBounded(path, MOST_RECORD, files)
  const record = bytes === undefined ? undefined : parseShardRecord(bytes, crypto)
  if (record === undefined) return damage(path, 'the record of this shard is damaged, or was changed')
  if (isShardRecord(record)) return record
  return mismatch(
    path,
    `the shard is of the form ${JSON.stringify(record.apiVersion.slice(0, 60))}, which this program does not know`,
  )
}

/** A plain file that is no larger than it may be. */
async function readBounded(path: string, most: number, files: Ports['files']): Promise<Uint8Array | undefined> {
  try {
    const stat = await files.stat(path)
    return stat?.type === 'file' && stat.size <= most ? await files.read(path, 'record') : undefined
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

const inputNames: Readonly<Record<keyof ShardInputs, string>> = {
  configuration: 'other files of the fleet, or at another path',
  releases: 'other releases, or another lock',
  tree: 'another committed tree',
}

/** The reasons why a shard belongs to another run. */
function mismatches({ folder, record }: FoundShard, run: JoinedRun): readonly Diagnostic[] {
  const why = otherRun(record, run)
  return why === undefined ? [] : [mismatch(joinPath(folder, RECORD_FILE), `shard ${formatShard(record.shard)} ${why}`)]
}

function otherRun({ fleet, program, mode, inputs }: ShardRecord, run: JoinedRun): string | undefined {
  if (fleet !== run.fleet) return 'is of another fleet'
  if (program !== run.program) return 'was rendered by another version of stackmason'
  if (mode !== run.mode)
    return mode === 'check'
      ? 'was rendered with --check, and this run is without it'
      : 'was rendered without --check, and this run is with it'
  const others = (['configuration', 'releases', 'tree'] as const).filter((part) => inputs[part] !== run.inputs[part])
  return others.length === 0 ? undefined : `was rendered from ${others.map((part) => inputNames[part]).join('; ')}`
}

/** Shards that are twice, of another number, or not there. */
function incomplete(found: readonly FoundShard[], folder: string): readonly Diagnostic[] {
  const [first] = found
  if (first === undefined) return [noShard(folder)]
  const { of } = first.record.shard
  const problems: Diagnostic[] = []
  const folders = new Map<number, string>()
  for (const { folder: own, record } of found) {
    const { shard } = record
    const file = joinPath(own, RECORD_FILE)
    const before = folders.get(shard.index)
    if (shard.of !== of)
      problems.push(mismatch(file, `this is shard ${formatShard(shard)}, and there is one of ${String(of)}`))
    else if (before !== undefined)
      problems.push(mismatch(file, `shard ${formatShard(shard)} is there twice, here and in ${before}`))
    else folders.set(shard.index, own)
  }
  const missing = Array.from({ length: of }, (_, position) => position + 1).filter((index) => !folders.has(index))
  if (problems.length === 0 && missing.length > 0) problems.push(missingShards(missing, of, folder))
  return problems
}

/** A shard whose parts are read when they are asked for; the last one stays, since clusters are asked for in order. */
class OpenShard {
  readonly #shard: FoundShard
  readonly #texts: PartTexts
  readonly #ports: ReadPorts
  readonly #parts = new Map<string, ShardPart>()
  #open: { readonly part: ShardPart; readonly clusters: ReadonlyMap<string, ClusterContent> } | undefined

  constructor(shard: FoundShard, texts: PartTexts, ports: ReadPorts) {
    this.#shard = shard
    this.#texts = texts
    this.#ports = ports
    for (const part of shard.record.parts) for (const digest of part.units) this.#parts.set(digest, part)
  }

  get digests(): Iterable<string> {
    return [...this.#parts.keys(), ...this.#shard.record.withheld]
  }

  /** @throws StackmasonError SHARD_DAMAGED */
  async read(digest: string): Promise<ClusterContent | 'withheld'> {
    const part = this.#parts.get(digest)
    if (part === undefined) return 'withheld'
    if (this.#open?.part !== part) this.#open = { part, clusters: await this.#readPart(part) }
    const cluster = this.#open.clusters.get(digest)
    if (cluster === undefined) throw this.#damaged(part)
    return cluster
  }

  async #readPart(part: ShardPart): Promise<ReadonlyMap<string, ClusterContent>> {
    const { files, crypto } = this.#ports
    const bytes = await readBounded(joinPath(this.#shard.folder, part.file), Math.min(part.size, MOST_PART), files)
    if (bytes === undefined || sha256(bytes, crypto) !== part.sha256) throw this.#damaged(part)
    try {
      return await parsePart(bytes, this.#texts, crypto)
    } catch (error) {
      // whatever it is that was written there, it is none of ours
      throw this.#damaged(part, { cause: error })
    }
  }

  #damaged(part: ShardPart, options?: ErrorOptions): StackmasonError {
    return damaged(joinPath(this.#shard.folder, part.file), 'this part of a shard is damaged, or was changed', options)
  }
}

const RENDER_AGAIN = 'Render this shard again, and join them then.'

function damage(file: string, message: string): Diagnostic {
  return { code: 'SHARD_DAMAGED', severity: 'error', message, file, hint: RENDER_AGAIN }
}

function damaged(file: string, message: string, options?: ErrorOptions): StackmasonError {
  return new StackmasonError(damage(file, message), options)
}

function mismatch(file: string, message: string): Diagnostic {
  return {
    code: 'SHARD_MISMATCHED',
    severity: 'error',
    message,
    file,
    hint: 'Render all shards and join them at one commit, with one version of stackmason and the same options.',
  }
}

function noShard(folder: string): Diagnostic {
  return {
    code: 'SHARD_MISSING',
    severity: 'error',
    message: 'there is no shard in this folder',
    file: folder,
    hint: 'Name the folder that `stackmason render --shard` wrote to, or where its files were brought.',
  }
}

function missingShards(missing: readonly number[], of: number, folder: string): Diagnostic {
  const names = missing.slice(0, 10).map((index) => formatShard({ index, of }))
  const more = missing.length > names.length ? `, and ${String(missing.length - names.length)} more` : ''
  return {
    code: 'SHARD_MISSING',
    severity: 'error',
    message: `${missing.length === 1 ? 'this shard is' : 'these shards are'} missing: ${names.join(', ')}${more}`,
    file: folder,
    hint: 'See why it was not rendered, or not brought here; a tree is written from all shards or from none.',
  }
}
