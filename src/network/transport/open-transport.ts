import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { ServerAccess } from '../../model/credentials.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type Files, type Ports } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import { createTransport, type Transport, type TransportPorts } from './transport.ts'

/** The settings for a server besides its entry in the fleet. */
export interface OpenOptions {
  readonly offline: boolean
  /** Where the fleet names the server. */
  readonly at?: Span | undefined
}

/**
 * Reads the certificates that `access` names and makes a transport.
 * @throws StackmasonError FILE_UNREADABLE, or FETCH_TLS when the file holds anything but certificates
 */
export async function openTransport(
  access: ServerAccess,
  options: OpenOptions,
  ports: TransportPorts & Pick<Ports, 'files'>,
): Promise<Transport> {
  const { plainHttp, caFile, settings } = access
  if (caFile === undefined) return createTransport({ ...options, plainHttp, settings }, ports)
  return createTransport(
    { ...options, plainHttp, settings, certificateAuthorities: await readAuthorities(caFile, options.at, ports.files) },
    ports,
  )
}

async function readAuthorities(file: string, at: Span | undefined, files: Files): Promise<string> {
  const refuse = (problem: Pick<Diagnostic, 'code' | 'message' | 'hint'>, cause?: unknown): StackmasonError =>
    new StackmasonError({ ...problem, severity: 'error', file, at }, { cause })
  let text: string
  try {
    text = decodeUtf8(await files.read(file))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw refuse(unreadable(error, { what: 'the caFile', file }), error)
  }
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)]
  const isKey = blocks.some(([, type = '']) => type.endsWith('PRIVATE KEY'))
  // a certificate is a sequence in DER
  const isSound = blocks.every(([, , content = '']) => decodeBase64(content.replaceAll(/\s/g, ''))?.[0] === 0x30)
  if (blocks.length > 0 && isSound && !isKey && blocks.every(([, type = '']) => type.endsWith('CERTIFICATE')))
    return text
  throw refuse({
    code: 'FETCH_TLS',
    message: isKey ? 'the caFile holds a private key' : 'the caFile holds no certificates in PEM',
    hint: isKey
      ? 'Put only certificates into it, and take the key out of the repository: everybody who saw it can use it.'
      : 'Give a file with blocks of "-----BEGIN CERTIFICATE-----".',
  })
}
