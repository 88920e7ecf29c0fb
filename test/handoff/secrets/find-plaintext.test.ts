import { describe, expect, test } from 'vitest'
import { encodeBase64 } from '../../../src/codec/bytes/base64.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { findPlaintext, type PlaintextInput } from '../../../src/handoff/secrets/find-plaintext.ts'
import type { LocatedToken, Manifest, ManifestOrigin } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { Dict } from '../../../src/model/value.ts'

const far = 'oci://charts.example/far'
const release = 'docker-scs-1-30-v1'
const at = { source: { name: 'values/csi.yaml', text: '' }, start: 0, end: 0 }
const origins = {
  beside: {
    from: 'clusters/team/web/cluster.yaml',
    unit: 'cluster',
    template: 'clusters/team/web/cluster.yaml',
  },
  templates: { from: 'own/a.hbs', unit: 'own', template: 'own/a.hbs' },
  chart: { from: '/fleet/own', unit: 'own', template: 'own/templates/a.yaml' },
  remote: { from: far, unit: 'far', template: 'far/templates/a.yaml' },
  subchart: { from: '/fleet/own', unit: 'own', template: 'own/charts/b/templates/a.yaml' },
  release: { from: release, unit: 'csi', template: 'csi/templates/a.yaml' },
} as const satisfies Record<string, ManifestOrigin>

const b64 = (text: string): string => encodeBase64(encodeUtf8(text))
const pem = (label: string): string => `-----BEGIN ${label}-----\nMIIB+a/b=\n-----END ${label}-----\n`
const sops = 'ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UA==,type:str]'

function dictOf(yaml: string): Dict {
  const value = parseGoYaml(yaml, { integers: 'int' })
  if (!(value instanceof Dict)) throw new TypeError('not a map')
  return value
}

/** A Secret `kube-system/s`; `fields` are JSON of its further fields. */
function secret(origin: ManifestOrigin, fields: object, deferred?: readonly LocatedToken[]): Manifest {
  const object = dictOf(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', ...fields }))
  const base = { apiVersion: 'v1', kind: 'Secret', name: 's', namespace: 'kube-system', object, origin }
  return { ...base, ...(deferred !== undefined && { deferred }) }
}

function find(
  manifest: Manifest,
  { values = '{}', patch = '{}', tool = 'flux', file = 'clusters/team/web/values/csi.yaml' }: FleetText = {},
) {
  return findPlaintext([{ path: 'clusters/team/web/addons/01-csi', manifests: [manifest] }], {
    tool,
    release,
    cluster: {
      name: 'web',
      namespace: 'team',
      values: new Map([
        ['csi', [{ source: { name: file, path: `/fleet/${file}`, text: '' }, values: dictOf(values) }]],
      ]),
      patches: [
        {
          target: { kind: 'Secret' },
          mergePatch: dictOf(patch),
          optional: false,
          at,
          document: { span: at, index: 0, words: 'bool' as const },
        },
      ],
      addons: [
        { name: 'own', enabled: true, templates: '/fleet/own', ignoresConditions: false, at },
        {
          name: 'far',
          enabled: true,
          chart: far,
          remote: { name: far, repository: far, request: '1', at },
          ignoresConditions: false,
          at,
        },
      ],
      existingSecrets: [{ name: 'there', namespace: 'kube-system', at }],
    },
  })
}

interface FleetText {
  readonly values?: string
  readonly patch?: string
  readonly tool?: PlaintextInput['tool'] | undefined
  /** Of the values. */
  readonly file?: string
}

describe('what is not plaintext', () => {
  test.each([
    { name: 'nothing', fields: { type: 'kubernetes.io/service-account-token' } },
    { name: 'empty entries', fields: { data: { a: '', b: null }, stringData: { c: '' } } },
    {
      name: 'empty maps and lists, yes and no',
      fields: { data: { a: b64('{}\n') }, stringData: { b: '[]', c: 'true' } },
    },
    { name: 'certificates', fields: { data: { 'ca.crt': b64(pem('CERTIFICATE') + pem('CERTIFICATE')) } } },
    { name: 'a public key', fields: { stringData: { key: pem('PUBLIC KEY') } } },
    { name: 'what SOPS has encrypted', fields: { data: { a: sops }, stringData: { b: sops }, sops: { version: '3' } } },
    {
      name: 'what is declared public',
      fields: { metadata: { annotations: { 'stackmason.dev/plaintext': 'public' } }, stringData: { a: 'x' } },
    },
  ])('$name', ({ fields }) => {
    expect(find(secret(origins.beside, fields))).toEqual([])
  })

  test('a Secret that is there already, other kinds, other groups', () => {
    const plain = secret(origins.beside, { stringData: { a: 'x' } })
    for (const origin of [origins.release, origins.remote, origins.subchart])
      expect(find({ ...secret(origin, { stringData: { a: 'x' } }), name: 'there' })).toEqual([])
    expect(find({ ...plain, kind: 'ConfigMap' })).toEqual([])
    expect(find({ ...plain, apiVersion: 'example.com/v1' })).toEqual([])
  })

  test('what is generated, or known only later', () => {
    const tokens = createTokenTable()
    const token = tokens.add({ kind: 'runtime', type: 'host', path: 'Cluster.spec.controlPlaneEndpoint.host' })
    const encoded = tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input: `${token}\n` })
    const mixed = tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input: `password: x ${token}` })
    const located = (pointer: string, text: string) => ({ pointer, text, tokens, written: 'p' })
    const fields = { data: { 'a/b': b64('p'), c: b64('p') }, stringData: { d: 'p' } }
    const late = [located('/data/a~1b', encoded), located('/stringData/d', token)]
    const of = (text: string) => find(secret(origins.beside, fields, [...late, located('/data/c', text)]))
    expect(of(encoded)).toEqual([])
    expect(of(mixed).map(({ message }) => message)).toEqual([
      'Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: c',
    ])
  })
})

describe('plaintext', () => {
  test.each([
    ['beside cluster.yaml', origins.beside, 'the file'],
    ['an own file', origins.templates, 'the file'],
    ['an own chart', origins.chart, 'the chart'],
  ])('a Secret that is there already still stands in %s', (_, origin, where) => {
    const found = find({ ...secret(origin, { stringData: { a: 'x' } }), name: 'there' })
    expect(found.map(({ code, severity }) => [code, severity])).toEqual([['SECRET_IN_PLAINTEXT', 'error']])
    expect(found[0]?.hint).toContain(`so take the text out of ${where}`)
    expect(find({ ...secret(origin, { data: { a: '' } }), name: 'there' })).toEqual([])
  })

  const make = 'Make the Secret outside of git'
  const name = `${make} and name it under spec.existingSecrets of addons.yaml, or in the chart's values if it has one for that`
  const external = 'write an ExternalSecret instead'
  const withSops = 'encrypt it with SOPS (spec.handoff.flux.decryption)'
  const patch = (addon: string, folder: string): string =>
    `if everybody may read it, write ${folder}/patches/public-${addon}.yaml: {apiVersion: stackmason.dev/v1alpha1, kind: Patch, spec: {target: {kind: Secret, name: "s", addon: ${addon}}, mergePatch: {metadata: {annotations: {stackmason.dev/plaintext: public}}}}}`
  const declare = 'if everybody may read it, annotate it stackmason.dev/plaintext: public.'

  test.each([
    {
      name: 'beside cluster.yaml',
      manifest: secret(origins.beside, { stringData: { 'clouds.yaml': 'hunter2' }, data: { b: b64('hunter2') } }),
      want: 'error: Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: b, clouds.yaml',
      hint: `${make}, ${external}, or ${withSops}; ${declare}`,
    },
    {
      name: 'Argo CD decrypts nothing',
      tool: 'argocd' as const,
      manifest: secret(origins.beside, { stringData: { a: 'hunter2' } }),
      want: 'error: Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: a',
      hint: `${make}, or ${external}; ${declare}`,
    },
    {
      name: 'templates of an own addon',
      manifest: secret(origins.templates, { data: { a: b64('hunter2') } }),
      want: 'error: Secret kube-system/s of cluster team/web (addon own, own/a.hbs) holds plaintext: a',
      hint: `${name}, ${external}, or ${withSops}; ${declare}`,
    },
    {
      name: 'an own chart',
      manifest: secret(origins.chart, { data: { a: b64('hunter2') } }),
      want: 'error: Secret kube-system/s of cluster team/web (addon own, own/templates/a.yaml) holds plaintext: a',
      hint: `${name}, or ${external}; ${patch('own', 'clusters/team/web')}`,
    },
    {
      name: 'a release',
      manifest: secret(origins.release, { data: { a: b64('hunter2') } }),
      want: 'warning: Secret kube-system/s of docker-scs-1-30-v1 (addon csi, csi/templates/a.yaml) holds plaintext of the release: a',
      hint: `${name}, or ${external}; ${patch('csi', 'clusters')}`,
    },
  ])('$name', ({ manifest, want, hint, tool }) => {
    const found = find(manifest, { tool })
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([want])
    expect(found.map((finding) => [finding.code, finding.file, finding.hint])).toEqual([
      ['SECRET_IN_PLAINTEXT', manifest.origin.template, hint],
    ])
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`hunter2|${b64('hunter2')}`))
  })

  test.each([
    { name: 'a certificate with its key', fields: { stringData: { a: pem('CERTIFICATE') + pem('PRIVATE KEY') } } },
    { name: 'SOPS that leaves an entry out', fields: { stringData: { a: 'x', b: sops }, sops: { version: '3' } } },
    { name: 'text that is not base64', fields: { data: { a: 'x!' } } },
    { name: 'a number', fields: { stringData: { a: 1234 } } },
  ])('$name', ({ fields }) => {
    expect(find(secret(origins.beside, fields)).map(({ message }) => message)).toEqual([
      'Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: a',
    ])
  })

  test.each([
    { name: 'a map where text belongs', fields: { stringData: { a: { b: 'hunter2' } } }, want: 'a.b' },
    { name: 'the same, encoded', fields: { data: { a: [b64('hunter2')] } }, want: 'a.0' },
    { name: 'a list in the place of the map', fields: { stringData: ['hunter2'] }, want: 'stringData.0' },
    { name: 'text in the place of the map', fields: { stringData: 'hunter2' }, want: 'stringData' },
    { name: 'a field that there is not', fields: { datas: { a: 'hunter2' } }, want: 'datas.a' },
    { name: 'a header that is none', fields: { type: { a: 'hunter2' } }, want: 'type.a' },
    {
      name: 'a key that is a value',
      fields: { stringData: { a: { 'hunter2 is it': 'x' } } },
      want: 'a.<key of 13 characters>',
    },
  ])('$name', ({ fields, want }) => {
    const found = find(secret(origins.beside, fields))
    expect(found.map(({ message }) => message)).toEqual([
      `Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: ${want}`,
    ])
    expect(JSON.stringify(found.map(({ message, hint }) => [message, hint]))).not.toContain('hunter2')
  })

  test.each([
    { name: 'a certificate of 20 MB', text: `-----BEGIN CERTIFICATE-----${'A'.repeat(20_000_000)}` },
    { name: 'what looks encrypted, of 20 MB', text: `ENC[AES256_GCM,data:${'A'.repeat(20_000_000)}` },
  ])('$name', ({ text }) => {
    const found = find(secret(origins.beside, { stringData: { a: text } }))
    expect(found.map(({ code }) => code)).toEqual(['SECRET_IN_PLAINTEXT'])
  })

  test('the class of a release', () => {
    const manifest = secret({ ...origins.release, unit: 'cluster-class' }, { stringData: { a: 'x' } })
    const found = findPlaintext([{ path: 'stacks', manifests: [manifest] }], { tool: 'flux', release })
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: Secret kube-system/s of docker-scs-1-30-v1 (csi/templates/a.yaml) holds plaintext of the release: a',
    ])
  })
})

test.each([
  { values: 'p: hunter2-long', patch: '{}', file: 'clusters/values/csi.yaml', isShared: true },
  { values: 'p: hunter2-long', patch: '{}', file: 'clusters/team/web-2/values/csi.yaml', isShared: true },
  { values: 'p: hunter2-long', patch: '{}', file: 'clusters/team/web/values/csi.yaml', isShared: false },
  { values: 'p: hunter2-long', patch: 'a: hunter2-long', file: 'clusters/values/csi.yaml', isShared: false },
])('text of values in $file, and a patch $patch, is of all clusters: $isShared', ({ isShared, ...text }) => {
  const found = find(secret(origins.release, { stringData: { a: 'hunter2-long' } }), text)
  const [owner, folder] = isShared ? ['', 'clusters'] : [' of cluster team/web', 'clusters/team/web']
  expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    `error: Secret kube-system/s${owner} (addon csi, csi/templates/a.yaml) holds plaintext of values or patches: a`,
  ])
  expect(found[0]?.hint).toContain(`write ${folder}/patches/public-csi.yaml: `)
})

describe('a Secret of a release with text of the fleet', () => {
  const given =
    'error: Secret kube-system/s of cluster team/web (addon csi, csi/templates/a.yaml) holds plaintext of values or patches: a'
  const own =
    'warning: Secret kube-system/s of docker-scs-1-30-v1 (addon csi, csi/templates/a.yaml) holds plaintext of the release: a, z'

  test.each([
    { name: 'a whole entry, however short', text: 'pw', values: 'password: pw', want: given },
    { name: 'encoded by the chart', data: b64('hunter2'), values: 'password: hunter2', want: given },
    { name: 'encoded in the values', data: b64('hunter2'), values: `password: ${b64('hunter2')}`, want: given },
    { name: 'a number', text: '12345678', values: 'pin: 12345678', want: given },
    { name: 'part of an entry', text: '[Global]\nkey = hunter2-long', values: 'a: [{b: hunter2-long}]', want: given },
    { name: 'in JSON', text: '{"p":"hunter\\"2-long"}', values: `password: 'hunter"2-long'`, want: given },
    {
      name: 'lines that were indented',
      text: 'c: |\n  key=hunter2\n',
      values: 'conf: |\n  [x]\n  key=hunter2\n',
      want: given,
    },
    { name: 'a patch', text: 'hunter2', patch: 'stringData: {a: hunter2}', want: given },
    {
      name: 'a patch that makes an entry a map',
      text: undefined,
      entry: { stringData: { a: { password: 'hunter2' } } },
      patch: 'stringData: {a: {password: hunter2}}',
      want: given.replace(/: a$/, ': a.password'),
    },
    { name: 'part of an entry, short', text: 'user: admin', values: 'user: admin', want: own },
    { name: 'other text', text: 'hunter2', values: 'password: another-one\nenabled: true', want: own },
  ])('$name', ({ text, data, entry: malformed, want, ...fleet }) => {
    const entry = malformed ?? (text === undefined ? { data: { a: data } } : { stringData: { a: text } })
    const found = find(secret(origins.release, { ...entry, stringData: { ...entry.stringData, z: 'static' } }), fleet)
    expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([want])
    expect(JSON.stringify(found)).not.toContain('hunter')
  })
})

describe('what nobody may read, in other objects', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'.repeat(2)}\n-----END RSA PRIVATE KEY-----\n`
  const configMap = (origin: ManifestOrigin, fields: object = {}): Manifest => ({
    ...secret(origin, {}),
    kind: 'ConfigMap',
    object: dictOf(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { 'tls.key': key }, ...fields })),
  })

  test.each([
    {
      name: 'an own file',
      manifest: configMap(origins.templates),
      values: '{}',
      want: 'error ConfigMap kube-system/s of cluster team/web (addon own, own/a.hbs) holds a private key: data.tls.key',
    },
    {
      name: 'values that reach a chart',
      manifest: configMap(origins.release),
      values: JSON.stringify({ tls: { key } }),
      want: 'error ConfigMap kube-system/s of cluster team/web (addon csi, csi/templates/a.yaml) holds a private key of values or patches: data.tls.key',
    },
    {
      name: 'a release alone',
      manifest: configMap(origins.release),
      values: '{}',
      want: 'warning ConfigMap kube-system/s of docker-scs-1-30-v1 (addon csi, csi/templates/a.yaml) holds a private key of the release: data.tls.key',
    },
  ])('$name', ({ manifest, values, want }) => {
    const found = find(manifest, { values })
    expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual([want])
    expect(JSON.stringify(found)).not.toContain('MIIE')
  })

  test('is passed where everybody may read it, and in schemas', () => {
    const metadata = { annotations: { 'stackmason.dev/plaintext': 'public' } }
    expect(find(configMap(origins.templates, { metadata }))).toEqual([])
    expect(find({ ...configMap(origins.templates), kind: 'CustomResourceDefinition' })).toEqual([])
  })

  test('is a warning in what stays as it is committed, in Secrets too', () => {
    const file = 'clusters/team/web/addons/01-csi/secret-s.yaml'
    const origin = { from: file, unit: 'committed', template: 'csi/templates/a.yaml' }
    const kept = secret(origin, { stringData: { 'tls.key': key, user: 'admin' } })
    const cluster = { name: 'web', namespace: 'team', addons: [], values: new Map(), patches: [], existingSecrets: [] }
    const found = findPlaintext([{ path: 'clusters/team/web/addons/01-csi', manifests: [kept] }], {
      tool: 'flux',
      release,
      cluster,
      isKept: true,
    })
    expect(found).toMatchObject([
      {
        code: 'SECRET_IN_PLAINTEXT',
        severity: 'warning',
        message:
          'Secret kube-system/s of cluster team/web (csi/templates/a.yaml) holds a private key: stringData.tls.key',
        hint: expect.stringContaining('remove freeze'),
      },
    ])
    expect(JSON.stringify(found)).not.toContain('MIIE')
  })
})

test("kubectl's copy of the object gives away what SOPS hides", () => {
  const applied = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', stringData: { password: 'hunter2' } })
  const metadata = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } }
  const found = find(secret(origins.beside, { metadata, stringData: { password: sops } }))
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'error Secret kube-system/s of cluster team/web (clusters/team/web/cluster.yaml) holds plaintext: annotation kubectl.kubernetes.io/last-applied-configuration',
  ])
  expect(JSON.stringify(found)).not.toContain('hunter2')
})
