import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { encodeBase64 } from '../../../src/codec/bytes/base64.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { encodePem } from '../../../src/generate/certificates/pem.ts'
import { bindCluster } from '../../../src/handoff/binding/bind-cluster.ts'
import { bindingLimits } from '../../../src/handoff/binding/binding-limits.ts'
import { checkBinding } from '../../../src/handoff/binding/check-binding.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { fieldAt, withField, type PathStep } from '../../../src/model/field.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import { Dict, dict, GoInt } from '../../../src/model/value.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { manifestOf } from '../../render/stack/objects.ts'
import { boundCluster, type BoundSample } from './bound-cluster.ts'

function chartOf(template: string): Chart {
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { path: 'templates/a.yaml', bytes: encodeUtf8(template) },
  ]
  return buildChart(files, 'c', createNodePorts())
}

const overwrite = `host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
quotedPort: "{{ .Cluster.spec.controlPlaneEndpoint.port }}"
phase: "{{ .Cluster.status.phase }}"
network: "{{ .InfraCluster.status.network.id }}"
`

function bind(template: string, options: Partial<BoundSample> = {}) {
  return boundCluster({ chart: chartOf(template), overwrite, tool: 'flux', ...options })
}

const HOST = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST'
const PORT = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT'
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'

describe('placeholders', () => {
  test.each([
    { name: 'a text', template: `${configMap}data: {a: {{ .Values.host }}}`, want: [`/data/a \${${HOST}}`] },
    {
      name: 'values inside of a text',
      template: `${configMap}data: {a: "https://{{ .Values.host }}:{{ .Values.port }}/$x"}`,
      want: [`/data/a https://\${${HOST}}:\${${PORT}}/$x`],
    },
    {
      name: 'a number',
      template:
        'apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\nsubsets: [{ports: [{port: {{ .Values.port }}}]}]',
      want: [`/subsets/0/ports/0/port \${${PORT}} integer`],
    },
    {
      name: 'a number that the chart casts',
      template:
        'apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\nsubsets: [{ports: [{port: {{ .Values.quotedPort | int }}}]}]',
      want: [`/subsets/0/ports/0/port \${${PORT}} integer`],
    },
    {
      name: 'a number in quotes',
      template: `${configMap}data: {a: {{ .Values.port | quote }}}`,
      want: [`/data/a \${${PORT}}`],
    },
    {
      name: 'a number that was put in quotes before, wherever it lands',
      template: `${configMap}data: {{ dict "a" .Values.quotedPort | toYaml | nindent 2 }}`,
      want: [`/data/a \${${PORT}}`],
    },
    {
      name: 'base64 of a value',
      template: `${configMap}binaryData: {a: {{ .Values.host | b64enc }}}`,
      want: [`/binaryData/a \${${HOST}_BASE64}`],
    },
    {
      name: 'base64 of a text with values',
      template: `${configMap}binaryData: {a: {{ printf "https://%s" .Values.host | b64enc }}}`,
      want: ['/binaryData/a ${CLUSTER_CONFIGMAP_A_BINARYDATA_A_B64ENC_VALUE}'],
    },
  ])('$name', ({ template, want }) => {
    const { placeholders } = bind(template.replace('metadata: {name: a}', 'metadata: {name: a, namespace: cluster}'))
    expect(
      placeholders.map(({ pointer, text, isInteger }) => `${pointer} ${text}${isInteger === true ? ' integer' : ''}`),
    ).toEqual(want)
  })

  test('text of the chart that looks like a placeholder is none', () => {
    const { placeholders } = bind(`${configMap}data: {a: "\${FOO} {{ .Values.host }} \${${PORT}}"}`)
    expect(placeholders.map(({ text, names }) => [text, ...names])).toEqual([[`\${FOO} \${${HOST}} \${${PORT}}`, HOST]])
  })

  test('text of the chart that looks like the placeholder beside it is none', () => {
    const { placeholders } = bind(`${configMap}data: {a: "\${${HOST}} {{ .Values.host }}"}`)
    expect(placeholders.map(({ parts }) => parts)).toEqual([[{ text: `\${${HOST}} ` }, { name: HOST }]])
  })

  test('Flux gets placeholders in the objects, Argo CD placeholders and the index', () => {
    const template = `${configMap}data: {a: {{ .Values.host }}}`
    const at = (tool: GitopsTool, ...path: readonly PathStep[]) =>
      fieldAt(bind(template, { tool }).folders[1]?.manifests[0]?.object ?? null, ...path)
    expect(at('flux', 'data', 'a')).toBe(`\${${HOST}}`)
    expect(at('argocd', 'data', 'a')).toMatch(/^stackmason-placeholder-[0-9a-f]{16}$/)
  })

  test('every value says where it comes from and what it must be', () => {
    const { binding } = bind(
      `${configMap}data: {a: "{{ .Values.quotedPort }}", b: {{ .Values.phase }}, c: {{ .Values.network | b64enc }}}`,
    )
    expect(binding.values).toEqual([
      {
        name: PORT,
        from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' },
        type: 'port',
        assumptions: [],
      },
      {
        name: 'CLUSTER_STATUS_PHASE',
        from: { kind: 'Cluster', fieldPath: 'status.phase' },
        type: 'string',
        assumptions: [],
      },
      {
        name: 'INFRACLUSTER_STATUS_NETWORK_ID_BASE64',
        from: { kind: 'InfrastructureCluster', fieldPath: 'status.network.id' },
        type: 'id',
        encode: 'base64',
        assumptions: [],
      },
    ])
  })

  test('an assumption about what fills no placeholder is held all the same', () => {
    const { binding, placeholders } = bind(`${configMap}data: {a: {{ if .Values.network }}b{{ end }}}`)
    expect(placeholders).toEqual([])
    expect(binding.values).toEqual([
      {
        name: 'INFRACLUSTER_STATUS_NETWORK_ID',
        from: { kind: 'InfrastructureCluster', fieldPath: 'status.network.id' },
        type: 'id',
        assumptions: [{ isSet: true }],
      },
    ])
  })

  test('nothing to bind gives no RuntimeValues object', () => {
    const { runtimeValues, folders } = bind(`${configMap}data: {a: b}`)
    expect(runtimeValues).toBeUndefined()
    expect(folders[0]?.manifests.map(({ kind }) => kind)).toEqual(['Cluster'])
  })

  test('the object lies beside the Cluster', () => {
    const { runtimeValues, folders } = bind(`${configMap}data: {a: {{ .Values.host }}}`)
    expect(folders[0]?.path).toBe('clusters/team/web/cluster')
    expect(folders[0]?.manifests).toContain(runtimeValues)
    expect(fieldAt(runtimeValues?.object ?? null, 'spec', 'publish', 'configMap')).toBe('web')
  })
})

test.each([
  ['.Files.Get .Values.phase', 'Get would have to know a value that is only known later: Cluster.status.phase'],
  ['.Files.Glob .Values.phase', 'Glob would have to know a value that is only known later: Cluster.status.phase'],
  [
    '.Capabilities.APIVersions.Has .Values.phase',
    'Has would have to know a value that is only known later: Cluster.status.phase',
  ],
  [
    'until (int .Values.port)',
    'a parameter of type int cannot be a value that is only known later: Cluster.spec.controlPlaneEndpoint.port',
  ],
])('a look at what is not known yet is refused, not answered: %s', (call, want) => {
  expect(problemsOf(() => bind(`${configMap}data: {a: "{{ ${call} }}"}`))).toEqual([`TEMPLATE_TOKEN_REFUSED ${want}`])
})

describe('what a chart would have generated', () => {
  const secret =
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: b}, annotations: {helm.sh/hook: pre-install, c: d}}\n'

  test('goes into a Secret with everything else that the chart has put there', () => {
    const template = `${secret}type: example.org/login
data: {user: {{ "admin" | b64enc }}, password: {{ randAlphaNum 20 | b64enc }}, seed: {{ randBytes 8 }}}
stringData: {url: "https://admin:{{ randAlpha 4 }}@{{ .Values.host }}/\${x}", login: {{ printf "a:%s" (randNumeric 3) | b64enc }}}`
    const { binding, folders, placeholders } = bind(template)
    expect(folders.flatMap(({ manifests }) => manifests.map(({ kind }) => kind))).toEqual(['Cluster', 'RuntimeValues'])
    expect(placeholders).toEqual([])
    expect(binding.secrets).toEqual([
      {
        namespace: 'kube-system',
        name: 's',
        type: 'example.org/login',
        labels: new Map([['a', 'b']]),
        annotations: new Map([['c', 'd']]),
        data: [
          { key: 'login', template: '${kube-system_s_login_b64enc.value}' },
          { key: 'password', generator: 'kube-system_s_password', part: 'value' },
          { key: 'seed', generator: 'kube-system_s_seed', part: 'value', decode: 'base64' },
          { key: 'url', template: `https://admin:\${kube-system_s_url.value}@\${${HOST}}/$\${x}` },
          { key: 'user', template: 'admin' },
        ],
      },
    ])
    expect(binding.generators).toEqual([
      { name: 'kube-system_s_login', function: 'randNumeric', arguments: ['3'] },
      { name: 'kube-system_s_login_b64enc', function: 'b64enc', arguments: ['a:${kube-system_s_login.value}'] },
      { name: 'kube-system_s_password', function: 'randAlphaNum', arguments: ['20'] },
      { name: 'kube-system_s_seed', function: 'randBytes', arguments: ['8'] },
      { name: 'kube-system_s_url', function: 'randAlpha', arguments: ['4'] },
    ])
  })

  test('a hash of it that is compared with is that of the value, and stands in Secrets only', () => {
    const template = `{{- $p := randAlphaNum 16 }}
${secret}stringData: {password: {{ $p }}, sha: {{ sha256sum $p }}, line: "admin:{{ sha1sum $p }}:x"}
data: {encoded: {{ printf "{SHA512}%s" (sha512sum $p) | b64enc }}}
---
${configMap.replace('{name: a}', '{name: a, annotations: {checksum/x: {{ sha256sum $p }}}}')}data: {a: b}
`
    const { binding } = bind(template)
    expect(binding.secrets[0]?.data).toEqual([
      { key: 'encoded', template: '{SHA512}${kube-system_s_encoded_sha512sum.value}' },
      { key: 'line', template: 'admin:${kube-system_s_line_sha1sum.value}:x' },
      { key: 'password', generator: 'kube-system_s_encoded', part: 'value' },
      { key: 'sha', template: '${kube-system_s_sha_sha256sum.value}' },
    ])
    expect(binding.generators.find(({ name }) => name === 'kube-system_s_sha_sha256sum')?.arguments).toEqual([
      '${kube-system_s_encoded.value}',
    ])
    expect(problemsOf(() => bind(template.replace('data: {a: b}', 'data: {a: "user:{{ sha256sum $p }}"}')))).toEqual([
      'SECRET_OUTSIDE_SECRET /data/a of ConfigMap a (c/templates/a.yaml) holds the hash of a generated secret, which only a Secret may hold',
    ])
  })

  test('byte for byte: bytes, nothing, dollars, and what Helm was to keep', () => {
    const { binding } = bind(
      `${secret.replace('c: d', 'helm.sh/resource-policy: keep')}data: {bytes: "/w==", none: null}
stringData: {price: "US$\{{ randNumeric 2 }} $$ $\{x}"}`,
    )
    expect(binding.secrets[0]?.annotations).toEqual(new Map([['helm.sh/resource-policy', 'keep']]))
    expect(binding.secrets[0]?.data).toEqual([
      { key: 'bytes', template: '/w==', decode: 'base64' },
      { key: 'none', template: '' },
      { key: 'price', template: 'US$$${kube-system_s_price.value} $$$$ $${x}' },
    ])
    expect(checkBinding([], { ...binding, generators: [] }, [])).toEqual([
      'no generator has the name kube-system_s_price',
    ])
  })

  test('names fit where they are written, and stay apart when they are cut', () => {
    const long = (key: string): string => `${'a-'.repeat(120)}${key}`
    const template = `{{- $ca := genCA "ca" 10 }}{{ $b := genCA "cb" 10 }}
${secret}stringData: {${long('x')}: {{ $ca.Key | quote }}, ${long('y')}: {{ $b.Key | quote }}}
---
${configMap}data: {a: {{ $ca.Cert | b64enc }}, b: {{ $b.Cert | b64enc }}, 1-: {{ lower .Values.host }}}
`
    const { binding } = bind(template)
    const lengths = (names: readonly string[], pattern: RegExp, longest: number): void => {
      expect(new Set(names).size).toBe(names.length)
      expect(names.filter((name) => !pattern.test(name) || name.length > longest)).toEqual([])
    }
    // Flux's variables, and names of annotations
    lengths(
      binding.values.map(({ name }) => name),
      /^[A-Z]([A-Z0-9_]*[A-Z0-9])?$/,
      63,
    )
    lengths(
      binding.generators.map(({ name }) => name),
      /^[A-Za-z_][A-Za-z0-9_-]*$/,
      240,
    )
    expect(binding.values.length).toBe(4)
    expect(bind(template).binding).toEqual(binding)
  })

  test('more than one object can hold is an error, and the limits are those of the definition', () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `k${String(index)}: {{ randAlpha 4 }}`).join(', ')
    expect(problemsOf(() => bind(`${secret}stringData: {${many(65)}}`))).toEqual([
      'BINDING_TOO_LARGE cluster team/web waits for more than a RuntimeValues object can hold: 65 entries in Secret kube-system/s, where 64 are the most',
    ])
    const large = Array.from({ length: 5 }, (_, index) => `f${String(index)}: "${'x'.repeat(220_000)}"`).join(', ')
    expect(problemsOf(() => bind(`${secret}stringData: {a: {{ randAlpha 4 }}, ${large}}`))[0]).toMatch(
      /: 1100\d{3} bytes, where 1000000 are the most$/,
    )
    const text = readFileSync(join(import.meta.dirname, '../../../templates/crds/runtimevalues.yaml'), 'utf8')
    const definition = parseGoYaml(text, { integers: 'int' })
    const spec = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties'] as const
    const most = (...path: readonly PathStep[]): string => {
      const found = fieldAt(definition, ...spec, ...path)
      return found instanceof GoInt ? String(found.value) : 'none'
    }
    expect({
      values: most('values', 'maxItems'),
      assumptions: most('values', 'items', 'properties', 'assumptions', 'maxItems'),
      generators: most('generators', 'maxItems'),
      secrets: most('secrets', 'maxItems'),
      entries: most('secrets', 'items', 'properties', 'data', 'maxItems'),
      characters: most('secrets', 'items', 'properties', 'data', 'items', 'properties', 'template', 'maxLength'),
    }).toEqual(Object.fromEntries(Object.entries(bindingLimits).map(([name, limit]) => [name, String(limit)])))
  })

  test('the definition lets an object ask only for what is done', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../templates/crds/runtimevalues.yaml'), 'utf8')
    const schema = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties'] as const
    const publish = fieldAt(parseGoYaml(text), ...schema, 'publish', 'properties')
    expect(publish instanceof Dict && [...publish.keys()]).toEqual(['argoCluster', 'configMap'])
  })

  const trust = `{{- $ca := genCA "ca" 10 }}
${secret}stringData: {tls.key: {{ $ca.Key | quote }}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks: [{clientConfig: {caBundle: {{ $ca.Cert | b64enc }}}}]
---
${configMap}data:
  ca.crt: |
{{ $ca.Cert | indent 4 }}
  last: x
`

  test('and its public parts into placeholders, without line breaks for Flux', () => {
    const { binding, placeholders } = bind(trust)
    expect(placeholders.map(({ object, pointer, text }) => `${object.kind} ${pointer} ${text}`)).toEqual([
      'ConfigMap /data/ca.crt ${KUBE_SYSTEM_CONFIGMAP_A_DATA_CA_CRT_TEXT_VALUE_ESCAPED}',
      'ValidatingWebhookConfiguration /webhooks/0/clientConfig/caBundle ${CLUSTER_VALIDATINGWEBHOOKCONFIGURATION_W_WEBHOOKS_EB2709E4}',
    ])
    expect(binding.generators.map(({ name, function: made, arguments: args }) => [name, made, ...args])).toEqual([
      [
        'cluster_validatingwebhookconfiguration-w_webhooks-0-clientConfig-caBundle_b64enc',
        'b64enc',
        '${kube-system_s_tls-key.cert}\n',
      ],
      ['kube-system_configmap-a_data-ca-crt_text', 'text', '${kube-system_s_tls-key.cert}\n'],
      ['kube-system_s_tls-key', 'genCA', 'ca', '', '', '10'],
    ])
    expect(binding.values.map(({ from, encode = '' }) => [...Object.values(from), encode].join(' '))).toEqual([
      'cluster_validatingwebhookconfiguration-w_webhooks-0-clientConfig-caBundle_b64enc value ',
      'kube-system_configmap-a_data-ca-crt_text value escaped',
    ])
  })

  test('as they are for Argo CD', () => {
    const { placeholders } = bind(trust, { tool: 'argocd' })
    expect(placeholders.map(({ text }) => text)[0]).toBe('${KUBE_SYSTEM_S_TLS_KEY_CERT}\n')
  })

  test('public parts of an existing Secret come from there, or it is said what is missing', () => {
    const withCert = trust.replace('stringData: {', 'stringData: {ca.crt: {{ $ca.Cert | quote }}, ')
    const { binding } = bind(withCert, { existing: ['s'] })
    expect(binding.secrets).toEqual([])
    expect(binding.generators.find(({ existing }) => existing !== undefined)?.existing?.keys).toEqual([
      { part: 'cert', key: 'ca.crt' },
      { part: 'key', key: 'tls.key' },
    ])
    expect(problemsOf(() => bind(trust, { existing: ['s'] }))).toEqual([
      'SECRET_NOT_MADE ConfigMap kube-system/a (c/templates/a.yaml) cannot be made in the cluster: the existing Secret kube-system/s has no key for the cert of genCA',
      'SECRET_NOT_MADE ValidatingWebhookConfiguration w (c/templates/a.yaml) cannot be made in the cluster: the existing Secret kube-system/s has no key for the cert of genCA',
    ])
  })

  test.each([
    {
      name: 'a hash of a given password',
      template: `${secret}stringData: {login: {{ htpasswd "admin" .Values.given | quote }}}`,
      want: 'htpasswd needs text from the values, which is written nowhere',
    },
    {
      name: 'a certificate outside of data',
      template: `${secret.replace('c: d', 'c: {{ (genCA "x" 1).Cert | quote }}')}stringData: {a: {{ randAlpha 4 }}}`,
      want: '/metadata/annotations/c is known only later, and stands outside of data',
    },
    {
      name: 'an entry that is a number',
      template: `${secret}stringData: {a: {{ randAlpha 4 }}, b: 12}`,
      want: 'the entry b is not text',
    },
    {
      name: 'an entry of data that is not encoded',
      template: `${secret}data: {a: {{ randAlpha 4 | b64enc }}, b: "a b?"}`,
      want: 'the entry b is not base64',
    },
  ])('what cannot be made is an error: $name', ({ template, want }) => {
    expect(problemsOf(() => bind(template, { values: 'given: hunter2' }))).toEqual([
      `SECRET_NOT_MADE Secret kube-system/s (c/templates/a.yaml) cannot be made in the cluster: ${want}`,
    ])
  })

  const signed = `{{- $leaf := genSignedCert "leaf" (list) (list "a.example") 10 $ca }}
${secret}stringData: {tls.crt: {{ $leaf.Cert | quote }}, tls.key: {{ $leaf.Key | quote }}}
`

  test('what a given authority signs is an error: its key is written nowhere', () => {
    const given = `cert: ${encodedPem('CERTIFICATE')}\nkey: ${encodedPem('PRIVATE KEY')}\n`
    const template = `{{- $ca := buildCustomCert .Values.cert .Values.key }}\n${signed}`
    expect(problemsOf(() => bind(template, { values: given }))).toEqual([
      'SECRET_NOT_MADE Secret kube-system/s (c/templates/a.yaml) cannot be made in the cluster: genSignedCert needs the key of an authority from the values, which is written nowhere',
    ])
  })

  test('what an authority in an existing Secret signs needs its key there', () => {
    const authority = (data: string): string =>
      `{{- $ca := genCA "ca" 10 }}\n${signed}---\n${secret.replace('name: s', 'name: authority')}stringData: {${data}}\n`
    const cert = 'ca.crt: {{ $ca.Cert | quote }}'
    expect(problemsOf(() => bind(authority(cert), { existing: ['authority'] }))).toEqual([
      'SECRET_NOT_MADE Secret kube-system/s (c/templates/a.yaml) cannot be made in the cluster: the existing Secret kube-system/authority has no key for the key of genCA, which signs genSignedCert',
    ])
    const { binding } = bind(authority(`${cert}, ca.key: {{ $ca.Key | quote }}`), { existing: ['authority'] })
    expect(binding.generators.map(({ name, existing }) => [name, existing?.keys.map(({ part }) => part)])).toEqual([
      ['kube-system_authority_ca-key', ['cert', 'key']],
      ['kube-system_s_tls-key', undefined],
    ])
  })

  test('of a Secret that two addons have, the last is made', () => {
    const { rendered } = bind(`${secret}stringData: {a: {{ randAlpha 4 }}}`)
    const [, addon] = rendered.folders
    const [manifest] = addon?.manifests ?? []
    if (addon === undefined || manifest === undefined) throw new Error('no Secret')
    const labelled = withField(manifest.object, ['metadata', 'labels'], dict([['of', 'other']]))
    const other = { ...manifest, object: labelled, origin: { ...manifest.origin, unit: 'other' } }
    const cluster = { name: 'web', namespace: 'team', source: { name: 'c', text: '' }, existingSecrets: [] }
    const folders = [...rendered.folders, { path: 'clusters/team/web/addons/02-other', manifests: [other] }]
    const { binding } = bindCluster({ cluster, folders, assumptions: [], tool: 'flux' })
    expect(binding.secrets.map(({ name, labels }) => [name, labels.get('of')])).toEqual([['s', 'other']])
    // as if it were alone, so that its key stays when the other goes
    expect(binding.generators.map(({ name }) => name)).toEqual(['kube-system_s_a'])
    expect(checkBinding([], binding, [])).toEqual([])
  })

  test.each([
    ['data: {a: b}', [true, undefined]],
    ['data: {a: {{ .Values.host }}}', [true, 'web']],
  ])('a cluster of which the controller tells Argo CD asks for that: %s', (data, want) => {
    const { rendered } = bind(`${configMap}${data}`, { tool: 'argocd' })
    const cluster = { name: 'web', namespace: 'team', source: { name: 'c', text: '' }, existingSecrets: [] }
    const { runtimeValues, folders } = bindCluster({ ...rendered, cluster, tool: 'argocd', clusterSecret: true })
    expect(folders[0]?.manifests).toContain(runtimeValues)
    const publish = fieldAt(runtimeValues?.object ?? null, 'spec', 'publish')
    expect([fieldAt(publish ?? null, 'argoCluster'), fieldAt(publish ?? null, 'configMap')]).toEqual(want)
  })

  test('names of what is kept do not change with the line', () => {
    const template = `${secret}stringData: {a: {{ randAlpha 4 }}}`
    expect(bind(`{{/* new */}}\n\n${template}`).binding).toEqual(bind(template).binding)
  })
})

/** Base64 of a block of PEM that holds an empty sequence: a chart looks at no more of it. */
function encodedPem(type: string): string {
  return encodeBase64(encodeUtf8(encodePem({ type, bytes: Uint8Array.of(0x30, 0) })))
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(({ code, message }) => `${code} ${message}`)
    throw error
  }
  return []
}

describe('the index and the binding are compared', () => {
  const template = `apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {a: {{ randAlpha 4 }}}
---
${configMap}data: {a: {{ if .Values.host }}{{ .Values.host }}{{ end }}}`

  test.each([
    { name: 'as rendered', want: [] },
    {
      name: 'a value is missing',
      values: [],
      want: [
        `no value has the name ${HOST}, which a placeholder waits for`,
        'no value holds the assumptions about Cluster.spec.controlPlaneEndpoint.host',
      ],
    },
    {
      name: 'a placeholder is missing',
      placeholders: [],
      assumptions: [],
      want: [`nothing waits for the value ${HOST}`],
    },
    { name: 'a generator is missing', generators: [], want: ['no generator has the name kube-system_s_a'] },
    { name: 'a Secret is missing', secrets: [], want: ['nothing is made of the generator kube-system_s_a'] },
  ])('$name', ({ want, placeholders, assumptions, ...changed }) => {
    const { binding, rendered, placeholders: found } = bind(template)
    expect(
      checkBinding(placeholders ?? found, { ...binding, ...changed }, assumptions ?? rendered.assumptions),
    ).toEqual(want)
  })

  test('a number that is published as something else', () => {
    const { binding, rendered, placeholders } = bind(
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: {{ .Values.port }}}]}',
    )
    expect(checkBinding(placeholders, binding, rendered.assumptions)).toEqual([])
    const planted = binding.values.map((value) => ({ ...value, type: 'string' as const }))
    expect(checkBinding(placeholders, { ...binding, values: planted }, rendered.assumptions)).toEqual([
      `Service a /spec/ports/0/port: the object needs a number, and ${PORT} is none`,
    ])
  })

  test('a placeholder without its name', () => {
    const { binding, rendered, placeholders } = bind(template)
    const planted = placeholders.map((placeholder) => ({ ...placeholder, text: 'x' }))
    expect(checkBinding(planted, binding, rendered.assumptions)).toEqual([
      'ConfigMap a /data/a: the text has none of its names',
    ])
  })
})

test.each([
  { kind: 'ConfigMap', name: 'web', want: ['BINDING_NAME_TAKEN'] },
  { kind: 'Secret', name: 'web', want: ['BINDING_NAME_TAKEN'] },
  { kind: 'ConfigMap', name: 'web-settings', want: [] },
  { kind: 'Service', name: 'web', want: [] },
])('$kind $name beside a Cluster that waits for values: $want', ({ kind, name, want }) => {
  const beside = manifestOf(`{apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, namespace: team}}`)
  const { rendered } = bind(`${configMap}data: {a: "{{ .Values.host }}"}\n`)
  const [first, ...others] = rendered.folders
  const folders = [{ path: first?.path ?? '', manifests: [...(first?.manifests ?? []), beside] }, ...others]
  const cluster = { name: 'web', namespace: 'team', source: { name: 'cluster.yaml', text: '' }, existingSecrets: [] }
  const problems = problemsOf(() => bindCluster({ cluster, folders, assumptions: rendered.assumptions, tool: 'flux' }))
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual(want)
})
