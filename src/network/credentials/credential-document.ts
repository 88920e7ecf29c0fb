import { withoutTrailingSlashes } from '../../codec/path.ts'
import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Credentials } from '../../model/credentials.ts'
import { Secret } from '../../model/secret.ts'
import { Dict, type Value } from '../../model/value.ts'
import { comparedHost, type Reached } from '../transport/compared-address.ts'

/** A server with all names under which it is known in files. */
export interface ServerNames {
  /** `host[:port]`, as hosts are compared. */
  readonly host: string
  /** The host as it is written, in lower case: by this helpers know it. */
  readonly written: string
  readonly reached: Reached
  /** The path in it; '' when none is known. */
  readonly repository: string
}

/** Docker Hub is asked under one name and stored under another (docker/cli, registry.IndexServer). */
const HUB: readonly string[] = ['docker.io', 'index.docker.io', 'registry-1.docker.io']
const HUB_KEY = 'https://index.docker.io/v1/'

/** The map in a file of credentials; undefined when it is none. */
export function parseCredentialDocument(bytes: Uint8Array): Dict | undefined {
  try {
    const value = parseGoJson(decodeUtf8(bytes))
    return value instanceof Dict ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/**
 * The key of a map (`auths`, `credHelpers`) that is for this server: the longest part of its repository first, then the
 * host (containers/image, pkg/docker/config); keys may be written as addresses (docker/cli, ConvertToHostname).
 */
export function findKey(
  map: Value | undefined,
  { host, written, reached, repository }: ServerNames,
): string | undefined {
  if (!(map instanceof Dict)) return undefined
  const parts = repository.split('/').filter((part) => part !== '')
  const known = HUB.includes(host) ? HUB : [written, host]
  const wanted = Array.from({ length: parts.length + 1 }, (_, index) => {
    const path = parts.slice(0, parts.length - index)
    return known.map((name) => [name, ...path].join('/'))
  })
  const keys = [...map.keys()]
  for (const names of wanted) {
    const exact = names.find((name) => keys.includes(name))
    const found = exact ?? keys.find((key) => names.includes(nameOfKey(key, reached)))
    if (found !== undefined) return found
  }
  return undefined
}

/** The server name to pass to a credential helper. */
export function helperServer({ host, written }: ServerNames): string {
  return HUB.includes(host) ? HUB_KEY : written
}

/** A key without scheme and the versions of old protocols; a key with scheme is for the whole host. */
function nameOfKey(key: string, reached: Reached): string {
  const isAddress = /^https?:\/\//i.test(key)
  const [host = '', ...path] = withoutTrailingSlashes(key.replace(/^https?:\/\//i, '')).split('/')
  const isWhole = isAddress || /^v[12]$/.test(path.join('/'))
  return [comparedHost(host, reached), ...(isWhole ? [] : path)].join('/')
}

/** A text field; '' when there is none. */
export function textOf(map: Value | undefined, name: string): string {
  const value = map instanceof Dict ? map.get(name) : undefined
  return typeof value === 'string' ? value : ''
}

/** Reads an entry of `auths`; undefined for an empty one (a helper has the rest), 'damaged' when it cannot be read. */
export function readEntry(entry: Value | undefined): Credentials | undefined | 'damaged' {
  const identityToken = textOf(entry, 'identitytoken')
  if (identityToken !== '') return { type: 'identityToken', token: new Secret(identityToken) }
  const registryToken = textOf(entry, 'registrytoken')
  if (registryToken !== '') return { type: 'bearer', token: new Secret(registryToken) }
  const auth = textOf(entry, 'auth')
  if (auth === '') {
    const [username, password] = [textOf(entry, 'username'), textOf(entry, 'password')]
    return password === '' ? undefined : { type: 'basic', username, password: new Secret(password) }
  }
  const bytes = decodeBase64(auth.trim())
  const pair = bytes === undefined ? '' : decodeUtf8(bytes)
  const colon = pair.indexOf(':')
  if (colon <= 0) return 'damaged'
  // old clients filled up with zeros
  const password = pair.slice(colon + 1).replace(/^\0+|\0+$/g, '')
  return { type: 'basic', username: pair.slice(0, colon), password: new Secret(password) }
}
