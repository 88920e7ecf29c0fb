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

const BLOCK = /-----BEGIN [^-\n]+-----[^-]*-----END [^-\n]+-----/g

/**
 * Reads files with public keys in PEM: each block of a file is a key of its own, as while one takes over from another.
 * @throws StackmasonError FILE_UNREADABLE, CONFIG_INVALID_VALUE when one holds no public key, or something else, too
 */
export async function readPublicKeys(paths: readonly string[], reading: KeyReading): Promise<readonly PublicKey[]> {
  return (await Promise.all(paths.map((path) => readKeyFile(path, reading)))).flat()
}

async function readKeyFile(path: string, { files, crypto, at }: KeyReading): Promise<readonly PublicKey[]> {
  const text = await readText(path, { files, at })
  // from a private key a public one could be derived; but who put it here has made a mistake that should be known
  const isPrivate = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)
  const blocks = text.match(BLOCK) ?? []
  const usable = blocks.filter((pem) => isUsable(pem, crypto))
  const isWhole = usable.length > 0 && usable.length === text.split('-----BEGIN').length - 1
  if (!isPrivate && isWhole) return usable.map((pem) => ({ file: path, pem }))
  const message = isPrivate
    ? `${path} holds a private key; verifying takes the public one`
    : `${path} holds ${usable.length > 0 ? 'something beside its' : 'no'} public key in PEM that signatures can be checked with`
  const hint = 'Name the file cosign.pub that `cosign generate-key-pair` or `cosign public-key` wrote.'
  throw new StackmasonError({ code: 'CONFIG_INVALID_VALUE', severity: 'error', message, at, hint })
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
