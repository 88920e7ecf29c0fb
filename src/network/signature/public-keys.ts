import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'

/** A public key that was read and can be used. */
export interface PublicKey {
  /** As the fleet names the file, for messages. */
  readonly file: string
  readonly pem: string
}

/** The context for reading keys. */
export interface KeyReading extends Pick<Ports, 'files' | 'crypto'> {
  /** The source that names them. */
  readonly at: Span
}

/** Its first and its last line begin lines of the file, as for each reader of PEM. */
const BLOCK =
  /(?<![^\n])-----BEGIN ([^-\r\n]+)-----[ \t]*\r?\n(?:[A-Za-z0-9+/=]*[ \t]*\r?\n)*-----END \1-----[ \t]*\r?(?![^\n])/g
/** The beginning of what is meant as such a block; behind other text on its line it is none. */
const BEGIN = /^[^\S\r\n\u2028\u2029]*-----BEGIN/gm
/** Up to its end, or to that of the file. PEM knows no such comments, so a key in one counts for other readers. */
const COMMENT = /<!--[^]*?(?:-->|(?![^]))|^[ \t]*\/\*[^]*?(?:\*\/|(?![^]))/gm

/**
 * Reads files with public keys in PEM: each block of a file is a key of its own, as while one takes over from another.
 * Text around them is passed over.
 * @throws StackmasonError FILE_UNREADABLE, CONFIG_INVALID_VALUE when one holds no public key, or something else, too
 */
export async function readPublicKeys(paths: readonly string[], reading: KeyReading): Promise<readonly PublicKey[]> {
  return (await Promise.all(paths.map((path) => readKeyFile(path, reading)))).flat()
}

async function readKeyFile(path: string, { files, crypto, at }: KeyReading): Promise<readonly PublicKey[]> {
  const text = (await readText(path, { files, at })).replace(/^\uFEFF/, '')
  const keys = (text.match(BLOCK) ?? []).filter((pem) => isUsable(pem, crypto))
  const problem = problemOf(text, keys.length)
  if (problem === undefined) return keys.map((pem) => ({ file: path, pem }))
  const message = `${path} holds ${problem}`
  const hint = 'Name the file cosign.pub that `cosign generate-key-pair` or `cosign public-key` wrote.'
  throw new StackmasonError({ code: 'CONFIG_INVALID_VALUE', severity: 'error', message, at, hint })
}

function problemOf(text: string, keys: number): string | undefined {
  // from a private key a public one could be derived; but who put it here has made a mistake that should be known
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return 'a private key; verifying takes the public one'
  if (keys === 0) return 'no public key in PEM that signatures can be checked with'
  if (keys !== countOf(text, BEGIN)) return 'something beside its public key in PEM that signatures can be checked with'
  const isHidden = (text.match(COMMENT) ?? []).some((comment) => countOf(comment, BEGIN) > 0)
  return isHidden ? 'a public key in a comment that PEM does not know; remove the key, or the comment' : undefined
}

function countOf(text: string, pattern: RegExp): number {
  return (text.match(pattern) ?? []).length
}

async function readText(path: string, { files, at }: Pick<KeyReading, 'files' | 'at'>): Promise<string> {
  try {
    return decodeUtf8(await files.read(path))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const problem = unreadable(error, { what: `the public key ${path}`, file: path })
    throw new StackmasonError({ ...problem, at }, { cause: error })
  }
}

function isUsable(pem: string, crypto: KeyReading['crypto']): boolean {
  try {
    crypto.verify(pem, new Uint8Array(), new Uint8Array())
    return true
  } catch {
    return false
  }
}
