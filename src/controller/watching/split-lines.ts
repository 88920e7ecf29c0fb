import { decodeUtf8 } from '../../codec/bytes/utf8.ts'

const LINE_FEED = 0x0a

/** Our own server sends no larger object; a line without an end would fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * The lines of bytes that come in pieces, wherever those are cut; what stands behind the last line feed is a line that
 * was broken off, and is left out.
 * @throws RangeError for a line that is longer than that
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncIterable<string> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield decodeUtf8(joined([...pieces, chunk.subarray(start, end)]))
      pieces = []
      length = 0
      start = end + 1
    }
    if (start === chunk.length) continue
    pieces.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > longest) throw new RangeError('a line of the server has no end')
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), ...others] = pieces
  if (others.length === 0) return first
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
