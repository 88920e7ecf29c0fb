import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseMetadata } from '../../../src/sources/release/metadata.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const parse = (text: string): ReturnType<typeof parseMetadata> => parseMetadata(encodeUtf8(text), 'metadata.yaml')
const metadata = (versions: string): string =>
  `apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1\nversions: {${versions}}\n`
const complete = 'clusterStack: v3, kubernetes: v1.34.7, components: {clusterAddon: v2, nodeImage: v1}'

describe('parseMetadata', () => {
  it('reads the four versions', () => {
    const { version, kubernetesVersion, kubernetes, clusterAddon, nodeImage, findings } = parse(metadata(complete))
    expect({ version, kubernetesVersion, kubernetes, clusterAddon, nodeImage, findings }).toEqual({
      version: { major: 3, channel: 'stable', patch: '' },
      kubernetesVersion: 'v1.34.7',
      kubernetes: { major: 1, minor: 34 },
      clusterAddon: { major: 2, channel: 'stable', patch: '' },
      nodeImage: { major: 1, channel: 'stable', patch: '' },
      findings: [],
    })
  })

  it('takes both spellings and a Kubernetes version without v', () => {
    const read = parse(
      metadata(
        'clusterStack: v0-sha.abc, kubernetes: 1.34.7, components: {clusterAddon: v0-sha-abc, nodeImage: v0-sha.abc}',
      ),
    )
    expect(read.version).toEqual({ major: 0, channel: 'sha', patch: 'abc' })
    expect(read.clusterAddon).toEqual(read.version)
    expect(read.kubernetesVersion).toBe('v1.34.7')
  })

  it('does not need apiVersion, as the operator', () => {
    expect(parse(`versions: {${complete}}`).version.major).toBe(3)
  })

  it('tells unknown fields', () => {
    expect(parse(`${metadata(complete)}author: me\n`).findings.map(formatDiagnostic)).toEqual([
      'RELEASE_METADATA_INVALID metadata.yaml:3:1 unknown field author: nothing reads it',
    ])
  })

  const rows: readonly { readonly name: string; readonly input: string; readonly want: readonly string[] }[] = [
    { name: 'an empty file', input: '', want: ['1:1 the file must hold a map'] },
    { name: 'a list', input: '- a', want: ['1:1 the file must hold a map'] },
    { name: 'two documents', input: 'a: 1\n---\nb: 2\n', want: ['3:1 the file must hold one document only'] },
    {
      name: 'nothing in it',
      input: 'versions: {}',
      want: [
        '1:11 versions.clusterStack is missing',
        '1:11 versions.components.clusterAddon is missing',
        '1:11 versions.components.nodeImage is missing',
        '1:11 versions.kubernetes is missing',
      ],
    },
    {
      name: 'every value wrong',
      input:
        'versions:\n  clusterStack: 2\n  kubernetes: 1.34\n  components:\n    clusterAddon: v1-alpha\n    nodeImage: ""\n',
      want: [
        '2:17 versions.clusterStack must be a string',
        '5:19 versions.components.clusterAddon "v1-alpha" is not valid: a version is v<number> or v<number>-<channel>.<patch> (or with a dash for the dot), such as v3 or v0-sha.abc1234',
        '6:16 versions.components.nodeImage is missing',
        '3:15 versions.kubernetes must be a string',
      ],
    },
    {
      name: 'a Kubernetes version without patch',
      input: metadata(complete.replace('v1.34.7', '"1.34"')),
      want: ['2:42 versions.kubernetes "1.34" is not a full Kubernetes version such as v1.34.7'],
    },
    {
      name: 'a later format',
      input: metadata(complete).replace('v1alpha1', 'v2'),
      want: ['1:13 unknown apiVersion "metadata.clusterstack.x-k8s.io/v2"'],
    },
    {
      name: 'the names of prototypes',
      input: '__proto__: {versions: 1}\nconstructor: 1\n',
      want: [
        '1:1 versions.clusterStack is missing',
        '1:1 versions.components.clusterAddon is missing',
        '1:1 versions.components.nodeImage is missing',
        '1:1 versions.kubernetes is missing',
      ],
    },
  ]
  it.each(rows)('refuses $name', async ({ input, want }) => {
    expect(await problemsOf(() => parse(input))).toEqual(
      want.map((line) => `RELEASE_METADATA_INVALID metadata.yaml:${line}`),
    )
  })

  it('gives syntax errors and duplicate keys their place', async () => {
    const problems = await problemsOf(() => parse('versions: {clusterStack: v1\nversions: a\n'))
    expect(problems[0]).toMatch(/^RELEASE_METADATA_INVALID metadata\.yaml:/)
    const [duplicate] = await problemsOf(() => parse('versions: a\nversions: b\n'))
    expect(duplicate).toMatch(/^RELEASE_METADATA_INVALID metadata\.yaml:2:1 /)
  })
})
