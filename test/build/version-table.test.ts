import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseVersionTable, selectRows, type VersionRow } from '../../src/build/version-table.ts'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { problemsOf } from '../sources/release/support.ts'

function parse(text: string): readonly VersionRow[] {
  return parseVersionTable({ name: 'versions.yaml', bytes: encodeUtf8(text) })
}

/** `v1.34.7 chart=version addon/=version` */
function shown({ kubernetesVersion, dependencies }: VersionRow): string {
  const columns = dependencies.map(({ of, version }) =>
    'chart' in of ? `${of.chart}=${version}` : `${of.addon}/=${version}`,
  )
  return [kubernetesVersion, ...columns].join(' ')
}

// as in providers/openstack/scs2
const real = `- kubernetes: 1.32.13
  cinder_csi: 2.32.2
  occm: 2.32.1
- kubernetes: 1.33.10
  cinder_csi: 2.33.1
  occm: 2.33.1
- kubernetes: 1.34.7
  cinder_csi: 2.34.3
  occm: 2.34.2
`

describe('a version table', () => {
  test.each([
    {
      name: 'as stacks have it',
      text: real,
      want: [
        'v1.32.13 openstack-cinder-csi=2.32.2 openstack-cloud-controller-manager=2.32.1',
        'v1.33.10 openstack-cinder-csi=2.33.1 openstack-cloud-controller-manager=2.33.1',
        'v1.34.7 openstack-cinder-csi=2.34.3 openstack-cloud-controller-manager=2.34.2',
      ],
    },
    { name: 'with v, and nothing else', text: '- {kubernetes: v1.34.7}\n', want: ['v1.34.7'] },
    {
      name: 'by chart and by addon',
      text: '- kubernetes: 1.34.7\n  dependencies: {cilium: 1.18.9}\n  addons: {ccm: 2.35.x}\n',
      want: ['v1.34.7 cilium=1.18.9 ccm/=2.35.x'],
    },
    { name: 'empty', text: '[]\n', want: [] },
  ])('$name', ({ text, want }) => {
    expect(parse(text).map(shown)).toEqual(want)
  })

  test.each([
    {
      name: 'a map',
      text: 'kubernetes: 1.34.7\n',
      want: ['BUILD_INPUT_INVALID versions.yaml:1:1 a version table is a list of rows'],
    },
    {
      name: 'no YAML',
      text: '- a: [\n',
      want: ['BUILD_INPUT_INVALID versions.yaml:1:6 the list in brackets is not closed, or a comma is missing in it'],
    },
    {
      name: 'every problem of every row',
      text: '- occm: 1.2.3\n- kubernetes: 1.34\n- kubernetes: "1.34"\n  ocm: 1.2.3\n  cinder_csi: 2.34\n  addons: 5\n- text\n- kubernetes: 1.0.0\n',
      want: [
        'BUILD_INPUT_INVALID versions.yaml:1:3 kubernetes must be a version as text',
        'BUILD_INPUT_INVALID versions.yaml:2:15 kubernetes must be a version as text',
        'BUILD_INPUT_INVALID versions.yaml:4:3 unknown column ocm',
        'BUILD_INPUT_INVALID versions.yaml:5:15 cinder_csi must be a version as text',
        'BUILD_INPUT_INVALID versions.yaml:6:11 addons must be a map of names and versions',
        'BUILD_INPUT_INVALID versions.yaml:3:15 kubernetes must be a full version such as 1.34.7',
        'BUILD_INPUT_INVALID versions.yaml:7:3 a row is a map, such as `kubernetes: 1.34.7` and one line for each addon',
        'BUILD_INPUT_INVALID versions.yaml:8:15 kubernetes must be a full version such as 1.34.7',
      ],
    },
  ])('$name is refused', async ({ text, want }) => {
    expect(await problemsOf(() => parse(text))).toEqual(want)
  })
})

describe('the published schema takes and refuses the same', () => {
  const { validate } = compileSchema(
    parseGoJson(readFileSync(join(import.meta.dirname, '../../schemas/version-table.json'), 'utf8')),
  )
  test.each([
    { text: real, isFine: true },
    { text: '- {kubernetes: v1.34.7, dependencies: {cilium: 1.18.9}, addons: {ccm: 2.35.x}}\n', isFine: true },
    { text: '- {occm: 1.2.3}\n', isFine: false },
    { text: '- {kubernetes: 1.34}\n', isFine: false },
    { text: '- {kubernetes: "1.34"}\n', isFine: false },
    { text: '- {kubernetes: 0.34.1}\n', isFine: false },
    { text: '- {kubernetes: 1.34.7, ocm: 1.2.3}\n', isFine: false },
    { text: '- {kubernetes: 1.34.7, occm: 2}\n', isFine: false },
    { text: '- {kubernetes: 1.34.7, occm: "2 3"}\n', isFine: false },
    { text: '- {kubernetes: 1.34.7, addons: []}\n', isFine: false },
    { text: '- text\n', isFine: false },
    { text: 'kubernetes: 1.34.7\n', isFine: false },
  ])('$text', async ({ text, isFine }) => {
    expect((await problemsOf(() => parse(text))).length === 0).toBe(isFine)
    expect(validate(parseGoYaml(text)).length === 0).toBe(isFine)
  })
})

describe('rows', () => {
  test.each([
    { wanted: [], want: ['v1.32.13', 'v1.33.10', 'v1.34.7'] },
    { wanted: ['1.34'], want: ['v1.34.7'] },
    { wanted: ['v1.34'], want: ['v1.34.7'] },
    { wanted: ['1.34.7', '1.32'], want: ['v1.32.13', 'v1.34.7'] },
  ])('for $wanted', ({ wanted, want }) => {
    expect(selectRows(parse(real), wanted, 'versions.yaml').map((row) => row.kubernetesVersion)).toEqual(want)
  })

  const twice = `${real}- kubernetes: 1.34.8\n`
  test.each([
    {
      text: real,
      wanted: ['1.3', '1.34', '1.34.70'],
      want: ['BUILD_INPUT_INVALID versions.yaml the table has no row for Kubernetes 1.3, 1.34.70'],
    },
    { text: '[]', wanted: [], want: ['BUILD_INPUT_INVALID versions.yaml the table has no rows'] },
    {
      text: twice,
      wanted: [],
      want: [
        'BUILD_INPUT_INVALID versions.yaml:10:3 two rows are for Kubernetes 1.34, and releases carry the minor version only',
      ],
    },
    { text: twice, wanted: ['1.34.8'], want: [] },
  ])('for $wanted, refused: $want', async ({ text, wanted, want }) => {
    expect(await problemsOf(() => selectRows(parse(text), wanted, 'versions.yaml'))).toEqual(want)
  })
})
