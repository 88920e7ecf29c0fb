import { createECDH, createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import type { Signer } from '../model/ports.ts'

/** A curve to sign on. */
interface Curve {
  readonly order: bigint
  /** The hash that Go's x509 uses with keys of this size. */
  readonly hash: 'sha256' | 'sha384' | 'sha512'
}

/** The curves of the NIST, by the names that createECDH knows. */
const curves: ReadonlyMap<string, Curve> = new Map<string, Curve>([
  ['prime256v1', { order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n, hash: 'sha256' }],
  [
    'secp384r1',
    {
      order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
      hash: 'sha384',
    },
  ],
  [
    'secp521r1',
    {
      order:
        0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
      hash: 'sha512',
    },
  ],
])

/** {@link Crypto.signerOf} for Ed25519, RSA or a curve of the NIST. @throws Error for what is no such key */
export function createNodeSigner(privateKey: string, signatures: 'random' | 'repeatable'): Signer {
  const key = createPrivateKey(privateKey)
  const publicKey = new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  const type = key.asymmetricKeyType
  const common = { publicKey, belongsTo: (other: Uint8Array) => isSameKey(other, publicKey) }
  if (type === 'ed25519') return { ...common, algorithm: type, sign: (bytes) => new Uint8Array(sign(null, bytes, key)) }
  if (type === 'rsa') {
    return { ...common, algorithm: 'rsa-sha256', sign: (bytes) => new Uint8Array(sign('sha256', bytes, key)) }
  }
  if (type === 'ec') {
    const hash = curves.get(key.asymmetricKeyDetails?.namedCurve ?? '')?.hash ?? 'sha256'
    const own = (bytes: Uint8Array): Uint8Array => new Uint8Array(sign(hash, bytes, key))
    const repeatable = (bytes: Uint8Array): Uint8Array => signRepeatably(key, bytes)
    return { ...common, algorithm: `ecdsa-${hash}`, sign: signatures === 'random' ? own : repeatable }
  }
  throw new Error(`no certificates are signed with keys of type ${type ?? 'unknown'}`)
}

/** Compares keys, not the forms that they are written in. */
function isSameKey(a: Uint8Array, b: Uint8Array): boolean {
  const [first, second] = [a, b].map((key) => readPublicKey(key))
  return first !== undefined && second !== undefined && first.equals(second)
}

/** Undefined for what is no public key that this Node knows. */
function readPublicKey(der: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/**
 * ECDSA whose nonce follows from key and message, because node's own is random: for previews. The result is the pair
 * (r, s) in DER.
 */
function signRepeatably(key: KeyObject, bytes: Uint8Array): Uint8Array {
  const curve = key.asymmetricKeyDetails?.namedCurve ?? ''
  const known = curves.get(curve)
  const secret = key.export({ format: 'jwk' }).d
  if (known === undefined || secret === undefined) throw new Error(`no certificates are signed on curve ${curve}`)
  const { order, hash } = known
  const d = toNumber(Buffer.from(secret, 'base64url'))
  const size = Math.ceil(order.toString(16).length / 2)
  const e = toNumber(createHash(hash).update(bytes).digest())
  for (let attempt = 0; ; attempt++) {
    const wide = [0, 1].map((half) => createHash('sha512').update(`${d} ${e} ${attempt} ${half}`).digest())
    const k = (toNumber(Buffer.concat(wide)) % (order - 1n)) + 1n
    const point = createECDH(curve)
    point.setPrivateKey(Buffer.from(k.toString(16).padStart(size * 2, '0'), 'hex'))
    const coordinates = point.getPublicKey()
    const r = toNumber(coordinates.subarray(1, 1 + (coordinates.length - 1) / 2)) % order
    const s = (power(k, order - 2n, order) * ((e + r * d) % order)) % order
    if (r !== 0n && s !== 0n) return new Uint8Array(tagged(0x30, Buffer.concat([integer(r), integer(s)])))
  }
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let left = exponent, square = base % modulus; left > 0n; left >>= 1n, square = (square * square) % modulus) {
    if (left & 1n) result = (result * square) % modulus
  }
  return result
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return tagged(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]))
}

/** A DER value of at most 255 bytes. */
function tagged(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([bytes.length < 0x80 ? Buffer.of(tag, bytes.length) : Buffer.of(tag, 0x81, bytes.length), bytes])
}

/** {@link Crypto.verify} through node:crypto. */
export function verifySignature(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey(publicKey)
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key, signature)
}
