import { type DerValue, readDer } from '../../codec/bytes/der.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { GenerateError } from '../generate-error.ts'
import { decodePem, isDerSequence } from './pem.ts'

/** The facts of a certificate. Times are milliseconds since 1970. */
export interface CertificateFacts {
  readonly notBefore: number
  readonly notAfter: number
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array
  /** Names in DER: of whom it is, and who signed it. */
  readonly subject: Uint8Array
  readonly issuer: Uint8Array
}

/** Reads the first certificate of a text in PEM (RFC 5280, 4.1); nothing is verified. @throws GenerateError */
export function readCertificate(pem: string): CertificateFacts {
  const block = decodePem(pem)
  if (block?.type !== 'CERTIFICATE') throw new GenerateError('there is no certificate in PEM')
  try {
    const fields = childrenOf(childrenOf(readDer(block.bytes)[0])[0])
    // the version is left out of certificates of version 1
    const first = fields[0]?.tag === 0xa0 ? 1 : 0
    const [issuer, validity, subject, publicKey] = fields.slice(first + 2, first + 6)
    const [notBefore, notAfter] = childrenOf(validity).map(readTime)
    if (issuer === undefined || subject === undefined || publicKey === undefined)
      throw new RangeError('a field is missing')
    if (notBefore === undefined || notAfter === undefined) throw new RangeError('a time is missing')
    return { notBefore, notAfter, publicKey: publicKey.whole, subject: subject.whole, issuer: issuer.whole }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new GenerateError('the certificate cannot be read', { cause })
  }
}

const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'

/**
 * True if a text is one or more certificates in PEM and nothing else: no private key beside them, no headers, no other
 * text. Only then everybody may read it.
 */
export function holdsOnlyCertificates(text: string): boolean {
  let body: string[] | undefined
  let count = 0
  for (const line of text.split('\n').map((one) => one.trimEnd())) {
    if (body === undefined) {
      if (line === begin) body = []
      else if (line !== '') return false
    } else if (line === end) {
      if (!isCertificate(body)) return false
      body = undefined
      count += 1
    } else if (/^[A-Za-z0-9+/]+={0,2}$/.test(line)) body.push(line)
    else return false
  }
  return body === undefined && count > 0
}

function isCertificate(lines: readonly string[]): boolean {
  const pem = [begin, ...lines, end, ''].join('\n')
  const block = decodePem(pem)
  if (block === undefined || !isDerSequence(block.bytes)) return false
  try {
    readCertificate(pem)
    return true
  } catch (error) {
    if (!(error instanceof GenerateError)) throw error
    return false
  }
}

function childrenOf(value: DerValue | undefined): readonly DerValue[] {
  return value === undefined ? [] : readDer(value.content)
}

const UTC_TIME = 0x17

/** UTCTime has two digits for the year, of 1950 to 2049. @throws RangeError */
function readTime({ tag, content }: DerValue): number {
  const text = decodeUtf8(content)
  const century = tag !== UTC_TIME ? '' : Number(text.slice(0, 2)) < 50 ? '20' : '19'
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(`${century}${text}`) ?? []
  const time = Date.parse(`${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second ?? ''}Z`)
  if (Number.isNaN(time)) throw new RangeError('a time cannot be read')
  return time
}
