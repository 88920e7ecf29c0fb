import { decodeBase } from '../../codec/bytes/base-encoding.ts'
import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { GenerateError } from '../generate-error.ts'

/** A block of PEM text. */
export interface PemBlock {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Returns the first well-formed block of `text`, as Go's pem.Decode does; undefined when there is none. */
export function decodePem(text: string): PemBlock | undefined {
  for (let at = findBegin(text, 0); at !== -1; at = findBegin(text, at + 1)) {
    const block = readBlock(text, at)
    if (block !== undefined) return block
  }
  return undefined
}

const begin = '-----BEGIN '

/** `-----BEGIN ` at the start of a line. */
function findBegin(text: string, from: number): number {
  for (let at = text.indexOf(begin, from); at !== -1; at = text.indexOf(begin, at + 1)) {
    if (at === 0 || text.charAt(at - 1) === '\n') return at
  }
  return -1
}

function readBlock(text: string, at: number): PemBlock | undefined {
  const lineEnd = text.indexOf('\n', at)
  if (lineEnd === -1) return undefined
  const head = text.slice(at + begin.length, lineEnd).trimEnd()
  if (!head.endsWith('-----')) return undefined
  const type = head.slice(0, -5)
  const tail = `-----END ${type}-----`
  const end = text.indexOf(tail, lineEnd)
  if (end === -1 || text.charAt(end - 1) !== '\n') return undefined
  if (!/^[ \t\r]*(\n|$)/.test(text.slice(end + tail.length))) return undefined
  const body = text.slice(lineEnd + 1, end)
  // headers such as `Proc-Type: 4,ENCRYPTED` end with an empty line or simply stop
  const lines = body.split('\n')
  const first = lines.findIndex((line) => !line.includes(':'))
  // after headers the line before the end must have its own line break
  if (first > 0 && lines.length - first < 2) return undefined
  const bytes = decodeBase(
    lines
      .slice(Math.max(first, 0))
      .join('')
      .replace(/[ \t\r]/g, ''),
    'base64',
  )
  return typeof bytes === 'string' ? undefined : { type, bytes }
}

/** Writes a block as Go's pem.Encode does. */
export function encodePem({ type, bytes }: PemBlock): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g) ?? []
  return `-----BEGIN ${type}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${type}-----\n`
}

/**
 * Checks that `text` is a private key in PEM as sprig's parsePrivateKeyPEM asks: the block's type, and that its content
 * is one DER sequence. The numbers inside are not verified.
 * @throws GenerateError in sprig's words
 */
export function checkPrivateKey(text: string): void {
  const block = decodePem(text)
  if (block === undefined) throw new GenerateError('no PEM data in input')
  const { type, bytes } = block
  if (type !== 'PRIVATE KEY' && !type.endsWith(' PRIVATE KEY')) {
    throw new GenerateError(`no private key data in PEM block of type ${type}`, {
      unquoted: 'no private key data in PEM block',
    })
  }
  const kind = type === 'PRIVATE KEY' ? 'PKCS#8' : type.slice(0, -' PRIVATE KEY'.length)
  if (!['PKCS#8', 'RSA', 'EC', 'DSA'].includes(kind))
    throw new GenerateError(`invalid private key type ${kind}`, { unquoted: 'invalid private key type' })
  if (isDerSequence(bytes)) return
  const what = kind === 'PKCS#8' ? 'decoding PEM as PKCS#8' : `parsing ${kind} private key from PEM`
  throw new GenerateError(`${what}: asn1: structure error: not one sequence`)
}

/** True if `bytes` are exactly one DER SEQUENCE, the outer form of certificates and keys. */
export function isDerSequence(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30) return false
  const first = bytes[1] ?? 0xff
  if (first < 0x80) return bytes.length === 2 + first
  const count = first & 0x7f
  if (count === 0 || count > 4) return false
  let length = 0
  for (let at = 2; at < 2 + count; at++) length = length * 256 + (bytes[at] ?? 0)
  return bytes.length === 2 + count + length
}
