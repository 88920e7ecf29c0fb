import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { writeTar } from '../../../src/codec/bytes/tar.ts'
import { decodeUtf8, encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { Chart, ChartFile } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { buildChart, readChartArchive } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const ports = createNodePorts()
const chartYaml = 'apiVersion: v2\nname: web\nversion: 1.2.3\n'

function filesOf(entries: Readonly<Record<string, string | Uint8Array>>): readonly ChartFile[] {
  return Object.entries(entries).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? encodeUtf8(content) : content,
  }))
}

function build(entries: Readonly<Record<string, string | Uint8Array>>): Chart {
  return buildChart(filesOf({ 'Chart.yaml': chartYaml, ...entries }), 'web', ports)
}

/** A packaged chart of these files, below a folder of the chart's name. */
function packed(entries: Readonly<Record<string, string | Uint8Array>>, folder: string): Uint8Array {
  return ports.compression.gzip(
    writeTar(filesOf(entries).map(({ path, bytes }) => ({ path: `${folder}/${path}`, bytes }))),
  )
}

function problems(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message, at }) => `${code} ${at?.start ?? ''} ${message}`.replace('  ', ' '))
  }
  return []
}

describe('files go where Helm puts them', () => {
  test('each by its path', () => {
    const chart = build({
      'values.yaml': 'a: 1\n',
      'values.schema.json': '{}',
      'Chart.lock': 'dependencies: []\n',
      'README.md': 'hello',
      '.helmignore': '*.md',
      'templates/b.yaml': 'b',
      'templates/a/x.txt': 'x',
      'templates/_c.tpl': 'c',
      'crds/one.yaml': 'one',
      'requirements.yaml': 'dependencies: []\n',
      'charts/dep.tgz.prov': 'signature',
      templates: 'a file',
    })
    expect(chart.templates).toEqual([
      { name: 'templates/_c.tpl', text: 'c', path: 'web/templates/_c.tpl' },
      { name: 'templates/a/x.txt', text: 'x', path: 'web/templates/a/x.txt' },
      { name: 'templates/b.yaml', text: 'b', path: 'web/templates/b.yaml' },
    ])
    expect(chart.files.map(({ path }) => path)).toEqual([
      'README.md',
      '.helmignore',
      'crds/one.yaml',
      'charts/dep.tgz.prov',
      'templates',
    ])
    expect(chart.crds.map(({ path }) => path)).toEqual(['crds/one.yaml'])
    expect(formatGoJson(chart.values)).toBe('{"a":1}')
    expect(chart.valuesFile).toEqual({ name: 'web/values.yaml', text: 'a: 1\n' })
    expect(chart.schema).toEqual({ name: 'web/values.schema.json', text: '{}' })
  })

  test('requirements.yaml of a v1 chart is read and offered', () => {
    const chart = build({
      'Chart.yaml': 'name: web\nversion: 1.2.3\n',
      'requirements.yaml': 'dependencies: [{name: db, version: 1.x, repository: ""}]\n',
      'requirements.lock': 'dependencies: []\n',
      'charts/db/Chart.yaml': 'name: db\nversion: 1.0.0\n',
    })
    expect(chart.metadata.apiVersion).toBe('v1')
    expect(chart.metadata.dependencies.map(({ name, version }) => [name, version])).toEqual([['db', '1.x']])
    expect(chart.files.map(({ path }) => path)).toEqual(['requirements.yaml', 'requirements.lock'])
  })

  test('a byte order mark is taken off every file', () => {
    const chart = build({ 'templates/a': '\uFEFFa', 'values.yaml': '\uFEFFa: 1', b: '\uFEFFb' })
    expect([chart.templates[0]?.text, formatGoJson(chart.values), decodeUtf8(chart.files[0]!.bytes)]).toEqual([
      'a',
      '{"a":1}',
      'b',
    ])
  })

  test('bytes that are not text survive', () => {
    const chart = build({ 'templates/a': new Uint8Array([0x61, 0xff]) })
    expect(chart.templates[0]?.text).toBe('a\uDCFF')
  })

  test('values may be several documents', () => {
    const chart = build({ 'values.yaml': '# one\na: {x: 1}\n--- # two\na: {z: 2}\nb: null\n---\n' })
    expect(formatGoJson(chart.values)).toBe('{"a":{"x":1,"z":2},"b":null}')
  })
})

describe('dependencies', () => {
  const dependency = { 'Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n', 'values.yaml': 'deep: true' }

  test('folders and packaged charts, in the order of their names', () => {
    const inner = packed({ 'Chart.yaml': 'apiVersion: v2\nname: in\nversion: 1.0.0\n' }, 'in')
    const chart = build({
      'charts/z/Chart.yaml': 'apiVersion: v2\nname: zz\nversion: 1.0.0\n',
      'charts/db-1.0.0.tgz': packed({ ...dependency, 'charts/in.tgz': inner }, 'db'),
      'charts/.hidden/x': '',
      'charts/_off/Chart.yaml': 'broken',
    })
    expect(chart.dependencies.map(({ metadata, origin }) => [metadata.name, origin])).toEqual([
      ['db', 'web/charts/db-1.0.0.tgz!/db'],
      ['zz', 'web/charts/z'],
    ])
    expect(chart.dependencies[0]?.dependencies[0]?.origin).toBe('web/charts/db-1.0.0.tgz!/db/charts/in.tgz!/in')
  })

  const broken: readonly { name: string; files: Readonly<Record<string, string | Uint8Array>>; want: string }[] = [
    {
      name: 'a plain file',
      files: { 'charts/README.md': 'x' },
      want: 'CHART_INVALID web/charts/README.md is not a chart; Helm allows nothing else in charts/',
    },
    {
      name: 'a folder without Chart.yaml',
      files: { 'charts/a/values.yaml': '' },
      want: 'CHART_INVALID web/charts/a: Chart.yaml file is missing',
    },
    {
      name: 'a folder named as an archive',
      files: { 'charts/a.tgz/Chart.yaml': '' },
      want: 'CHART_INVALID web/charts/a.tgz must be a packaged chart, not a folder',
    },
    {
      name: 'a damaged archive',
      files: { 'charts/a.tgz': 'x' },
      want: 'ARCHIVE_INVALID web/charts/a.tgz is not a gzipped archive',
    },
    {
      name: 'an archive without folder',
      files: { 'charts/a.tgz': ports.compression.gzip(writeTar(filesOf(dependency))) },
      want: 'CHART_INVALID web/charts/a.tgz is not a packaged chart: Chart.yaml is not in a folder',
    },
    {
      name: 'an archive of two folders with one path',
      files: {
        'charts/a.tgz': ports.compression.gzip(
          writeTar([
            { path: 'a/x', bytes: new Uint8Array() },
            { path: 'b/x', bytes: new Uint8Array() },
          ]),
        ),
      },
      want: 'ARCHIVE_DUPLICATE_ENTRY web/charts/a.tgz holds x twice',
    },
    {
      name: 'an empty archive',
      files: { 'charts/a.tgz': ports.compression.gzip(writeTar([])) },
      want: 'CHART_INVALID web/charts/a.tgz has no files',
    },
  ]
  test.each(broken)('$name is refused', ({ files, want }) => {
    expect(problems(() => build(files))).toEqual([want])
  })
})

describe('archives inside archives are bounded together', () => {
  test('in depth', () => {
    let bytes = packed({ 'Chart.yaml': chartYaml }, 'web')
    for (let depth = 0; depth < 10; depth++) bytes = packed({ 'Chart.yaml': chartYaml, 'charts/x.tgz': bytes }, 'web')
    expect(problems(() => readChartArchive(bytes, 'web.tgz', ports))).toEqual([
      `ARCHIVE_TOO_LARGE web.tgz${'!/web/charts/x.tgz'.repeat(9)} lies more than 8 archives deep`,
    ])
  })

  test('in entries', () => {
    const many = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`files/${index}`, '']))
    const inner = packed({ 'Chart.yaml': chartYaml, ...many }, 'web')
    const bytes = packed(
      { 'Chart.yaml': chartYaml, 'charts/a.tgz': inner, 'charts/b.tgz': inner, 'charts/c.tgz': inner },
      'web',
    )
    expect(problems(() => readChartArchive(bytes, 'web.tgz', ports))).toEqual([
      'ARCHIVE_TOO_LARGE web.tgz!/web/charts/c.tgz is too large: it has more than 1994 entries',
    ])
  })

  test('in bytes', () => {
    const block = new Uint8Array(5_000_000)
    for (let at = 0; at < block.length; at += 200) block[at] = Math.imul(at, 2654435761) >>> 13
    const inner = packed(
      { 'Chart.yaml': chartYaml, ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, block])) },
      'web',
    )
    const files = { 'charts/a.tgz': inner, 'charts/b.tgz': inner, 'charts/c.tgz': inner }
    expect(problems(() => build(files))).toEqual([
      'ARCHIVE_TOO_LARGE web/charts/c.tgz unpacks to more than 14857520 bytes',
    ])
  })
})

test('charts inside charts are bounded', () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [`${'charts/x/'.repeat(level)}Chart.yaml`, chartYaml]),
  )
  expect(problems(() => build(files))).toEqual([
    `CHART_INVALID web${'/charts/x'.repeat(31)} lies more than 30 charts deep`,
  ])
})

describe('Chart.yaml is checked as Helm does', () => {
  const rows: readonly { name: string; text: string; want: string }[] = [
    {
      name: 'no name',
      text: 'apiVersion: v2\nversion: 1.0.0\n',
      want: 'CHART_INVALID 0 chart.metadata.name is required',
    },
    {
      name: 'a name with a slash',
      text: 'name: a/b\nversion: 1.0.0\n',
      want: 'CHART_INVALID 6 chart.metadata.name "a/b" is invalid',
    },
    {
      name: 'a name that is a folder',
      text: 'name: ..\nversion: 1.0.0\n',
      want: 'CHART_INVALID 6 chart.metadata.name ".." is not allowed',
    },
    { name: 'no version', text: 'name: a\n', want: 'CHART_INVALID 0 chart.metadata.version is required' },
    {
      name: 'a version that is none',
      text: 'name: a\nversion: one\n',
      want: 'CHART_INVALID 17 chart.metadata.version "one" is invalid',
    },
    {
      name: 'a prerelease with leading zero',
      text: 'name: a\nversion: 1.0.0-01\n',
      want: 'CHART_INVALID 17 chart.metadata.version "1.0.0-01" is invalid',
    },
    {
      name: 'an unknown type',
      text: 'name: a\nversion: 1.0.0\ntype: Library\n',
      want: 'CHART_INVALID 29 chart.metadata.type must be application or library',
    },
    {
      name: 'a map where text belongs',
      text: 'name: {a: 1}\nversion: 1.0.0\n',
      want: 'CHART_INVALID 6 name must be text, not map[string]interface {}',
    },
    {
      name: 'text where a list belongs',
      text: 'name: a\nversion: 1.0.0\nkeywords: x\n',
      want: 'CHART_INVALID 33 keywords must be a list',
    },
    { name: 'no map at all', text: '- a\n', want: 'CHART_INVALID 0 cannot load Chart.yaml: it must be a map' },
    {
      name: 'an alias with a dot',
      text: 'name: a\nversion: 1.0.0\ndependencies: [{name: b, alias: x.y}]\n',
      want: 'CHART_INVALID 55 dependency "b" has disallowed characters in the alias',
    },
    {
      name: 'one name twice',
      text: 'name: a\nversion: 1.0.0\ndependencies: [{name: b}, {name: c, alias: b}]\n',
      want: 'CHART_INVALID 49 more than one dependency with name or alias "b"',
    },
    {
      name: 'an empty dependency',
      text: 'name: a\nversion: 1.0.0\ndependencies: [null]\n',
      want: 'CHART_INVALID 38 dependencies must not contain empty or null nodes',
    },
  ]
  test.each(rows)('$name', ({ text, want }) => {
    expect(problems(() => build({ 'Chart.yaml': text }))).toEqual([want])
  })

  test('text that is not YAML is reported at its place', () => {
    expect(problems(() => build({ 'Chart.yaml': 'name: a\nversion: [1\n' }))[0]).toMatch(
      /^CHART_INVALID \d+ cannot load Chart.yaml: /,
    )
    expect(problems(() => build({ 'values.yaml': 'a: 1\n---\nb: [1\n' }))[0]).toMatch(
      /^CHART_VALUES_INVALID 1\d cannot load values.yaml: /,
    )
  })

  test('values must be a map', () => {
    expect(problems(() => build({ 'values.yaml': '- a\n' }))).toEqual([
      'CHART_VALUES_INVALID 0 cannot load values.yaml: values must be a map, not array',
    ])
  })

  test('numbers become text as Go prints them, names of fields count without case, control characters go', () => {
    const { metadata } = build({
      'Chart.yaml':
        'APIVERSION: v2\nname: a\nversion: "1"\nAppVersion: 1.10\nhome: "a\\tb\\ec"\nannotations: {m: 1, b: true}\n',
    })
    expect([metadata.apiVersion, metadata.version, metadata.appVersion]).toEqual(['v2', '1', '1.1'])
    expect(formatGoJson(metadata.raw)).toBe(
      '{"annotations":{"b":"true","m":"1"},"apiVersion":"v2","appVersion":"1.1","condition":"","deprecated":false,"description":"","home":"a bc","icon":"","keywords":[],"kubeVersion":"","maintainers":[],"name":"a","sources":[],"tags":"","type":"","version":"1"}',
    )
  })
})
