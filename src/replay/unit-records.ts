import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto } from '../model/ports.ts'
import { digestOfBytes } from './digests.ts'

/** What parts of runs came to, by the digest of all that they depend on. What a run does not ask for is forgotten. */
export class UnitRecords {
  readonly #before: ReadonlyMap<string, string>
  readonly #now = new Map<string, string>()

  constructor(before: ReadonlyMap<string, string> = new Map()) {
    this.#before = before
  }

  /** What a part came to; undefined where no run has kept it. */
  get(digest: string): string | undefined {
    const text = this.#before.get(digest)
    if (text !== undefined) this.#now.set(digest, text)
    return text
  }

  /** Keeps what a part came to: a text without line breaks. */
  keep(digest: string, text: string): void {
    this.#now.set(digest, text)
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

  /** The bytes of all that was kept or asked for; they begin with their own hash. `key` says for which program. */
  format(key: string, crypto: Crypto): Uint8Array {
    const body = [key, ...Array.from(this.#now, ([digest, text]) => `${digest} ${text}`)].join('\n')
    return encodeUtf8(`${digestOfBytes(encodeUtf8(body), crypto)}\n${body}`)
  }
}

/** Reads what `format` made for the same key; nothing where it is anything else, or damaged. */
export function parseUnitRecords(bytes: Uint8Array, key: string, crypto: Crypto): UnitRecords {
  const start = bytes.indexOf(0x0a) + 1
  const hash = decodeUtf8(bytes.subarray(0, Math.max(0, start - 1)))
  const body = bytes.subarray(start)
  if (hash !== digestOfBytes(body, crypto)) return new UnitRecords()
  const [found, ...lines] = decodeUtf8(body).split('\n')
  if (found !== key) return new UnitRecords()
  return new UnitRecords(
    new Map(
      lines.map((line) => {
        const at = line.indexOf(' ')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
    ),
  )
}
