import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { createTokenTable, type TokenTable } from '../../../src/model/token.ts'
import { applyPatch } from '../../../src/render/stack/patch.ts'
import { parseManifests } from '../../../src/render/stack/parse-manifests.ts'
import { resolveTokens } from '../../../src/render/stack/resolve-tokens.ts'
import { fieldAt } from '../../../src/model/field.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const { crypto } = createNodePorts()

/** Names for the tokens that a row's YAML may use as `<name>`. */
function createTokens(): { readonly tokens: TokenTable; readonly names: ReadonlyMap<string, string> } {
  const tokens = createTokenTable()
  const source = { name: 'c/templates/a.yaml', text: '{{ generator }}' }
  const generated = (name: string, part: string): string => {
    const generate = { function: name, arguments: ['8'], identity: 'c/templates/a.yaml:1:1' }
    const origin = { at: { source, start: 3, end: 12 } }
    return tokens.add({ kind: 'generated', type: 'string', generate, part }, origin)
  }
  const encoded = (input: string): string => tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input })
  const password = generated('randAlphaNum', 'value')
  const cert = generated('genCA', 'cert')
  const key = generated('genCA', 'key')
  const hash = generated('htpasswd', 'hash')
  const host = tokens.add({ kind: 'runtime', type: 'host', path: 'Cluster.spec.controlPlaneEndpoint.host' })
  const names = Object.entries({
    password,
    cert,
    key,
    hash,
    host,
    encodedPassword: encoded(password),
    encodedCert: encoded(`${cert}\n`),
    encodedLogin: encoded(`user:${password}`),
    upperPassword: tokens.add({ kind: 'derived', type: 'string', function: 'upper', input: password }),
  })
  return { tokens, names: new Map(names) }
}

function manifestsOf(yaml: string, names: ReadonlyMap<string, string>): readonly Manifest[] {
  const text = [...names].reduce((known, [name, token]) => known.replaceAll(`<${name}>`, token), yaml)
  return parseManifests(text, { from: 'fleet', unit: 'addon', template: 'c/templates/a.yaml' })
}

/** What stands at `pointer`-like path segments after resolving, with marks shortened; or the problems. */
function resolve(yaml: string, ...path: readonly string[]): unknown {
  const { tokens, names } = createTokens()
  try {
    const { manifests } = resolveTokens(manifestsOf(yaml, names), { tokens, crypto })
    return shown(fieldAt(manifests[0]?.object ?? null, ...path))
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(({ code, message }) => `${code} ${message}`)
    throw error
  }
}

function shown(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/stackmason-placeholder-[0-9a-f]{16}/g, '(placeholder)') : value
}

function decode(value: unknown): unknown {
  return typeof value === 'string' ? shown(Buffer.from(value, 'base64').toString()) : value
}

const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n'
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n'

describe('a placeholder stands where a value is known later', () => {
  test.each([
    {
      name: 'text of a Secret',
      yaml: `${secret}stringData: {a: "user:<password>"}`,
      path: ['stringData', 'a'],
      want: 'user:(placeholder)',
    },
    {
      name: 'derived text',
      yaml: `${secret}stringData: {a: <upperPassword>}`,
      path: ['stringData', 'a'],
      want: '(placeholder)',
    },
    {
      name: 'a certificate anywhere',
      yaml: `${configMap}data: {ca: <cert>}`,
      path: ['data', 'ca'],
      want: '(placeholder)',
    },
    {
      name: 'a runtime value anywhere',
      yaml: `${configMap}data: {url: "https://<host>/"}`,
      path: ['data', 'url'],
      want: 'https://(placeholder)/',
    },
    {
      name: 'a certificate in an annotation of a Secret',
      yaml: `${secret.replace('{name: s}', '{name: s, annotations: {a: <cert>}}')}`,
      path: ['metadata', 'annotations', 'a'],
      want: '(placeholder)',
    },
  ])('$name', ({ yaml, path, want }) => {
    expect(resolve(yaml, ...path)).toBe(want)
  })

  test.each([
    { name: 'base64 of a password', yaml: `${secret}data: {a: <encodedPassword>}`, want: '(placeholder)' },
    {
      name: 'base64 of text around a password',
      yaml: `${secret}data: {a: <encodedLogin>}`,
      want: 'user:(placeholder)',
    },
    { name: 'base64 of a certificate', yaml: `${secret}data: {a: <encodedCert>}`, want: '(placeholder)\n' },
    { name: 'what happens to be base64', yaml: `${secret}data: {a: <password>}`, want: '(placeholder)' },
    { name: 'what is not base64', yaml: `${secret}data: {a: "x <password>"}`, want: 'x (placeholder)' },
  ])('in data of a Secret as base64: $name', ({ yaml, want }) => {
    expect(decode(resolve(yaml, 'data', 'a'))).toBe(want)
  })

  test('the same for equal tokens, another for others', () => {
    const { tokens, names } = createTokens()
    const yaml = `${secret}stringData: {a: <password>, b: <password>, c: <key>}`
    const [manifest] = resolveTokens(manifestsOf(yaml, names), { tokens, crypto }).manifests
    const texts = ['a', 'b', 'c'].map((key) => fieldAt(manifest?.object ?? null, 'stringData', key))
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).not.toBe(texts[2])
  })
})

const only = 'which only a Secret may hold'
const later = 'which is known only later'
const file = '(c/templates/a.yaml)'

describe('what may not land where it has', () => {
  test.each([
    {
      name: 'a password in a ConfigMap',
      yaml: `${configMap}data: {a: "x <password>"}`,
      want: [`SECRET_OUTSIDE_SECRET /data/a of ConfigMap c ${file} holds what randAlphaNum generates, ${only}`],
    },
    {
      name: 'derived from a password',
      yaml: `${configMap}data: {a: <encodedLogin>, b/c: <upperPassword>}`,
      want: [
        `SECRET_OUTSIDE_SECRET /data/a of ConfigMap c ${file} holds what randAlphaNum generates, ${only}`,
        `SECRET_OUTSIDE_SECRET /data/b~1c of ConfigMap c ${file} holds what randAlphaNum generates, ${only}`,
      ],
    },
    {
      name: 'a key beside a certificate',
      yaml: `${configMap}data: {pem: "<cert><key>"}`,
      want: [`SECRET_OUTSIDE_SECRET /data/pem of ConfigMap c ${file} holds what genCA generates, ${only}`],
    },
    {
      name: 'a hash of a password',
      yaml: `${configMap}data: {users: "a:<hash>"}`,
      want: [`SECRET_OUTSIDE_SECRET /data/users of ConfigMap c ${file} holds what htpasswd generates, ${only}`],
    },
    {
      name: 'a password in a label of a Secret',
      yaml: secret.replace('{name: s}', '{name: s, labels: {a: <password>}}'),
      want: [`SECRET_OUTSIDE_SECRET /metadata/labels/a of Secret s ${file} holds what randAlphaNum generates, ${only}`],
    },
    {
      name: 'another kind of that name',
      yaml: `${secret.replace('v1', 'example.com/v1')}data: {a: <password>}`,
      want: [`SECRET_OUTSIDE_SECRET /data/a of Secret s ${file} holds what randAlphaNum generates, ${only}`],
    },
    {
      name: 'in a list',
      yaml: `${configMap}list: [{a: [x, <password>]}]`,
      want: [`SECRET_OUTSIDE_SECRET /list/0/a/1 of ConfigMap c ${file} holds what randAlphaNum generates, ${only}`],
    },
    {
      name: 'a name',
      yaml: configMap.replace('name: c', 'name: c-<password>'),
      want: [
        `OBJECT_DEFERRED_KEY /metadata/name of ConfigMap c-<what randAlphaNum generates> ${file} holds what randAlphaNum generates, ${later}`,
      ],
    },
    {
      name: 'a namespace of a Secret',
      yaml: secret.replace('{name: s}', '{name: s, namespace: <host>}'),
      want: [
        `OBJECT_DEFERRED_KEY /metadata/namespace of Secret <Cluster.spec.controlPlaneEndpoint.host>/s ${file} holds Cluster.spec.controlPlaneEndpoint.host, ${later}`,
      ],
    },
    {
      name: 'a key',
      yaml: `${secret}stringData: {<password>: x}`,
      want: [
        `OBJECT_DEFERRED_KEY a key at /stringData of Secret s ${file} holds what randAlphaNum generates, ${later}`,
      ],
    },
  ])('$name', ({ yaml, want }) => {
    expect(resolve(yaml)).toEqual(want)
  })

  test('the error points at the generator', () => {
    const { tokens, names } = createTokens()
    let caught: unknown
    try {
      resolveTokens(manifestsOf(`${configMap}data: {a: <encodedLogin>}`, names), { tokens, crypto })
    } catch (error) {
      caught = error
    }
    expect(caught).toMatchObject({ diagnostics: [{ at: { source: { name: 'c/templates/a.yaml' }, start: 3 } }] })
  })
})

describe('what was found is told', () => {
  test('as a value, with the pointer and the text around', () => {
    const { tokens, names } = createTokens()
    const yaml = `${secret}stringData: {a/b: "user:<password>", c: known}`
    const [manifest] = resolveTokens(manifestsOf(yaml, names), { tokens, crypto }).manifests
    expect(manifest?.deferred).toMatchObject([
      { pointer: '/stringData/a~1b', text: `user:${names.get('password') ?? ''}`, tokens },
    ])
    expect(manifest?.deferred?.[0]?.written).toBe(fieldAt(manifest?.object ?? null, 'stringData', 'a/b'))
  })

  test('as one finding for each call, with all places', () => {
    const { tokens, names } = createTokens()
    const yaml = `${secret}stringData: {a: <key>, b: <cert>}\n---\n${configMap}data: {ca: <cert>}`
    const { findings } = resolveTokens(manifestsOf(yaml, names), { tokens, crypto })
    expect(findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'TEMPLATE_GENERATED_SECRET genCA makes a secret; placeholders stand at Secret s /stringData/a, Secret s /stringData/b, ConfigMap c /data/ca',
    ])
  })

  test('a patch that replaces a placeholder settles it', () => {
    const { tokens, names } = createTokens()
    const yaml = `${secret}stringData: {a: <password>, b: <key>}`
    const [manifest] = resolveTokens(manifestsOf(yaml, names), { tokens, crypto }).manifests
    if (manifest === undefined) throw new Error('no manifest')
    const at = { source: { name: 'p.yaml', text: '' }, start: 0, end: 0 }
    const replace = { op: 'replace', path: '/stringData/a', value: 'known', at } as const
    const patched = applyPatch(manifest, {
      target: {},
      jsonPatch: [replace],
      optional: false,
      at,
      document: { span: at, index: 0, words: 'bool' as const },
    })
    expect(patched.deferred?.map(({ pointer }) => pointer)).toEqual(['/stringData/b'])
  })

  test('objects without tokens are handed on as they are', () => {
    const { tokens, names } = createTokens()
    const manifests = manifestsOf(configMap, names)
    const resolved = resolveTokens(manifests, { tokens, crypto })
    expect(resolved.manifests[0]).toBe(manifests[0])
    expect(resolved.findings).toEqual([])
  })
})
