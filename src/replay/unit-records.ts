import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto } from '../model/ports.ts'
import { digestOfBytes, digestOfParts } from './digests.ts'

/** The result of a part of a run: two texts without line breaks or tabs. */
export interface UnitRecord {
  /** Read each time. */
  readonly head: string
  /** Mostly not asked for. */
  readonly body: () => string
}

const [LF, TAB] = [0x0a, 0x09]
const lineBreak = Uint8Array.of(LF)
/** Hex digits of a digest. */
const DIGEST = 64
/** Where the head of a line begins, behind two digests. */
const HEAD = 2 * (DIGEST + 1)

/** The same as it is kept. */
export interface KeptRecord {
  /** A digest of what stays the same from one such result to the next, and is no other's. */
  readonly family: string
  readonly head: string
  readonly body: string
}

/**
 * The results of parts of runs, by the digest of all that they depend on. Results that a run does not ask for are
 * forgotten.
 */
export class UnitRecords {
  /** Lines of an earlier run. */
  readonly #before: ReadonlyMap<string, Uint8Array>
  readonly #now = new Map<string, Uint8Array>()
  #families: ReadonlyMap<string, Uint8Array> | undefined

  constructor(before: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#before = before
  }

  /** The result of a part; undefined where no run has kept it. */
  get(digest: string): UnitRecord | undefined {
    const line = this.#before.get(digest)
    if (line === undefined) return undefined
    this.#now.set(digest, line)
    return recordIn(line)
  }

  /** The result of a part of a family as an earlier run had it; undefined where none has kept any. */
  like(family: string): UnitRecord | undefined {
    this.#families ??= new Map(
      Array.from(this.#before.values(), (line) => [decodeUtf8(line.subarray(DIGEST + 1, HEAD - 1)), line]),
    )
    const line = this.#families.get(family)
    return line === undefined ? undefined : recordIn(line)
  }

  /** Keeps what a part of a family came to. */
  keep(digest: string, { family, head, body }: KeptRecord): void {
    this.#now.set(digest, encodeUtf8(`${digest} ${family} ${head}\t${body}`))
  }

  /** True if no run has kept anything. */
  get isEmpty(): boolean {
    return this.#before.size === 0
  }

  /** How many parts the next run would not find as this one left them: those that are new, and those that are gone. */
  get changes(): number {
    let known = 0
    for (const digest of this.#now.keys()) if (this.#before.has(digest)) known++
    return this.#now.size + this.#before.size - 2 * known
  }

  /**
   * The bytes of all that was kept or asked for, in parts; they begin with their own hash. `key` says for which
   * program.
   */
  format(key: string, crypto: Crypto): readonly Uint8Array[] {
    const parts = [encodeUtf8(key), ...this.#now.values()].flatMap((line) => [lineBreak, line])
    return [encodeUtf8(digestOfParts(parts, crypto)), ...parts]
  }
}

/** Reads what `format` made for the same key; nothing where it is anything else, or damaged. */
export function parseUnitRecords(bytes: Uint8Array, key: string, crypto: Crypto): UnitRecords {
  const body = bytes.subarray(DIGEST)
  if (decodeUtf8(bytes.subarray(0, DIGEST)) !== digestOfBytes(body, crypto)) return new UnitRecords()
  const [first, ...lines] = linesOf(body.subarray(1))
  if (first === undefined || decodeUtf8(first) !== key) return new UnitRecords()
  return new UnitRecords(new Map(lines.map((line) => [decodeUtf8(line.subarray(0, DIGEST)), line])))
}

function recordIn(line: Uint8Array): UnitRecord {
  const tab = line.indexOf(TAB)
  return { head: decodeUtf8(line.subarray(HEAD, tab)), body: () => decodeUtf8(line.subarray(tab + 1)) }
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at <= bytes.length;) {
    const end = bytes.indexOf(LF, at)
    const next = end === -1 ? bytes.length : end
    yield bytes.subarray(at, next)
    at = next + 1
  }
}
