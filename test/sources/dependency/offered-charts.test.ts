import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseOfferedCharts } from '../../../src/sources/dependency/offered-charts.ts'

const hex = 'ab'.repeat(32)

function entriesOf(text: string): unknown {
  const outcome = parseOfferedCharts(encodeUtf8(text))
  return 'reason' in outcome ? outcome : Object.fromEntries(outcome.value)
}

function index(entries: string): string {
  return `apiVersion: v1\nentries:\n${entries}`
}

describe('parseOfferedCharts', () => {
  test.each([
    {
      name: 'an entry',
      text: index(
        `  a:\n  - {name: a, version: 1.0.0, urls: [a.tgz], digest: ${hex}, created: "2026-01-01T00:00:00Z"}\n`,
      ),
      want: { a: [{ version: '1.0.0', urls: ['a.tgz'], digest: `sha256:${hex}` }] },
    },
    {
      name: 'JSON',
      text: JSON.stringify({ apiVersion: 'v1', entries: { a: [{ name: 'a', version: '1.0.0', urls: ['x', 'y'] }] } }),
      want: { a: [{ version: '1.0.0', urls: ['x', 'y'] }] },
    },
    {
      name: 'YAML that starts like JSON',
      text: '{apiVersion: v1, entries: {a: [{name: a, version: 1.0.0, urls: [x]}]}}',
      want: { a: [{ version: '1.0.0', urls: ['x'] }] },
    },
    {
      name: 'a digest with its algorithm and capitals',
      text: index(`  a:\n  - {name: a, version: 1.0.0, urls: [x], digest: "sha256:${hex.toUpperCase()}"}\n`),
      want: { a: [{ version: '1.0.0', urls: ['x'], digest: `sha256:${hex}` }] },
    },
    {
      name: 'more values than an index needs',
      text: index(`  a: [${'[],'.repeat(2_000_000)}]\n`),
      want: { reason: 'it has more than 4000000 values' },
    },
    {
      name: 'a digest of another kind',
      text: index('  a:\n  - {name: a, version: 1.0.0, urls: [x], digest: "md5:abc"}\n'),
      want: { a: [{ version: '1.0.0', urls: ['x'] }] },
    },
    {
      name: 'entries that are none',
      text: index(
        [
          '  a:',
          '  - null',
          '  - text',
          '  - {name: a, version: 1.0.0, urls: [good]}',
          '  - {version: 1.0.0, urls: [no-name]}',
          '  - {name: a/b, version: 1.0.0, urls: [odd-name]}',
          '  - {name: a, version: newest, urls: [no-version]}',
          '  - {name: a, version: 2.0.0}',
          '  - {name: a, version: 2.0.0, urls: []}',
          '  - {name: a, version: 2.0.0, urls: [null, 1, ""]}',
          '  b: null',
          '  c: text',
          '  d: []',
          '',
        ].join('\n'),
      ),
      want: { a: [{ version: '1.0.0', urls: ['good'] }], b: [], c: [], d: [] },
    },
    {
      name: 'versions that YAML takes for numbers',
      text: index('  a:\n  - {name: a, version: 1, urls: [x]}\n  - {name: a, version: 1.5, urls: [z]}\n'),
      want: {
        a: [
          { version: '1', urls: ['x'] },
          { version: '1.5', urls: ['z'] },
        ],
      },
    },
    {
      name: 'one version twice',
      text: index('  a:\n  - {name: a, version: 1.0.0, urls: [x]}\n  - {name: a, version: 1.0.0, urls: [z]}\n'),
      want: {
        a: [
          { version: '1.0.0', urls: ['x'] },
          { version: '1.0.0', urls: ['z'] },
        ],
      },
    },
    {
      name: 'aliases',
      text: index('  a:\n  - &one {name: a, version: 1.0.0, urls: [x]}\n  b:\n  - *one\n'),
      want: { a: [{ version: '1.0.0', urls: ['x'] }], b: [{ version: '1.0.0', urls: ['x'] }] },
    },
    { name: 'no entries', text: 'apiVersion: v1\n', want: {} },
    { name: 'null entries', text: 'apiVersion: v1\nentries:\n', want: {} },
    { name: 'a list', text: '- a\n', want: { reason: 'it is not a map' } },
    { name: 'nothing', text: '', want: { reason: 'it is not a map' } },
    { name: 'a web page', text: '<html><body>Log in</body></html>', want: { reason: 'it is not a map' } },
    { name: 'no apiVersion', text: 'entries: {}\n', want: { reason: 'it has no apiVersion' } },
    { name: 'a list of entries', text: 'apiVersion: v1\nentries: []\n', want: { reason: 'its entries are not a map' } },
    {
      name: 'a bomb of aliases',
      text: [
        'apiVersion: v1',
        'a: &a [1,1,1,1,1,1,1,1,1,1]',
        ...'bcdefghijk'.split('').map(
          (key, at, all) =>
            `${key}: &${key} [${Array(10)
              .fill(`*${at === 0 ? 'a' : all[at - 1]}`)
              .join()}]`,
        ),
      ].join('\n'),
      want: { reason: 'error converting YAML to JSON: yaml: document contains excessive aliasing' },
    },
    {
      name: 'endless nesting',
      text: '['.repeat(1_000_000),
      want: { reason: 'error converting YAML to JSON: yaml: exceeded max depth of 250' },
    },
  ])('$name', ({ text, want }) => {
    expect(entriesOf(text)).toEqual(want)
  })

  test.each(['YAML', 'JSON'])('takes __proto__ for a name in %s', (form) => {
    const text =
      form === 'YAML'
        ? index('  __proto__:\n  - {name: __proto__, version: 1.0.0, urls: [x]}\n  constructor: []\n')
        : '{"apiVersion":"v1","entries":{"__proto__":[{"name":"__proto__","version":"1.0.0","urls":["x"]}],"constructor":[]}}'
    const outcome = parseOfferedCharts(encodeUtf8(text))
    expect('value' in outcome && [...outcome.value]).toEqual([
      ['__proto__', [{ version: '1.0.0', urls: ['x'] }]],
      ['constructor', []],
    ])
    expect(Object.hasOwn(Object.prototype, 'version')).toBe(false)
  })

  test('reads an index of 30 MiB', () => {
    const entry = (chart: number, version: number): string =>
      `  - {name: chart-${chart}, version: ${version}.0.0, description: ${'x'.repeat(760)}, digest: ${hex},\n` +
      `    keywords: [one, two], dependencies: [{name: common, version: 2.x.x, repository: "oci://registry.example/charts"}],\n` +
      `    urls: [https://charts.example/chart-${chart}-${version}.0.0.tgz]}\n`
    const charts = Array.from({ length: 120 }, (_, chart) =>
      [`  chart-${chart}:\n`, ...Array.from({ length: 250 }, (_unused, version) => entry(chart, version))].join(''),
    )
    const bytes = encodeUtf8(index(charts.join('')))
    expect(bytes.length).toBeGreaterThan(30 * 1024 * 1024)
    const outcome = parseOfferedCharts(bytes)
    expect('value' in outcome && outcome.value.get('chart-119')?.length).toBe(250)
  })
})
