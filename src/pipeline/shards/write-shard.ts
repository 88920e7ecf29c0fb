import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { isSound } from '../expand/unit-results.ts'
import { sha256 } from '../../write/sha256.ts'
import { type DigestedCluster, formatPart, type PartTexts, shownOf } from './shard-part.ts'
import { formatShardRecord, PART_FILE, RECORD_FILE, type ShardPart, type ShardRecord } from './shard-record.ts'

/** Clusters and bytes of a part: a join has one part of each shard in memory. */
const [MOST_CLUSTERS, MOST_BYTES] = [32, 16 * 1024 * 1024]

/** Where a shard goes, and what may be in it. */
export interface ShardDestination {
  /** A folder of its own; absolute. */
  readonly folder: string
  readonly texts: PartTexts
  /** True if a text holds no secret. */
  readonly isClean: (text: string) => boolean
}

/** A shard that is there as a whole. */
export interface WrittenShard {
  readonly record: ShardRecord
  /** How many of its clusters have problems. */
  readonly failed: number
}

/** Writes the files of one shard. The record comes last: without it they are nothing. */
export class ShardWriter {
  readonly #destination: ShardDestination
  readonly #ports: Pick<Ports, 'files' | 'crypto'>
  readonly #parts: ShardPart[] = []
  readonly #withheld: string[] = []
  #clusters: DigestedCluster[] = []
  #size = 0
  #failed = 0

  constructor(destination: ShardDestination, ports: Pick<Ports, 'files' | 'crypto'>) {
    this.#destination = destination
    this.#ports = ports
  }

  /** Takes away what an earlier run has left of the shard. @throws StackmasonError WRITE_FAILED, WRITE_NOT_OWNED */
  async open(): Promise<void> {
    await this.#writing(async ({ files }, folder) => {
      await files.makeDirectory(folder)
      const entries = await files.entries(folder)
      const foreign = entries.find(({ name, type }) => type !== 'file' || !isOwn(name))
      if (foreign !== undefined) throw notEmpty(joinPath(folder, foreign.name))
      await files.remove(joinPath(folder, RECORD_FILE))
      for (const { name } of entries) await files.remove(joinPath(folder, name))
    })
  }

  /** Adds a cluster. @throws StackmasonError WRITE_FAILED */
  async add(cluster: DigestedCluster): Promise<void> {
    const { texts, isClean } = this.#destination
    if (!isSound(cluster.content.summary)) this.#failed++
    if (shownOf(cluster.content, texts)?.every(isClean) !== true) {
      this.#withheld.push(cluster.digest)
      return
    }
    this.#clusters.push(cluster)
    for (const { files } of cluster.content.folders) for (const { bytes } of files.values()) this.#size += bytes.length
    if (this.#clusters.length >= MOST_CLUSTERS || this.#size >= MOST_BYTES) await this.#writePart()
  }

  /** Ends the shard. @throws StackmasonError WRITE_FAILED */
  async end(record: Omit<ShardRecord, 'apiVersion' | 'kind' | 'parts' | 'withheld'>): Promise<WrittenShard> {
    if (this.#clusters.length > 0) await this.#writePart()
    const whole: ShardRecord = {
      apiVersion: 'stackmason.dev/v1alpha1',
      kind: 'RenderShard',
      ...record,
      parts: this.#parts,
      withheld: this.#withheld,
    }
    await this.#writing(async ({ files, crypto }, folder) => {
      const draft = joinPath(folder, `${RECORD_FILE}.new`)
      await files.write(draft, formatShardRecord(whole, crypto))
      await files.rename(draft, joinPath(folder, RECORD_FILE))
    })
    return { record: whole, failed: this.#failed }
  }

  async #writePart(): Promise<void> {
    const units = this.#clusters
    this.#clusters = []
    this.#size = 0
    const bytes = formatPart(units, this.#destination.texts)
    const file = `clusters-${String(this.#parts.length + 1).padStart(4, '0')}.bin`
    await this.#writing(({ files }, folder) => files.write(joinPath(folder, file), bytes))
    this.#parts.push({
      file,
      size: bytes.reduce((sum, { length }) => sum + length, 0),
      sha256: sha256(bytes, this.#ports.crypto),
      units: units.map(({ digest }) => digest),
    })
  }

  async #writing(work: (ports: Pick<Ports, 'files' | 'crypto'>, folder: string) => Promise<void>): Promise<void> {
    try {
      await work(this.#ports, this.#destination.folder)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      throw new StackmasonError(
        {
          code: 'WRITE_FAILED',
          severity: 'error',
          message: 'the shard could not be written',
          file: error.path,
          hint: 'Check free space and permissions, then run again.',
        },
        { cause: error },
      )
    }
  }
}

function isOwn(name: string): boolean {
  return name === RECORD_FILE || name === `${RECORD_FILE}.new` || PART_FILE.test(name)
}

function notEmpty(file: string): StackmasonError {
  return new StackmasonError({
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: 'a shard is to be written here, and something else lies there',
    file,
    hint: 'Name another folder.',
  })
}
