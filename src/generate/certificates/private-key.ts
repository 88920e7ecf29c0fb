import { derSequence, derValue, readDer, type DerValue } from '../../codec/bytes/der.ts'
import type { KeyKind, NewKey } from '../../model/ports.ts'
import { encodePem } from './pem.ts'

/** The keys that sprig's genPrivateKey makes, by the name of their type. */
export const keyTypes: ReadonlyMap<string, KeyKind> = new Map<string, KeyKind>([
  ['rsa', 'rsa-4096'],
  ['dsa', 'dsa-2048'],
  ['ecdsa', 'p-256'],
  ['ed25519', 'ed25519'],
])

/** The key that sprig makes for a certificate. */
export const certificateKey: KeyKind = 'rsa-2048'

/** Writes a private key in PEM, in the form that sprig gives to its kind: PKCS #1, OpenSSL's DSA, SEC 1, PKCS #8. */
export function formatPrivateKey(kind: KeyKind, { privateKey, publicKey }: NewKey): string {
  if (kind === 'ed25519') return encodePem({ type: 'PRIVATE KEY', bytes: privateKey })
  const [, algorithm, key] = fieldsOf(readDer(privateKey)[0])
  if (algorithm === undefined || key === undefined) throw new Error('the key is not PKCS #8')
  switch (kind) {
    case 'rsa-2048':
    case 'rsa-4096':
      return encodePem({ type: 'RSA PRIVATE KEY', bytes: key.content })
    case 'p-256':
      return encodePem({ type: 'EC PRIVATE KEY', bytes: withCurve(key.content, algorithm) })
    case 'dsa-2048':
      return encodePem({ type: 'DSA PRIVATE KEY', bytes: dsaKey(algorithm, { x: key.content, publicKey }) })
  }
}

/** An ECPrivateKey (RFC 5915) that names its curve, as Go's x509.MarshalECPrivateKey writes it. */
function withCurve(key: Uint8Array, algorithm: DerValue): Uint8Array {
  const [version, secret, ...rest] = fieldsOf(readDer(key)[0])
  const curve = fieldsOf(algorithm)[1]
  if (version === undefined || secret === undefined || curve === undefined) throw new Error('the key has no curve')
  const others = rest.filter(({ tag }) => tag !== curveTag).map(({ whole }) => whole)
  return derSequence(version.whole, secret.whole, derValue(curveTag, curve.whole), ...others)
}

const curveTag = 0xa0

/** The six numbers of a DSA key, as OpenSSL and sprig write them. */
function dsaKey(
  algorithm: DerValue,
  { x, publicKey }: { readonly x: Uint8Array; readonly publicKey: Uint8Array },
): Uint8Array {
  const parameters = fieldsOf(fieldsOf(algorithm)[1]).map(({ whole }) => whole)
  // a BIT STRING starts with the number of bits that its last byte leaves out
  const y = fieldsOf(readDer(publicKey)[0])[1]?.content.subarray(1)
  if (parameters.length !== 3 || y === undefined) throw new Error('the key is not a DSA key')
  return derSequence(derValue(0x02, Uint8Array.of(0)), ...parameters, y, x)
}

function fieldsOf(value: DerValue | undefined): readonly DerValue[] {
  return value === undefined ? [] : readDer(value.content)
}
