import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Crypto } from '../../model/ports.ts'
import { parseJsonObject } from '../registry/manifest.ts'
import type { PublicKey } from './public-keys.ts'

/**
 * The predicate of a statement that says "signed" and nothing more; other statements (provenance …) are no signatures.
 */
export const SIGN_PREDICATE = 'https://sigstore.dev/cosign/sign/v1'
const STATEMENT = 'application/vnd.in-toto+json'

/**
 * Checks a bundle of Sigstore (cosign's BUNDLE_SPEC; what cosign 3 writes): a DSSE envelope, signed with one of the
 * keys, around an in-toto statement that this digest is signed. A statement names no repository. Undefined when it is
 * good, else the reason.
 */
export function checkBundle(
  bundle: Uint8Array,
  digest: string,
  { keys, crypto }: { readonly keys: readonly PublicKey[]; readonly crypto: Crypto },
): string | undefined {
  const outer = parseJsonObject(bundle)
  if ('reason' in outer) return `is not a bundle: ${outer.reason}`
  const payloadType = textAt(outer.value, 'dsseEnvelope', 'payloadType')
  const payload = decodeBase64(textAt(outer.value, 'dsseEnvelope', 'payload'))
  if (payload === undefined || payloadType !== STATEMENT) return 'is a bundle without a statement'
  const signed = preAuthEncoding(payloadType, payload)
  const signatures = itemsAt(outer.value, 'dsseEnvelope', 'signatures').map((one) => decodeBase64(textAt(one, 'sig')))
  const isOurs = signatures.some((one) => one !== undefined && keys.some(({ pem }) => crypto.verify(pem, signed, one)))
  if (!isOurs) return 'was made by another key, or over other content'
  const statement = parseJsonObject(payload)
  if ('reason' in statement) return `is over something else than a statement: ${statement.reason}`
  const predicate = textAt(statement.value, 'predicateType')
  if (predicate !== SIGN_PREDICATE) return `states ${JSON.stringify(predicate.slice(0, 200))}, which is not a signature`
  const hex = digest.replace('sha256:', '')
  const subjects = itemsAt(statement.value, 'subject')
  return subjects.some((subject) => fieldAt(subject, 'digest', 'sha256') === hex) ? undefined : 'is for another digest'
}

/** The bytes that a DSSE envelope's signature covers (secure-systems-lab/dsse, protocol.md). */
function preAuthEncoding(type: string, payload: Uint8Array): Uint8Array {
  const head = encodeUtf8(`DSSEv1 ${encodeUtf8(type).length} ${type} ${payload.length} `)
  const all = new Uint8Array(head.length + payload.length)
  all.set(head)
  all.set(payload, head.length)
  return all
}
