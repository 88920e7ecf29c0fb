import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ServerAccess } from '../../model/server-connection.ts'
import { fieldAt, textField } from '../json-field.ts'
import { itemsNamed, parseDocument } from './kubeconfig-document.ts'

/**
 * A kubeconfig that is not understood, or that asks for what is never done. The message names fields, and repeats no
 * value.
 */
export class KubeconfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KubeconfigError'
  }
}

/** A kubeconfig of Cluster API has some thousand characters; certificates of many authorities have room. */
const MOST_CHARACTERS = 262_144

/** Fields that would read a file of our pod, run a program in it, or give other rights than those that are named. */
const refusedOfUser: readonly (readonly [string, string])[] = [
  ['exec', 'would run a program in the pod of the controller'],
  ['auth-provider', 'would run a plugin in the controller'],
  ['tokenFile', 'would read a file of the pod of the controller'],
  ['client-certificate', 'would read a file of the pod of the controller'],
  ['client-key', 'would read a file of the pod of the controller'],
  ['username', 'is of a login that API servers no longer have'],
  ['password', 'is of a login that API servers no longer have'],
  ['as', 'would act as somebody else'],
  ['as-uid', 'would act as somebody else'],
  ['as-groups', 'would act as somebody else'],
  ['as-user-extra', 'would act as somebody else'],
]

const refusedOfCluster: readonly (readonly [string, string])[] = [
  ['certificate-authority', 'would read a file of the pod of the controller'],
  ['insecure-skip-tls-verify', 'would give Secrets to whoever answers'],
]

/**
 * Reads the text of a kubeconfig that others have written, as Cluster API's providers do: its current context with all
 * that belongs to it inside. Nothing of it reads files, runs programs or leaves a server unverified.
 * @throws KubeconfigError
 */
export function parseKubeconfig(text: string): ServerAccess {
  if (text.length > MOST_CHARACTERS) throw new KubeconfigError('it is too long')
  const config = parse(text)
  const context = named(config, 'contexts', textField(config, 'current-context'))
  const cluster = named(config, 'clusters', textField(context, 'cluster'))
  const user = named(config, 'users', textField(context, 'user'))
  refuse(cluster, 'cluster', refusedOfCluster)
  refuse(user, 'user', refusedOfUser)
  const [authorities, cert, key] = [
    pemOf(cluster, 'cluster.certificate-authority-data', 'CERTIFICATE'),
    pemOf(user, 'user.client-certificate-data', 'CERTIFICATE'),
    pemOf(user, 'user.client-key-data', 'PRIVATE KEY'),
  ]
  if ((cert === undefined) !== (key === undefined)) {
    throw new KubeconfigError('user.client-certificate-data and user.client-key-data belong together')
  }
  const token = matching(user, 'user.token', /^[\x21-\x7e]{1,65536}$/)
  if (token === undefined && cert === undefined)
    throw new KubeconfigError('its user has neither a certificate nor a token')
  const serverName = matching(cluster, 'cluster.tls-server-name', /^[A-Za-z0-9.:_-]{1,253}$/)
  const proxy = addressOf(cluster, 'cluster.proxy-url', isProxy)
  const url = addressOf(cluster, 'cluster.server', isServer)
  if (url === undefined) throw new KubeconfigError('cluster.server is missing')
  return {
    url,
    certificateAuthorities: authorities,
    clientCertificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    token,
    serverName,
    proxy,
  }
}

function parse(text: string): unknown {
  const document = parseDocument(text)
  if (document === undefined) throw new KubeconfigError('it is no YAML')
  return document.config
}

/** The one item of that name. */
function named(config: unknown, list: Parameters<typeof itemsNamed>[1], name: string | undefined): unknown {
  if (name === undefined || name === '') throw new KubeconfigError(`nothing says which of ${list} is meant`)
  const items = itemsNamed(config, list, name)
  if (items.length === 0) throw new KubeconfigError(`what it names is not among its ${list}`)
  if (items.length > 1) throw new KubeconfigError(`what it names is among its ${list} more than once`)
  return items[0]
}

function refuse(object: unknown, of: string, fields: readonly (readonly [string, string])[]): void {
  for (const [field, why] of fields) {
    const value = fieldAt(object, field)
    const isEmpty = value === undefined || value === null || value === '' || value === false
    if (!isEmpty) throw new KubeconfigError(`${of}.${field} ${why}`)
  }
}

/** The text of a field; undefined where it is missing or empty. */
function textOf(object: unknown, path: string): string | undefined {
  const field = path.slice(path.indexOf('.') + 1)
  const value = fieldAt(object, field)
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new KubeconfigError(`${path} is no text`)
}

function pemOf(object: unknown, path: string, type: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined {
  const encoded = textOf(object, path)
  if (encoded === undefined) return undefined
  const bytes = decodeBase64(encoded)
  const pem = bytes === undefined ? '' : decodeUtf8(bytes)
  const pattern =
    type === 'CERTIFICATE' ? /^-----BEGIN CERTIFICATE-----\s/m : /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s/m
  if (!pattern.test(pem)) throw new KubeconfigError(`${path} is no ${type.toLowerCase()} in PEM, in base64`)
  return pem
}

function matching(object: unknown, path: string, pattern: RegExp): string | undefined {
  const text = textOf(object, path)?.trim()
  if (text === undefined || pattern.test(text)) return text
  throw new KubeconfigError(`${path} has characters that do not belong there, or too many`)
}

function addressOf(object: unknown, path: string, isOne: (url: URL) => string | undefined): string | undefined {
  const text = textOf(object, path)
  if (text === undefined) return undefined
  if (text.length > 2048 || !URL.canParse(text)) throw new KubeconfigError(`${path} is no address`)
  const problem = isOne(new URL(text))
  if (problem !== undefined) throw new KubeconfigError(`${path} ${problem}`)
  return text
}

function isServer({ protocol, username, password, search, hash }: URL): string | undefined {
  if (protocol !== 'https:') return 'must begin with https:// : Secrets go there'
  if (username !== '' || password !== '') return 'must not hold a user or a password'
  return search === '' && hash === '' ? undefined : 'must not hold a query'
}

function isProxy({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  try {
    decodeURIComponent(username + password)
    return undefined
  } catch {
    return 'holds a user or a password that cannot be read'
  }
}
