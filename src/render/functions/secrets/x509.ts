import { derObjectId, derSequence, derText, derValue, readDer, type DerValue } from '../../../codec/bytes/der.ts'
import type { Crypto, Signer } from '../../../model/ports.ts'
import { FunctionError } from '../../engine/function.ts'
import { decodePem, encodePem } from './pem.ts'
import type { SeededRandom } from './seeded-random.ts'

/** What a certificate says. */
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

/** How a certificate comes about: its key and its signer where they are given, and where everything else is drawn from. */
export interface Issue {
  readonly crypto: Crypto
  readonly random: SeededRandom
  readonly key?: string | undefined
  readonly signer?: KeyPair | undefined
}

const ed25519 = '1.3.101.112'
const signatures: Readonly<Record<Signer['algorithm'], readonly Uint8Array[]>> = {
  ed25519: [derObjectId(ed25519)],
  'rsa-sha256': [derObjectId('1.2.840.113549.1.1.11'), derValue(0x05)],
  'ecdsa-sha256': [derObjectId('1.2.840.10045.4.3.2')],
}
const digitalSignature = 0x80
const keyEncipherment = 0x20
const certificateSign = 0x04
const yes = derValue(0x01, Uint8Array.of(0xff))
/** Previews are valid from this day on: there is no clock. */
const start = Date.UTC(2020, 0, 1)
const day = 86_400_000

/** Draws an Ed25519 key (RFC 8410, section 7), in PEM. */
export function drawPrivateKey(random: SeededRandom): string {
  const seed = derValue(0x04, derValue(0x04, random.bytes(32)))
  const version = derValue(0x02, Uint8Array.of(0))
  return encodePem({ type: 'PRIVATE KEY', bytes: derSequence(version, derSequence(derObjectId(ed25519)), seed) })
}

/**
 * Makes a certificate (RFC 5280) with the fields that sprig's certificates have, from Go's x509.CreateCertificate; valid from 2020-01-01 on.
 * @throws FunctionError for names that a certificate cannot hold, a time beyond its calendar, or a key that cannot sign
 */
export function issueCertificate(subject: CertificateSubject, issue: Issue): KeyPair {
  const { crypto, random } = issue
  const serial = random.bytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  const key = issue.key ?? drawPrivateKey(random)
  const own = openKey(crypto, key)
  const signer = issue.signer === undefined ? own : openKey(crypto, issue.signer.key)
  const issuer = issue.signer === undefined ? undefined : readIssuer(issue.signer.cert)
  const name = formatName(subject.commonName)
  const algorithm = derSequence(...signatures[signer.algorithm])
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
  return { cert: encodePem({ type: 'CERTIFICATE', bytes: derSequence(body, algorithm, signature) }), key }
}

function openKey(crypto: Crypto, key: string): Signer {
  try {
    return crypto.signerOf(key)
  } catch (cause) {
    throw new FunctionError('error creating certificate: x509: the private key cannot sign', { cause })
  }
}

/** The subject and key identifier of the certificate that signs. */
function readIssuer(cert: string): { readonly name: Uint8Array; readonly keyId?: Uint8Array } {
  try {
    const fields = childrenOf(childrenOf(readDer(decodePem(cert)?.bytes ?? new Uint8Array())[0])[0])
    // the version is left out of certificates of version 1
    const name = fields[fields[0]?.tag === 0xa0 ? 5 : 4]?.whole
    if (name === undefined) throw new RangeError('no subject')
    const extensions = childrenOf(childrenOf(fields.find(({ tag }) => tag === 0xa3))[0])
    const [identifier] = extensions.filter((extension) =>
      isEqual(childrenOf(extension)[0]?.whole, derObjectId('2.5.29.14')),
    )
    const [keyId] = readDer(childrenOf(identifier).at(-1)?.content ?? new Uint8Array())
    return keyId === undefined ? { name } : { name, keyId: keyId.content }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new FunctionError('unable to parse certificate', { cause })
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
    throw new FunctionError(
      'error creating certificate: asn1: structure error: cannot represent time as GeneralizedTime',
    )
  }
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return year >= 1950 && year < 2050 ? derText(0x17, digits.slice(2)) : derText(0x18, digits)
}

interface ExtensionOptions {
  readonly own: Signer
  readonly crypto: Crypto
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
function keyIdOf({ publicKey }: Signer, crypto: Crypto): Uint8Array {
  const bitString = childrenOf(readDer(publicKey)[0])[1]?.content ?? new Uint8Array()
  return crypto.hash('sha1', bitString.subarray(1))
}

function formatDnsName(name: string): Uint8Array {
  if (/^[\0-\x7f]*$/.test(name)) return derText(0x82, name)
  throw new FunctionError(`error creating certificate: x509: ${JSON.stringify(name)} cannot be encoded as an IA5String`)
}

/** The 4 or 16 bytes of an address that net.ParseIP takes; IPv4 in IPv6 is IPv4. */
function addressBytes(address: string): Uint8Array {
  if (!address.includes(':')) return Uint8Array.from(address.split('.').map(Number))
  const tail = /[^:]*\.[^:]*$/.exec(address)?.[0]
  const groups = tail === undefined ? address : address.slice(0, -tail.length) + hexGroups(tail)
  const [head = [], rest] = groups.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const missing = rest === undefined ? 0 : 8 - head.length - rest.length
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...(rest ?? [])]
  const bytes = Uint8Array.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  )
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return isMapped ? bytes.slice(12) : bytes
}

function hexGroups(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
