import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readSpec } from '../../../src/controller/runtime-values/read-spec.ts'
import { type MadeParts, resolveValues } from '../../../src/controller/runtime-values/resolve-values.ts'
import { readKubeObject } from '../../../src/kube/kube-object.ts'
import { nodeCrypto } from '../../../src/system/node-crypto.ts'

const noObjects = { Cluster: undefined, ControlPlane: undefined, InfrastructureCluster: undefined }

const cluster = {
  metadata: { uid: '0f1c', annotations: { 'example.com/zone': 'eu-1' } },
  spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 }, paused: false },
  status: {
    empty: '',
    zero: 0,
    quote: `a"b`,
    single: `a'b`,
    lines: 'a\nb',
    control: 'a\u0090b',
    slash: 'a\\b',
    auto: 'auto',
    big: 2 ** 60,
    far: 70_000,
    list: [
      { type: 'A', ip: '192.0.2.1' },
      { type: 'B', ip: '192.0.2.2' },
    ],
    map: { a: 'b' },
    half: 1.5,
  },
}

interface Row {
  readonly name: string
  readonly path: string
  readonly type?: string
  readonly more?: object
  /** The text, or why there is none. */
  readonly want: string
}

const rows: readonly Row[] = [
  { name: 'a host', path: 'spec.controlPlaneEndpoint.host', type: 'host', want: 'api.example.com' },
  { name: 'a port', path: 'spec.controlPlaneEndpoint.port', type: 'port', want: '6443' },
  { name: 'a name with dots', path: "metadata.annotations['example.com/zone']", want: 'eu-1' },
  { name: 'an item by number', path: 'status.list[1].ip', type: 'host', want: '192.0.2.2' },
  { name: 'an item by a field', path: 'status.list[type=A].ip', type: 'host', want: '192.0.2.1' },
  { name: 'base64', path: 'spec.controlPlaneEndpoint.host', more: { encode: 'base64' }, want: 'YXBpLmV4YW1wbGUuY29t' },
  { name: 'zero where a number is asked for', path: 'status.zero', type: 'integer', want: '0' },
  { name: 'port zero', path: 'status.zero', type: 'port', want: 'FieldMissing: Cluster.status.zero is not set yet' },
  { name: 'empty text', path: 'status.empty', want: 'FieldMissing: Cluster.status.empty is not set yet' },
  { name: 'a field that is not there', path: 'status.a.b', want: 'FieldMissing: Cluster.status.a.b is not set yet' },
  { name: 'what all objects have', path: 'constructor', want: 'FieldMissing: Cluster.constructor is not set yet' },
  {
    name: 'an item that is not there',
    path: 'status.list[7].ip',
    want: 'FieldMissing: Cluster.status.list[7].ip is not set yet',
  },
  {
    name: 'a quote',
    path: 'status.quote',
    want: 'ValueRefused: Cluster.status.quote must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a single quote',
    path: 'status.single',
    want: 'ValueRefused: Cluster.status.single must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a line break',
    path: 'status.lines',
    want: 'ValueRefused: Cluster.status.lines must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a line break, encoded',
    path: 'status.lines',
    more: { encode: 'escaped' },
    want: 'ValueRefused: Cluster.status.lines must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a control character',
    path: 'status.control',
    want: 'ValueRefused: Cluster.status.control must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a backslash',
    path: 'status.slash',
    want: 'ValueRefused: Cluster.status.slash must be text without quotes, backslashes, line breaks and control characters',
  },
  {
    name: 'a word for a host',
    path: 'status.auto',
    type: 'host',
    want: 'ValueRefused: Cluster.status.auto must be an address, or a name with a dot, dash or digit, without a port',
  },
  {
    name: 'a port too far',
    path: 'status.far',
    type: 'port',
    want: 'ValueRefused: Cluster.status.far must be a number from 1 to 65535',
  },
  {
    name: 'a number that JSON cannot hold',
    path: 'status.big',
    type: 'integer',
    want: 'ValueRefused: Cluster.status.big must be text or a whole number',
  },
  {
    name: 'half a number',
    path: 'status.half',
    type: 'integer',
    want: 'ValueRefused: Cluster.status.half must be text or a whole number',
  },
  { name: 'a map', path: 'status.map', want: 'ValueRefused: Cluster.status.map must be text or a whole number' },
  { name: 'a list', path: 'status.list', want: 'ValueRefused: Cluster.status.list must be text or a whole number' },
  { name: 'yes or no', path: 'spec.paused', want: 'ValueRefused: Cluster.spec.paused must be text or a whole number' },
  {
    name: 'an assumption that holds',
    path: 'status.auto',
    more: { assumptions: [{ isSet: true }, { notEqual: 'manual' }] },
    want: 'auto',
  },
  {
    name: 'an assumption that does not',
    path: 'status.auto',
    more: { assumptions: [{ notEqual: 'auto' }] },
    want: 'AssumptionBroken: charts were rendered on X being other than "auto", and it is not',
  },
  {
    name: 'a value that is not set',
    path: 'status.zero',
    type: 'integer',
    more: { assumptions: [{ isSet: true }] },
    want: 'AssumptionBroken: charts were rendered on X being set, and it is not',
  },
  { name: 'a path that nobody understands', path: 'a..b', want: 'InvalidSpec: fieldPath a..b is not understood' },
]

function shown(
  values: readonly object[],
  generators: readonly object[] = [],
  { made, ...sources }: { readonly made?: MadeParts; readonly Cluster?: unknown } = { Cluster: cluster },
): readonly string[] {
  const object = readKubeObject({
    metadata: { name: 'web', namespace: 'a' },
    spec: { clusterName: 'web', values, generators, publish: { configMap: 'web' } },
  })
  if (object === undefined) throw new Error('no object')
  const objects = { Cluster: undefined, ControlPlane: undefined, InfrastructureCluster: undefined, ...sources }
  return resolveValues(readSpec(object), objects, {
    crypto: nodeCrypto,
    made: made ?? {
      reason: 'ControlPlaneNotInitialized',
      message: 'the control plane of the Cluster has not answered yet',
    },
  }).map((value) => ('text' in value ? value.text : `${value.reason}: ${value.message}`))
}

describe('values of fields', () => {
  test.each(rows)('$name', ({ path, type = 'string', more, want }) => {
    expect(shown([{ name: 'X', from: { kind: 'Cluster', fieldPath: path }, type, ...more }])).toEqual([want])
  })

  test('of an object that is not there', () => {
    const value = { name: 'X', from: { kind: 'ControlPlane', fieldPath: 'a' }, type: 'string' }
    expect(shown([value])).toEqual(['SourceNotFound: the ControlPlane is not there'])
  })
})

const host = { name: 'HOST', from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }, type: 'host' }
const made = (generator: string, part: string = 'value', more: object = {}): object => ({
  name: 'X',
  from: { generator, part },
  type: 'string',
  ...more,
})
const derived = (name: string, text: string, by: string = 'text'): object => ({ name, function: by, arguments: [text] })
const ca = { name: 'ca', function: 'genCA', arguments: ['CA', '', '', '365'] }

describe('values of generators', () => {
  const cases: readonly {
    readonly name: string
    readonly value: object
    readonly generators: readonly object[]
    readonly want: string
  }[] = [
    {
      name: 'text around a value',
      value: made('url'),
      generators: [derived('url', 'https://${HOST}/$$x')],
      want: 'https://api.example.com/$x',
    },
    {
      name: 'what is made of what is made',
      value: made('b'),
      generators: [derived('a', '${HOST}', 'upper'), derived('b', '${a.value}', 'b64enc')],
      want: 'QVBJLkVYQU1QTEUuQ09N',
    },
    {
      name: 'lines, encoded',
      value: made('a', 'value', { encode: 'escaped' }),
      generators: [derived('a', 'one\n"${HOST}"')],
      want: 'one\\n\\"api.example.com\\"',
    },
    {
      name: 'lines',
      value: made('a'),
      generators: [derived('a', 'one\n${HOST}')],
      want: 'ValueRefused: value of generator a must be text without quotes, backslashes, line breaks and control characters',
    },
    {
      name: 'a key',
      value: made('ca', 'key'),
      generators: [ca],
      want: 'PrivatePart: key of generator ca is private, and is not published',
    },
    {
      name: 'what is made of a key',
      value: made('a'),
      generators: [ca, derived('a', '${ca.key}', 'b64enc')],
      want: 'PrivatePart: value of generator a is private, and is not published',
    },
    {
      name: 'what is made of that',
      value: made('b'),
      generators: [ca, derived('a', 'x${ca.key}'), derived('b', '${a.value}', 'sha256sum')],
      want: 'PrivatePart: value of generator b is private, and is not published',
    },
    {
      name: 'a password',
      value: made('p'),
      generators: [{ name: 'p', function: 'randAlphaNum', arguments: ['8'] }],
      want: 'PrivatePart: value of generator p is private, and is not published',
    },
    {
      name: 'a certificate with a password in its subject',
      value: made('c', 'cert', { encode: 'escaped' }),
      generators: [
        { name: 'p', function: 'randAlphaNum', arguments: ['8'] },
        { name: 'c', function: 'genSelfSignedCert', arguments: ['${p.value}', '', '', '9'] },
      ],
      want: 'PrivatePart: cert of generator c is made of something private, and is not published',
    },
    {
      name: 'any text that is called a certificate',
      value: made('c', 'cert'),
      generators: [{ name: 'c', function: 'randAlphaNum', arguments: ['8'] }],
      want: 'PrivatePart: cert of generator c is made of something private, and is not published',
    },
    {
      name: 'a certificate',
      value: made('ca', 'cert', { encode: 'escaped' }),
      generators: [ca],
      want: 'ControlPlaneNotInitialized: cert of generator ca: the control plane of the Cluster has not answered yet',
    },
    {
      name: 'a circle',
      value: made('a'),
      generators: [derived('a', '${b.value}'), derived('b', '${a.value}')],
      want: 'InvalidSpec: generator a is made of itself',
    },
    { name: 'no generator', value: made('a'), generators: [], want: 'InvalidSpec: there is no generator a' },
    {
      name: 'a value that nobody has',
      value: made('a'),
      generators: [derived('a', '${NOBODY}')],
      want: 'InvalidSpec: there is nothing for ${NOBODY}',
    },
    {
      name: 'a part that it does not have',
      value: made('a', 'cert'),
      generators: [derived('a', 'x')],
      want: 'InvalidSpec: generator a makes no cert',
    },
  ]

  test.each(cases)('$name', ({ value, generators, want }) => {
    expect(shown([value, host], generators)).toEqual([want, 'api.example.com'])
  })

  test.each([
    ['certificate', '${ca.cert}'],
    ['text with one', 'a ${ca.cert}'],
  ])('are no %s where what is kept as one is something else', (_, text) => {
    const parts = new Map([['ca', new Map([['cert', '-----BEGIN PRIVATE KEY-----\nhunter2']])]])
    const want = 'PrivatePart: cert of generator ca is not made of certificates in PEM alone, and is not published'
    expect(shown([made('a'), made('ca', 'cert')], [ca, derived('a', text)], { made: parts })).toEqual([want, want])
  })

  test('wait for the values that they are made of', () => {
    const shownNow = shown([made('a'), host], [derived('a', '${HOST}')], {})
    expect(shownNow).toEqual(['SourceNotFound: the Cluster is not there', 'SourceNotFound: the Cluster is not there'])
  })
})

describe('a spec that is not understood', () => {
  test.each<{ readonly values: readonly object[]; readonly want: string }>([
    { values: [{ ...host, name: 'a.b' }], want: 'values[0].name is no name of a variable' },
    { values: [{ ...host, name: 'A_' }], want: 'values[0].name is no name of a variable' },
    { values: [{ ...host, name: 'A'.repeat(64) }], want: 'values[0].name is no name of a variable' },
    { values: [host, { ...host, type: 'url' }], want: 'values[1].type is not known' },
    { values: [{ ...host, encode: 'rot13' }], want: 'values[0].encode is not known' },
    { values: [{ ...host, assumptions: [{ below: 3 }] }], want: 'values[0].assumptions holds one that is not known' },
    {
      values: [{ ...host, from: { kind: 'Secret', fieldPath: 'data' } }],
      want: 'values[0].from is neither a field nor a generator',
    },
    {
      values: [{ ...host, from: { ...host.from, generator: 'a', part: 'key' } }],
      want: 'values[0].from is neither a field nor a generator',
    },
  ])('$want', ({ values, want }) => {
    expect(() => shown(values)).toThrow(new RangeError(want))
  })
})

test('what is made of the same twice, again and again, is computed once each', () => {
  const chain = (levels: number, part: string): object[] => [
    { name: 'g0', function: 'sha256sum', arguments: ['x'] },
    ...Array.from({ length: levels }, (_, index) => ({
      name: `g${String(index + 1)}`,
      function: part,
      arguments: [`\${g${String(index)}.value}\${g${String(index)}.value}`],
    })),
  ]
  const resolve = (generators: readonly object[], last: string): ReturnType<typeof resolveValues> => {
    const spec = {
      generators,
      values: [{ name: 'V', type: 'string', from: { generator: last, part: 'value' } }],
      publish: { configMap: 'x' },
    }
    const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace: 'y' }, spec }
    const read = readKubeObject(object)
    if (read === undefined) throw new Error('it is an object')
    return resolveValues(readSpec(read), noObjects, { crypto: nodeCrypto, made: new Map() })
  }
  let text = 'x'
  const sum = (of: string): string => createHash('sha256').update(of).digest('hex')
  text = sum(text)
  for (let level = 0; level < 127; level++) text = sum(text + text)
  expect(resolve(chain(127, 'sha256sum'), 'g127')).toEqual([{ name: 'V', text }])
  expect(resolve(chain(40, 'text'), 'g40')).toEqual([
    {
      name: 'V',
      reason: 'InvalidSpec',
      message: 'a text is longer than 1000000 characters when it is filled in',
    },
  ])
})
