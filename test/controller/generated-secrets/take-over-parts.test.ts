import { describe, expect, test } from 'vitest'
import { type TakeOverRequest, takeOverParts } from '../../../src/controller/generated-secrets/take-over-parts.ts'
import type { GeneratedSecret, Generator } from '../../../src/model/binding.ts'
import { readKubeObject } from '../../../src/kube/kube-object.ts'
import { nodeCrypto } from '../../../src/system/node-crypto.ts'
import { makeWebCertificates } from '../../../tools/servers/web-certificates.ts'
import { base64 } from '../workload-cluster/kubeconfigs.ts'

const { ca, server } = makeWebCertificates()
const other = makeWebCertificates()

const generators: readonly Generator[] = [
  { name: 'ca', function: 'genCA', arguments: ['x', '', '', '10'] },
  { name: 'leaf', function: 'genSignedCert', arguments: ['x', '', '', '10', '${ca.cert}\n'] },
  { name: 'password', function: 'randAlphaNum', arguments: ['8'] },
  { name: 'hash', function: 'htpasswd', arguments: ['admin', '${password.value}'] },
  { name: 'encoded', function: 'b64enc', arguments: ['${password.value}'] },
]

function asked(name: string, data: GeneratedSecret['data']): GeneratedSecret {
  return { namespace: 'a', name, labels: new Map(), annotations: new Map(), data }
}

const tls = asked('tls', [
  { key: 'ca.crt', template: '${ca.cert}\n' },
  { key: 'tls.crt', template: '${leaf.cert}\n' },
  { key: 'tls.key', template: '${leaf.key}\n' },
])

interface Row {
  readonly name: string
  readonly asked: readonly GeneratedSecret[]
  /** By the name of a Secret; those that are not here are not there. */
  readonly live: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly missing?: readonly string[]
  readonly isOurs?: boolean
  readonly holds?: readonly string[]
  readonly kept?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly want: Readonly<Record<string, Readonly<Record<string, string>>>> | string
}

const whole = { 'ca.crt': ca, 'tls.crt': server.cert, 'tls.key': server.key }
const taken = { ca: { cert: ca.trimEnd() }, leaf: { cert: server.cert.trimEnd(), key: server.key.trimEnd() } }
const login = asked('login', [
  { key: 'password', generator: 'password', part: 'value' },
  { key: 'url', template: 'https://admin:${password.value}@${HOST}' },
])
const both = asked('both', [{ key: 'pair', template: '${password.value}${hash.hash}' }])

const rows: readonly Row[] = [
  { name: 'nothing is there', asked: [tls, login], live: {}, want: {} },
  { name: 'certificates with their key', asked: [tls], live: { tls: whole }, want: taken },
  {
    name: 'what is kept already is not looked at',
    asked: [tls],
    live: { tls: whole },
    missing: ['ca'],
    want: { ca: taken.ca },
  },
  {
    name: 'text around it, and values',
    asked: [login],
    live: { login: { password: 'abc', url: 'https://admin:abc@192.0.2.1' } },
    want: { password: { value: 'abc' } },
  },
  {
    name: 'base64 of bytes',
    asked: [asked('raw', [{ key: 'k', generator: 'password', part: 'value', decode: 'base64' }])],
    live: { raw: { k: 'abc' } },
    want: { password: { value: 'YWJj' } },
  },
  {
    name: 'a password that stands only in a hash is left to be made, for nobody reads it',
    asked: [asked('h', [{ key: 'auth', generator: 'hash', part: 'hash' }])],
    live: { h: { auth: '$2a$10$x' } },
    want: { hash: { hash: '$2a$10$x' } },
  },
  {
    name: 'one of two Secrets that share nothing',
    asked: [tls, login],
    live: { tls: whole },
    want: taken,
  },
  {
    name: 'a key is missing',
    asked: [tls],
    live: { tls: { 'ca.crt': ca, 'tls.crt': server.cert } },
    want: 'Secret a/tls is there already, and has no key tls.key',
  },
  {
    name: 'a key is missing in a Secret that we have delivered',
    asked: [tls],
    live: { tls: { 'ca.crt': ca, 'tls.crt': server.cert } },
    isOurs: true,
    want: 'the Secrets of the cluster hold a part of generator leaf, and not its key',
  },
  {
    name: 'a key of another certificate',
    asked: [tls],
    live: { tls: { ...whole, 'tls.key': other.server.key } },
    want: 'certificate and key of generator leaf do not belong together',
  },
  {
    name: 'a key that is none',
    asked: [tls],
    live: { tls: { ...whole, 'tls.key': 'canary\n' } },
    want: 'the key of generator leaf cannot be read',
  },
  {
    name: 'a certificate with a key beside it, which would be published with it',
    asked: [tls],
    live: { tls: { ...whole, 'tls.crt': `${server.cert}${server.key}` } },
    want: 'the certificate of generator leaf has something else beside it',
  },
  {
    name: 'a certificate that is none',
    asked: [tls],
    live: { tls: { ...whole, 'ca.crt': 'canary\n' } },
    want: 'the certificate of generator ca cannot be read',
  },
  {
    name: 'another authority',
    asked: [tls],
    live: { tls: { ...whole, 'ca.crt': other.ca } },
    want: 'the certificate of generator leaf is of another authority',
  },
  {
    name: 'two that should be the same',
    asked: [login],
    live: { login: { password: 'abc', url: 'https://admin:canary@192.0.2.1' } },
    want: 'key url of Secret a/login differs from another that should hold the same',
  },
  {
    name: 'another form',
    asked: [login],
    live: { login: { password: 'abc', url: 'http://canary' } },
    want: 'key url of Secret a/login is not of the form that is asked for',
  },
  {
    name: 'two in one text',
    asked: [both],
    live: { both: { pair: 'canary' } },
    want: 'Secret a/both is there already, and generator password cannot be read from key pair',
  },
  {
    name: 'what is computed from it',
    asked: [asked('e', [{ key: 'k', template: '${encoded.value}' }])],
    live: { e: { k: 'canary' } },
    want: 'Secret a/e is there already, and generator password cannot be read from key k',
  },
  {
    name: 'what is kept of two in one text',
    asked: [both],
    live: { both: { pair: 'abc$2a$10$x' } },
    missing: ['hash'],
    kept: { password: { value: 'abc' } },
    isOurs: true,
    holds: ['hash', 'password'],
    want: { hash: { hash: '$2a$10$x' } },
  },
  {
    name: 'two in one text, where another one is kept than it has',
    asked: [both],
    live: { both: { pair: 'canary' } },
    missing: ['hash'],
    kept: { password: { value: 'abc' } },
    want: 'key pair of Secret a/both is not of the form that is asked for',
  },
  {
    name: 'a certificate of another authority than the one that is kept',
    asked: [tls],
    live: { tls: whole },
    missing: ['leaf'],
    kept: { ca: { cert: other.ca.trimEnd() } },
    want: 'the certificate of generator leaf is of another authority',
  },
  {
    name: 'what a Secret of ours has nothing of yet',
    asked: [login, both],
    live: { login: { password: 'canary', url: 'https://admin:canary@192.0.2.1' }, both: { pair: 'canary' } },
    isOurs: true,
    holds: ['leaf'],
    want: {},
  },
  {
    name: 'a hash of a password that another Secret would get anew',
    asked: [asked('h', [{ key: 'auth', generator: 'hash', part: 'hash' }]), login],
    live: { h: { auth: '$2a$10$x' } },
    want: 'the Secrets of the cluster hold generator hash, and not password, which it is made of',
  },
]

describe('what a cluster has already', () => {
  test.each(rows)('$name', ({ asked: secrets, live, missing, isOurs = false, holds, kept = {}, want }) => {
    const request: TakeOverRequest = {
      generators,
      values: [],
      texts: new Map([['HOST', '192.0.2.1']]),
      secrets: secrets.map((secret) => {
        const texts = live[secret.name]
        const data = Object.entries(texts ?? {}).map(([key, text]) => [key, base64(text)])
        const object = readKubeObject({ metadata: { name: secret.name }, data: Object.fromEntries(data) as unknown })
        const held = holds && new Set(holds)
        return { asked: secret, live: texts === undefined ? undefined : object, isOurs, holds: held }
      }),
      kept: new Map(Object.entries(kept).map(([name, of]) => [name, new Map(Object.entries(of))])),
      missing: new Set(missing ?? ['ca', 'leaf', 'password', 'hash']),
    }
    let found: unknown
    try {
      const parts = takeOverParts(request, nodeCrypto)
      found = Object.fromEntries([...parts].map(([name, of]) => [name, Object.fromEntries(of)]))
    } catch (error) {
      found = error instanceof Error ? error.message : error
    }
    expect(found).toEqual(want)
    expect(String(found)).not.toContain('canary')
  })
})
