/** One entry of a hand-made tar archive: whatever a header can say, honest or not. */
export interface RawEntry {
  readonly name: string
  readonly flag?: string
  readonly data?: string | Uint8Array
  /** What the header says instead of the real size. */
  readonly size?: number
  readonly prefix?: string
  readonly magic?: string
  readonly link?: string
}

/** Builds a tar archive header by header, so that tests can build archives that no tool would write. */
export function rawTar(entries: readonly RawEntry[], end: 'marked' | 'open' = 'marked'): Uint8Array {
  const parts: Uint8Array[] = []
  for (const entry of entries) {
    const data =
      typeof entry.data === 'string' ? new TextEncoder().encode(entry.data) : (entry.data ?? new Uint8Array())
    parts.push(rawHeader(entry, data.length), data, new Uint8Array((512 - (data.length % 512)) % 512))
  }
  if (end === 'marked') parts.push(new Uint8Array(1024))
  return joinBytes(parts)
}

function rawHeader(entry: RawEntry, size: number): Uint8Array {
  const header = new Uint8Array(512)
  const put = (text: string, at: number): void => header.set(new TextEncoder().encode(text), at)
  put(entry.name, 0)
  put('0000644\0', 100)
  put(`${(entry.size ?? size).toString(8).padStart(11, '0')}\0`, 124)
  put('        ', 148)
  put(entry.flag ?? '0', 156)
  put(entry.link ?? '', 157)
  put(entry.magic ?? 'ustar\x0000', 257)
  put(entry.prefix ?? '', 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** One pax record with its length in front. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = new TextEncoder().encode(rest).length
  let length = bytes + 1
  while (String(length).length + bytes !== length) length = String(length).length + bytes
  return `${length}${rest}`
}

/** All parts one after the other. */
function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
