/** Takes one text that must not be shown. */
type Add = (secret: string) => void

/** The members of a key of JSON (JWK) that are private: RFC 7518 6.2.2, 6.3.2 and 6.4, RFC 8037 2. */
const PARTS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 't', 'k'])
const TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP', 'oct', 'AKP'])
/** Such a member in JSON, also as text within JSON, in YAML and in flow style. */
const MEMBER =
  /(?<![\w.-])(?:dp|dq|qi|[dpqtk])\\{0,3}["']?[ \t]{0,20}:[ \t\r\n]{0,40}\\{0,3}["']?([A-Za-z0-9_-]{16,16384})/g
/** The private exponent, or the key of a signature, of at least 256 bits. */
const PRIVATE = /(?<![\w.-])\\{0,3}"(?:d|k)\\{0,3}"[ \t]{0,20}:\s{0,40}\\{0,3}"[A-Za-z0-9_-]{40}/g
const TYPE = /"kty\\{0,3}"\s{0,40}:\s{0,40}\\{0,3}"(?:RSA|EC|OKP|oct|AKP)\\{0,3}"/
/** A key has few members, of which none is longer than that of RSA with 16384 bits. */
const NEAR = 8000

/** True if a text may hold a key as JSON has them. */
export function mayHoldJsonWebKey(text: string): boolean {
  return text.includes('kty')
}

/** Finds the private members of keys in a document. */
export function collectJsonWebKeys(text: string, add: Add): void {
  if (!mayHoldJsonWebKey(text)) return
  for (const [, value = ''] of text.matchAll(MEMBER)) add(value)
}

/** True if a member of a map with this `kty` is private. */
export function isPrivateMember(type: unknown, member: string): boolean {
  return TYPES.has(type) && PARTS.has(member)
}

/** True if the value of a member is that of a private key, as far as the value alone says. */
export function looksPrivate(member: string, value: unknown): boolean {
  return PARTS.has(member) && typeof value === 'string' && /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{40,}$/.test(value)
}

/** True if a text holds a whole private key. */
export function holdsPrivateKey(text: string): boolean {
  if (!mayHoldJsonWebKey(text)) return false
  for (const { index } of text.matchAll(PRIVATE)) {
    const before = text.slice(Math.max(0, index - NEAR), index)
    const behind = text.slice(index, index + NEAR)
    const end = behind.indexOf('}')
    const own = before.slice(before.lastIndexOf('{') + 1) + (end === -1 ? behind : behind.slice(0, end))
    if (TYPE.test(own)) return true
  }
  return false
}
