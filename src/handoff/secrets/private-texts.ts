import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { holdsPrivateKey, isPrivateMember, looksPrivate } from '../../codec/text/json-web-keys.ts'
import { findCertainSecret } from '../../codec/text/known-secrets.ts'
import type { PathStep } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'

/** A text within an object that holds what nobody may read. */
interface PrivateText {
  /** Field names and indices, joined by dots. */
  readonly field: string
  readonly path: readonly PathStep[]
  /** In words of a message: `a private key`, `a token of GitHub`. */
  readonly what: string
  /** The text as it stands there, and what it encodes. */
  readonly texts: readonly string[]
}

/** A key that could be used: more than the few letters of an example, and not locked by a passphrase. */
const PEM = /-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH) )?PRIVATE KEY-----(?:\s|\\[rn]){0,200}(?!Proc-Type)[A-Za-z0-9+/=]{40}/
/** Of OpenPGP; a passphrase does not show in the text. */
const PGP =
  /-----BEGIN PGP PRIVATE KEY BLOCK-----(?:\s|\\[rn]){1,200}(?:[A-Z][A-Za-z]{1,20}: [^\r\n\\]{0,200}(?:\s|\\[rn]){1,200}){0,5}[A-Za-z0-9+/=]{40}/
const AGE = /AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58}/
const PUTTY = /PuTTY-User-Key-File-\d: [^\r\n\\]{1,40}(?:\s|\\[rn]){1,200}Encryption: none/
const OPENVPN = /-----BEGIN OpenVPN [\w -]{0,40}[Kk]ey(?: V\d)?-----(?:\s|\\[rn]){0,200}[A-Za-z0-9+/=]{32}/
const KEY = 'a private key'
/** Each with a text that it holds: every text of every object comes by, so patterns are for the few that may fit. */
const KEYS: readonly (readonly [string, RegExp])[] = [
  ['PRIVATE KEY-----', PEM],
  ['PGP PRIVATE KEY', PGP],
  ['AGE-SECRET-KEY', AGE],
  ['PuTTY-User-Key', PUTTY],
  ['BEGIN OpenVPN', OPENVPN],
]
/** `-----BEGIN ` in base64; what follows it makes no difference. */
const ENCODED = 'LS0tLS1CRUdJTi'
/** Where base64 ends, in one line or several. A pattern of what belongs to it could not hold a run of megabytes. */
const NOT_ENCODED = /[^A-Za-z0-9+/\s]/g
/** A token or password of a user of a kubeconfig, as YAML or JSON; templates and references are none. */
const CREDENTIAL = /(?:^|[\s{,"'-])(?:token|password)["']?:[ \t]*["']?[A-Za-z0-9+/=_.-]{16}/m

/**
 * Finds private keys (in PEM form, of OpenPGP, age, PuTTY and OpenVPN, and as JSON), tokens that nothing else looks
 * like, and kubeconfigs with credentials in every text of an object, base64 included. Certificates, keys with a
 * passphrase, and texts that only speak of keys are left alone.
 */
export function privateTexts(value: Value): readonly PrivateText[] {
  const found: PrivateText[] = []
  // one path for all: every field of every object comes by
  const path: PathStep[] = []
  const step = (key: PathStep, child: Value): void => {
    path.push(key)
    visit(child)
    path.pop()
  }
  const visit = (child: Value): void => {
    if (typeof child === 'string') {
      const what = recognize(child)
      if (what !== undefined) found.push({ field: path.join('.'), path: [...path], ...what })
    } else if (Array.isArray(child)) child.forEach((item, index) => step(index, item))
    else if (child instanceof Dict) {
      const type = child.get('kty')
      for (const [key, item] of child) {
        if (type !== undefined && isPrivateMember(type, key) && looksPrivate(key, item))
          found.push({ field: [...path, key].join('.'), path: [...path, key], what: KEY, texts: [textOf(item)] })
        else step(key, item)
      }
    }
  }
  visit(value)
  return found
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : ''
}

/** The shortest text with a token: everything else is passed at a glance. */
const SHORTEST = 20
/** The shortest text with a key. */
const SHORTEST_KEY = 58

function recognize(text: string): Omit<PrivateText, 'field' | 'path'> | undefined {
  if (text.length < SHORTEST) return undefined
  const token = findCertainSecret(text)
  if (text.length < SHORTEST_KEY) return token && { what: token.what, texts: [text, token.secret] }
  if (holdsKey(text)) return { what: KEY, texts: [text] }
  if (token !== undefined) return { what: token.what, texts: [text, token.secret] }
  for (const encoded of encodedRuns(text)) {
    const decoded = decoded64(encoded)
    if (decoded !== undefined && holdsKey(decoded)) return { what: KEY, texts: [text, decoded] }
  }
  const plain = text.includes('users') ? text : wholly64(text)
  if (plain === undefined) return undefined
  if (holdsKey(plain)) return { what: KEY, texts: [text, plain] }
  const inside = plain === text ? undefined : findCertainSecret(plain)
  if (inside !== undefined) return { what: inside.what, texts: [text, plain, inside.secret] }
  if (!isKubeconfig(plain)) return undefined
  return { what: 'a kubeconfig with credentials', texts: plain === text ? [text] : [text, plain] }
}

function holdsKey(text: string): boolean {
  return KEYS.some(([mark, pattern]) => text.includes(mark) && pattern.test(text)) || holdsPrivateKey(text)
}

/** The runs of base64 that begin as PEM does. */
function* encodedRuns(text: string): Iterable<string> {
  for (let start = text.indexOf(ENCODED); start !== -1;) {
    NOT_ENCODED.lastIndex = start
    const end = NOT_ENCODED.exec(text)?.index ?? text.length
    yield text.slice(start, end)
    start = text.indexOf(ENCODED, end)
  }
}

function isKubeconfig(text: string): boolean {
  return text.includes('clusters') && text.includes('contexts') && text.includes('users') && CREDENTIAL.test(text)
}

/** The text inside a text that is nothing but base64, such as an entry of binaryData. */
function wholly64(text: string): string | undefined {
  return /[^A-Za-z0-9+/=\s]/.test(text) ? undefined : decoded64(text)
}

function decoded64(text: string): string | undefined {
  const compact = text.replaceAll(/\s/g, '')
  const bytes = decodeBase64(compact) ?? decodeBase64(compact.slice(0, compact.length - (compact.length % 4)))
  return bytes === undefined ? undefined : decodeUtf8(bytes)
}
