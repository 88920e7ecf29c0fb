import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Compression, Crypto } from '../model/ports.ts'
import { digestOfBytes, digestOfParts } from './digests.ts'

/** The result of a part of a run: two texts without line breaks or tabs. */
export interface UnitRecord {
  /** Read each time. */
  readonly head: string
  /** Mostly not asked for. */
  readonly body: () => string
}

/** The same as it is kept. */
export interface KeptRecord {
  /** A digest of what stays the same from one such result to the next, and is no other's. */
  readonly family: string
  readonly head: string
  readonly body: string
}

/** Some results that are packed together: a line for each, of which most says what the one before says. */
interface Block {
  readonly digests: readonly string[]
  /** In the same order. */
  readonly families: readonly string[]
  readonly packed: Uint8Array
}

/** Results in a block. A run asks for them in the order in which they were kept, so that a block is unpacked once. */
const TOGETHER = 32
/** More than the lines of a block take: a result may be as large as a cluster. */
const MAX_UNPACKED = 512 * 1024 * 1024
const LF = 0x0a
/** Hex digits of a digest. */
const DIGEST = 64

/**
 * The results of parts of runs, by the digest of all that they depend on. Results that a run does not ask for are
 * forgotten.
 */
export class UnitRecords {
  readonly #compression: Compression
  /** Those of an earlier run, and those that this one has kept. */
  readonly #before: Blocks
  readonly #now: Blocks
  /** Digests of results that were kept or asked for. */
  readonly #wanted = new Set<string>()
  /** Lines that wait until there are enough of them for a block. */
  readonly #waiting = new Map<string, Line>()

  constructor(compression: Compression, before: readonly Block[] = []) {
    this.#compression = compression
    this.#before = new Blocks(compression, before)
    this.#now = new Blocks(compression)
  }

  /** The result of a part; undefined where no run has kept it. */
  get(digest: string): UnitRecord | undefined {
    const line = this.#before.line(digest)
    if (line === undefined) return undefined
    this.#wanted.add(digest)
    return recordIn(line)
  }

  /** The result of a part of a family as an earlier run had it; undefined where none has kept any. */
  like(family: string): UnitRecord | undefined {
    const line = this.#before.lineOfFamily(family)
    return line === undefined ? undefined : recordIn(line)
  }

  /** Keeps what a part of a family came to. */
  keep(digest: string, { family, head, body }: KeptRecord): void {
    this.#wanted.add(digest)
    this.#waiting.set(digest, { family, text: `${head}\t${body}` })
    if (this.#waiting.size === TOGETHER) this.#pack()
  }

  /** True if no run has kept anything. */
  get isEmpty(): boolean {
    return this.#before.size === 0
  }

  /** How many parts the next run would not find as this one left them: those that are new, and those that are gone. */
  get changes(): number {
    let known = 0
    for (const digest of this.#wanted) if (this.#before.has(digest)) known++
    return this.#wanted.size + this.#before.size - 2 * known
  }

  /**
   * The bytes of all that was kept or asked for, in parts; they begin with their own hash. `key` says for which
   * program.
   */
  format(key: string, crypto: Crypto): readonly Uint8Array[] {
    this.#pack()
    const blocks = this.#blocksInOrder()
    const head = blocks.map(({ packed, digests, families }) =>
      [packed.length, ...digests.map((digest, index) => `${digest}${families[index] ?? ''}`)].join(' '),
    )
    const parts = [encodeUtf8(`${[key, ...head].join('\n')}\n\n`), ...blocks.map(({ packed }) => packed)]
    return [encodeUtf8(digestOfParts(parts, crypto)), ...parts]
  }

  #pack(): void {
    if (this.#waiting.size === 0) return
    this.#now.add(packLines(this.#waiting, this.#compression))
    this.#waiting.clear()
  }

  /** All that the next run may ask for, in the order of this one. */
  #blocksInOrder(): readonly Block[] {
    const order = [...this.#wanted]
    const blocks: Block[] = []
    const mixed = new Map<string, Line>()
    const closeMixed = (): void => {
      if (mixed.size > 0) blocks.push(packLines(mixed, this.#compression))
      mixed.clear()
    }
    const blockOf = (digest: string): Block | undefined => this.#now.blockOf(digest) ?? this.#before.blockOf(digest)
    for (let at = 0; at < order.length;) {
      const digest = order[at] ?? ''
      const block = blockOf(digest)
      const isWhole = block?.digests.every((one, index) => one === order[at + index] && blockOf(one) === block)
      if (block !== undefined && isWhole === true) {
        closeMixed()
        blocks.push(block)
        at += block.digests.length
        continue
      }
      const line = this.#now.line(digest) ?? this.#before.line(digest)
      if (line !== undefined) mixed.set(digest, line)
      if (mixed.size === TOGETHER) closeMixed()
      at++
    }
    closeMixed()
    return blocks
  }
}

/** A result as it is packed. */
interface Line {
  readonly family: string
  readonly text: string
}

/** Blocks, and where in them a result stands. */
class Blocks {
  readonly #compression: Compression
  readonly #byDigest = new Map<string, Block>()
  readonly #byFamily = new Map<string, string>()
  #unpacked: { readonly block: Block; readonly lines: readonly string[] } | undefined

  constructor(compression: Compression, blocks: readonly Block[] = []) {
    this.#compression = compression
    for (const block of blocks) this.add(block)
  }

  get size(): number {
    return this.#byDigest.size
  }

  add(block: Block): void {
    for (const [index, digest] of block.digests.entries()) {
      this.#byDigest.set(digest, block)
      this.#byFamily.set(block.families[index] ?? '', digest)
    }
  }

  has(digest: string): boolean {
    return this.#byDigest.has(digest)
  }

  blockOf(digest: string): Block | undefined {
    return this.#byDigest.get(digest)
  }

  line(digest: string): Line | undefined {
    const block = this.#byDigest.get(digest)
    if (block === undefined) return undefined
    if (this.#unpacked?.block !== block) this.#unpacked = { block, lines: unpackLines(block, this.#compression) }
    const index = block.digests.lastIndexOf(digest)
    return { family: block.families[index] ?? '', text: this.#unpacked.lines[index] ?? '' }
  }

  lineOfFamily(family: string): Line | undefined {
    const digest = this.#byFamily.get(family)
    return digest === undefined ? undefined : this.line(digest)
  }
}

function packLines(lines: ReadonlyMap<string, Line>, { gzip }: Compression): Block {
  const texts = Array.from(lines.values(), ({ text }) => text)
  return {
    digests: [...lines.keys()],
    families: Array.from(lines.values(), ({ family }) => family),
    packed: gzip(encodeUtf8(texts.join('\n')), 'quick'),
  }
}

function unpackLines({ packed }: Block, { gunzip }: Compression): readonly string[] {
  return decodeUtf8(gunzip(packed, MAX_UNPACKED, 'record')).split('\n')
}

function recordIn({ text }: Line): UnitRecord {
  const tab = text.indexOf('\t')
  return { head: text.slice(0, tab), body: () => text.slice(tab + 1) }
}

/** Reads what `format` made for the same key; nothing where it is anything else, or damaged. */
export function parseUnitRecords(
  bytes: Uint8Array,
  key: string,
  { crypto, compression }: { readonly crypto: Crypto; readonly compression: Compression },
): UnitRecords {
  const body = bytes.subarray(DIGEST)
  if (decodeUtf8(bytes.subarray(0, DIGEST)) !== digestOfBytes(body, crypto)) return new UnitRecords(compression)
  const end = headEnd(body)
  const [first, ...lines] = decodeUtf8(body.subarray(0, end)).split('\n')
  if (first !== key) return new UnitRecords(compression)
  let at = end + 2
  const blocks = lines.map((line): Block => {
    const [length, ...names] = line.split(' ')
    return {
      digests: names.map((name) => name.slice(0, DIGEST)),
      families: names.map((name) => name.slice(DIGEST)),
      packed: body.subarray(at, (at += Number(length))),
    }
  })
  return new UnitRecords(compression, blocks)
}

/** Where the lines about blocks end: an empty one follows. */
function headEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) if (bytes[at + 1] === LF) return at
  return bytes.length
}
