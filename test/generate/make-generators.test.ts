import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GenerateError } from '../../src/generate/generate-error.ts'
import { makeGenerators, type MakeRequest } from '../../src/generate/make-generators.ts'
import type { Parts } from '../../src/generate/make-parts.ts'
import { fillTemplate } from '../../src/generate/value-template.ts'
import type { Generator } from '../../src/model/binding.ts'
import { readChart } from '../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { boundCluster } from '../handoff/binding/bound-cluster.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'

function generator(name: string, called: string, ...args: readonly string[]): Generator {
  return { name, function: called, arguments: args }
}

function make(generators: readonly Generator[], rest: Partial<MakeRequest> = {}): Promise<ReadonlyMap<string, Parts>> {
  return makeGenerators({ generators, values: new Map(), kept: new Map(), ...rest }, createNodePorts())
}

describe('generators', () => {
  test('are made after what they are made of, in whatever order they stand', async () => {
    const made = await make(
      [
        generator('c', 'upper', '${b.value}'),
        generator('b', 'b64enc', '${a.value}:${HOST}:$$'),
        generator('a', 'randNumeric', '8'),
      ],
      { values: new Map([['HOST', 'web.example']]) },
    )
    const [a, b, c] = ['a', 'b', 'c'].map((name) => made.get(name)?.get('value') ?? '')
    expect(a).toMatch(/^[0-9]{8}$/)
    expect(b).toBe(Buffer.from(`${a ?? ''}:web.example:$`).toString('base64'))
    expect(c).toBe(b?.toUpperCase())
  })

  test('let others work between hashes that take long, and bound what they make', async () => {
    const { clock, ...ports } = createNodePorts()
    const pauses: number[] = []
    const sleep = (duration: number): Promise<void> => Promise.resolve(void pauses.push(duration))
    const hashes = ['a', 'b'].map((name) => generator(name, 'bcrypt', name))
    const request = { values: new Map<string, string>(), kept: new Map<string, Parts>() }
    await makeGenerators({ generators: hashes, ...request }, { ...ports, clock: { ...clock, sleep } })
    expect(pauses).toEqual([0, 0])
    const long = [
      generator('a', 'text', 'x'.repeat(1000)),
      generator('b', 'text', '${a.value}'.repeat(1000)),
      ...Array.from({ length: 8 }, (_, index) => generator(`c${String(index)}`, 'text', '${b.value}')),
    ]
    await expect(make(long.slice(0, 8))).resolves.toHaveProperty('size', 8)
    await expect(make(long)).rejects.toThrow('what generators make is longer than 8000000 characters together')
    await expect(make([...long.slice(0, 2), generator('c', 'text', '${b.value}1')])).rejects.toThrow(
      'generator c: a text is longer than 1000000 characters when it is filled in',
    )
  })

  test('that were made before stay, and what is derived of them is computed anew', async () => {
    const generators = [generator('a', 'randAlpha', '8'), generator('b', 'lower', '${a.value}')]
    const kept = new Map([
      ['a', new Map([['value', 'KEPT']])],
      ['b', new Map([['value', 'of another']])],
    ])
    expect(await make(generators, { kept })).toEqual(
      new Map([
        ['a', new Map([['value', 'KEPT']])],
        ['b', new Map([['value', 'kept']])],
      ]),
    )
  })

  test('a certificate is signed with the key of its authority, also of one that was kept', async () => {
    const first = await make([generator('ca', 'genCA', 'ca', '', '', '9')])
    const leaf = generator('leaf', 'genSignedCert', 'leaf', '', 'a.example', '9', '${ca.cert}\n')
    const made = await make([leaf, generator('ca', 'genCA', 'other name', '', '', '9')], { kept: first })
    expect(made.get('ca')).toBe(first.get('ca'))
    const [ca, signed] = ['ca', 'leaf'].map((name) => new X509Certificate(made.get(name)?.get('cert') ?? ''))
    expect(ca !== undefined && signed?.checkIssued(ca)).toBe(true)
    expect(ca !== undefined && signed?.verify(ca.publicKey)).toBe(true)
  })

  const existing = { namespace: 'kube-system', name: 's', keys: [{ part: 'cert', key: 'ca.crt' }] }
  test.each([
    [
      'itself',
      [generator('a', 'lower', '${b.value}'), generator('b', 'upper', '${a.value}')],
      'generator a is made of itself',
    ],
    ['what nobody makes', [generator('a', 'lower', '${b.value}')], 'generator a: there is nothing for ${b.value}'],
    ['a value that is missing', [generator('a', 'lower', '${HOST}')], 'generator a: there is nothing for ${HOST}'],
    [
      'a part that it has not',
      [generator('b', 'uuidv4'), generator('a', 'lower', '${b.key}')],
      'generator a: there is nothing for ${b.key}',
    ],
    [
      'a Secret that was not read',
      [{ ...generator('a', 'genCA'), existing }],
      'generator a: Secret kube-system/s was not read, which has its parts',
    ],
    ['an unknown function', [generator('a', 'expandenv', 'x')], 'generator a: expandenv makes nothing'],
    [
      'an authority that is text',
      [generator('a', 'genSignedCert', 'a', '', '', '1', 'text')],
      'generator a: who signs has no certificate or no key',
    ],
  ] satisfies [string, Generator[], string][])('need %s', async (_, generators, want) => {
    await expect(make(generators)).rejects.toThrow(new GenerateError(want))
  })
})

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: what cilium generates, because ../shared is not there')

const overwrite = `values: |
  cilium:
    kubeProxyReplacement: true
    k8sServiceHost: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
    k8sServicePort: {{ .Cluster.spec.controlPlaneEndpoint.port }}
    hubble: {relay: {enabled: true}, tls: {auto: {method: helm, certValidityDuration: 90}}}
`

test.skipIf(shared === undefined)(
  'the binding of cilium is all that it takes to make its Secrets',
  { timeout: 60_000 },
  async () => {
    const chart = await readChart(join(shared ?? '', 'charts/scs--openstack-scs2-addon-cni'), createNodePorts())
    const { binding } = boundCluster({ chart, tool: 'flux', overwrite })
    const made = await make(binding.generators)
    const data = new Map(
      binding.secrets.flatMap(({ name, data: entries }) =>
        entries.map((entry): [string, string] => [
          `${name} ${entry.key}`,
          'generator' in entry
            ? (made.get(entry.generator)?.get(entry.part) ?? '')
            : fillTemplate(entry.template, ({ name: of, part = '' }) => made.get(of)?.get(part)),
        ]),
      ),
    )
    expect([...data.keys()]).toEqual([
      'cilium-ca ca.crt',
      'cilium-ca ca.key',
      'hubble-relay-client-certs ca.crt',
      'hubble-relay-client-certs tls.crt',
      'hubble-relay-client-certs tls.key',
      'hubble-server-certs ca.crt',
      'hubble-server-certs tls.crt',
      'hubble-server-certs tls.key',
    ])
    const ca = new X509Certificate(data.get('cilium-ca ca.crt') ?? '')
    expect(ca.subject).toBe('CN=Cilium CA')
    expect(ca.checkPrivateKey(createPrivateKey(data.get('cilium-ca ca.key') ?? ''))).toBe(true)
    for (const secret of ['hubble-relay-client-certs', 'hubble-server-certs']) {
      expect(data.get(`${secret} ca.crt`)).toBe(data.get('cilium-ca ca.crt'))
      const certificate = new X509Certificate(data.get(`${secret} tls.crt`) ?? '')
      expect(certificate.verify(ca.publicKey)).toBe(true)
      expect(certificate.checkPrivateKey(createPrivateKey(data.get(`${secret} tls.key`) ?? ''))).toBe(true)
      expect(data.get(`${secret} tls.key`)).toMatch(
        /^-----BEGIN RSA PRIVATE KEY-----\n(?:.|\n)*-----END RSA PRIVATE KEY-----\n$/,
      )
    }
  },
)
