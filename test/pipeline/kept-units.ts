import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'

const DIGEST = 64

interface KeptUnits {
  /** The key of the program, and a line for each block. */
  readonly key: string
  readonly lines: readonly string[]
  readonly texts: readonly string[]
}

function readKept(path: string): KeptUnits {
  const bytes = readFileSync(path)
  const end = bytes.indexOf('\n\n')
  const [key = '', ...lines] = bytes.subarray(DIGEST, end).toString().split('\n')
  let at = end + 2
  const texts = lines.map((line) => gunzipSync(bytes.subarray(at, (at += Number.parseInt(line)))).toString())
  return { key, lines, texts }
}

/** All that a file of kept units says: most of it is packed. */
export function keptTexts(path: string): string {
  const { key, lines, texts } = readKept(path)
  return [key, ...lines, ...texts].join('\n')
}

/** Writes a file of kept units with another text, as if the run had come to it. */
export function editKept(path: string, edit: (text: string) => string): void {
  const { key, lines, texts } = readKept(path)
  const packed = texts.map((text) => gzipSync(edit(text)))
  const head = lines.map((line, index) => line.replace(/^\d+/, String(packed[index]?.length)))
  const body = Buffer.concat([Buffer.from(`${[key, ...head].join('\n')}\n\n`), ...packed])
  writeFileSync(path, Buffer.concat([Buffer.from(createHash('sha256').update(body).digest('hex')), body]))
}
