import { derObjectId, derSequence, derText, derValue, readDer, type DerValue } from '../../codec/bytes/der.ts'
import type { Crypto, Signer } from '../../model/ports.ts'
import { GenerateError } from '../generate-error.ts'
import { addressBytes } from './ip-address.ts'
import { decodePem, encodePem } from './pem.ts'

/** The subject of a certificate. */
export interface CertificateSubject {
  readonly commonName: string
  readonly addresses: readonly string[]
  readonly names: readonly string[]
  readonly days: number
  readonly isAuthority: boolean
}

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** How a certificate comes about. */
export interface Issue {
  readonly crypto: Pick<Crypto, 'hash' | 'signerOf'>
  /** `random` for certificates that are used; `repeatable` makes the same one each time. */
  readonly signatures: 'random' | 'repeatable'
  /** 16 bytes; the first two bits are set so that it is positive and of full length. */
  readonly serial: Uint8Array
  /** From when on it is valid, milliseconds since 1970. */
  readonly start: number
  /** Its private key, in PEM. */
  readonly key: string
  /** Who signs; itself when undefined. */
  readonly signer: KeyPair | undefined
}

const algorithms: Readonly<Record<Signer['algorithm'], readonly Uint8Array[]>> = {
  ed25519: [derObjectId('1.3.101.112')],
  'rsa-sha256': [derObjectId('1.2.840.113549.1.1.11'), derValue(0x05)],
  'ecdsa-sha256': [derObjectId('1.2.840.10045.4.3.2')],
  'ecdsa-sha384': [derObjectId('1.2.840.10045.4.3.3')],
  'ecdsa-sha512': [derObjectId('1.2.840.10045.4.3.4')],
}
const digitalSignature = 0x80
const keyEncipherment = 0x20
const certificateSign = 0x04
const yes = derValue(0x01, Uint8Array.of(0xff))
const day = 86_400_000

/**
 * Makes a certificate (RFC 5280), in PEM, with the fields that sprig's certificates have, from Go's
 * x509.CreateCertificate.
 * @throws GenerateError for names that a certificate cannot hold, a time beyond its calendar, or a key that cannot sign
 */
export function issueCertificate(subject: CertificateSubject, issue: Issue): string {
  const { crypto, start } = issue
  const serial = Uint8Array.from(issue.serial)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const own = openKey(issue.key, issue)
  const signer = issue.signer === undefined ? own : openKey(issue.signer.key, issue)
  const issuer = issue.signer === undefined ? undefined : readIssuer(issue.signer.cert)
  if (issuer !== undefined && !signer.belongsTo(issuer.publicKey))
    throw new GenerateError("error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey")
  const name = formatName(subject.commonName)
  const algorithm = derSequence(...algorithms[signer.algorithm])
  const body = derSequence(
    derValue(0xa0, derValue(0x02, Uint8Array.of(2))),
    derValue(0x02, serial),
    algorithm,
    issuer?.name ?? name,
    derSequence(formatTime(start), formatTime(start + subject.days * day)),
    name,
    own.publicKey,
    derValue(0xa3, derSequence(...extensionsOf(subject, { own, crypto, authority: issuer?.keyId }))),
  )
  const signature = derValue(0x03, Uint8Array.of(0), signer.sign(body))
  return encodePem({ type: 'CERTIFICATE', bytes: derSequence(body, algorithm, signature) })
}

function openKey(key: string, { crypto, signatures }: Issue): Signer {
  try {
    return crypto.signerOf(key, signatures)
  } catch (cause) {
    throw new GenerateError('error creating certificate: x509: the private key cannot sign', { cause })
  }
}

/** The issuer of a certificate, as the certificates that it signs describe it. */
interface Issuer {
  readonly name: Uint8Array
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  readonly keyId: Uint8Array | undefined
}

function readIssuer(cert: string): Issuer {
  try {
    const fields = childrenOf(childrenOf(readDer(decodePem(cert)?.bytes ?? new Uint8Array())[0])[0])
    // the version is left out of certificates of version 1
    const first = fields[0]?.tag === 0xa0 ? 1 : 0
    const [name, publicKey] = [fields[first + 4]?.whole, fields[first + 5]?.whole]
    if (name === undefined || publicKey === undefined) throw new RangeError('no subject or no key')
    const extensions = childrenOf(childrenOf(fields.find(({ tag }) => tag === 0xa3))[0])
    const [identifier] = extensions.filter((extension) =>
      isEqual(childrenOf(extension)[0]?.whole, derObjectId('2.5.29.14')),
    )
    const [keyId] = readDer(childrenOf(identifier).at(-1)?.content ?? new Uint8Array())
    return { name, publicKey, keyId: keyId?.content }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new GenerateError('unable to parse certificate', { cause })
  }
}

function childrenOf(value: DerValue | undefined): readonly DerValue[] {
  return value === undefined ? [] : readDer(value.content)
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a?.length === b.length && a.every((byte, index) => byte === b[index])
}

/** A name of one attribute; none for an empty common name, as in Go. */
function formatName(commonName: string): Uint8Array {
  if (commonName === '') return derSequence()
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName)
  const value = derText(isPrintable ? 0x13 : 0x0c, commonName)
  return derSequence(derValue(0x31, derSequence(derObjectId('2.5.4.3'), value)))
}

/** UTCTime up to 2049, GeneralizedTime after. */
function formatTime(instant: number): Uint8Array {
  const date = new Date(instant)
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) {
    throw new GenerateError(
      'error creating certificate: asn1: structure error: cannot represent time as GeneralizedTime',
    )
  }
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return year >= 1950 && year < 2050 ? derText(0x17, digits.slice(2)) : derText(0x18, digits)
}

interface ExtensionOptions {
  readonly own: Signer
  readonly crypto: Issue['crypto']
  readonly authority: Uint8Array | undefined
}

function extensionsOf(
  subject: CertificateSubject,
  { own, crypto, authority }: ExtensionOptions,
): readonly Uint8Array[] {
  const { isAuthority, addresses, names, commonName } = subject
  const usage = digitalSignature | keyEncipherment | (isAuthority ? certificateSign : 0)
  const purposes = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'].map(derObjectId)
  const extensions = [
    extension('2.5.29.15', derValue(0x03, Uint8Array.of(isAuthority ? 2 : 5, usage)), 'critical'),
    extension('2.5.29.37', derSequence(...purposes)),
    extension('2.5.29.19', isAuthority ? derSequence(yes) : derSequence(), 'critical'),
  ]
  if (isAuthority) extensions.push(extension('2.5.29.14', derValue(0x04, keyIdOf(own, crypto))))
  if (authority !== undefined) extensions.push(extension('2.5.29.35', derSequence(derValue(0x80, authority))))
  const alternatives = [
    ...names.map(formatDnsName),
    ...addresses.map((address) => derValue(0x87, addressBytes(address))),
  ]
  if (alternatives.length > 0) {
    const isOnlyName = commonName === ''
    extensions.push(extension('2.5.29.17', derSequence(...alternatives), isOnlyName ? 'critical' : undefined))
  }
  return extensions
}

function extension(id: string, value: Uint8Array, critical?: 'critical'): Uint8Array {
  return derSequence(derObjectId(id), ...(critical === undefined ? [] : [yes]), derValue(0x04, value))
}

/** SHA-1 of the public key's bits (RFC 5280, 4.2.1.2). */
function keyIdOf({ publicKey }: Signer, crypto: Issue['crypto']): Uint8Array {
  const bitString = childrenOf(readDer(publicKey)[0])[1]?.content ?? new Uint8Array()
  return crypto.hash('sha1', bitString.subarray(1))
}

function formatDnsName(name: string): Uint8Array {
  if (/^[\0-\x7f]*$/.test(name)) return derText(0x82, name)
  throw new GenerateError(
    `error creating certificate: x509: ${JSON.stringify(name)} cannot be encoded as an IA5String`,
    { unquoted: 'error creating certificate: x509: a DNS name cannot be encoded as an IA5String' },
  )
}
