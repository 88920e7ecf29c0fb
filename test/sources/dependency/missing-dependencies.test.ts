import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { Chart, ChartDependency } from '../../../src/model/chart.ts'
import { buildChart, readChartArchive } from '../../../src/sources/chart/build-chart.ts'
import { attachDependencies } from '../../../src/sources/dependency/attach-dependencies.ts'
import { missingDependencies } from '../../../src/sources/dependency/missing-dependencies.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { fixtureChart, fixtureFiles } from '../../../tools/servers/chart-repository.ts'

const ports = createNodePorts()

interface Wrapper {
  readonly apiVersion?: 'v1' | 'v2'
  /** `name range repository alias`; a dash for what is left out. */
  readonly declares: readonly string[]
  /** `name version`, below charts/ as archive or folder. */
  readonly archives?: readonly string[]
  readonly folders?: readonly string[]
}

function wrapperOf({ apiVersion = 'v2', declares, archives = [], folders = [] }: Wrapper): Chart {
  const declarations = declares.map((line) => {
    const [name = '', version = '', repository = '-', alias = '-'] = line.split(' ')
    return { name, version, ...(repository !== '-' && { repository }), ...(alias !== '-' && { alias }) }
  })
  const yaml = JSON.stringify({ dependencies: declarations })
  const metadata = `apiVersion: ${apiVersion}\nname: wrapper\nversion: 1.0.0\n`
  const texts = new Map([
    ['Chart.yaml', apiVersion === 'v1' ? metadata : `${metadata}dependencies: ${JSON.stringify(declarations)}\n`],
    ...(apiVersion === 'v1' ? [['requirements.yaml', yaml] as const] : []),
    ...folders.flatMap((line) => {
      const [name = '', version = ''] = line.split(' ')
      return [...fixtureFiles(name, version)].map(([path, text]) => [`charts/${name}/${path}`, text] as const)
    }),
  ])
  const packed = archives.map((line) => {
    const [name = '', version = ''] = line.split(' ')
    return { path: `charts/${name}-${version}.tgz`, bytes: fixtureChart(name, version).archive }
  })
  const files = [...texts].map(([path, text]) => ({ path, bytes: encodeUtf8(text) }))
  return buildChart([...files, ...packed], 'wrapper', ports)
}

const repository = 'https://charts.example'
const one = `app ^1 ${repository}`
const two = `base 1.x ${repository}`

describe('missingDependencies', () => {
  test.each<{ name: string; wrapper: Wrapper; want: readonly string[] }>([
    { name: 'nothing declared', wrapper: { declares: [] }, want: [] },
    { name: 'nothing vendored', wrapper: { declares: [one, two] }, want: ['app', 'base'] },
    { name: 'requirements.yaml', wrapper: { apiVersion: 'v1', declares: [one] }, want: ['app'] },
    { name: 'an archive', wrapper: { declares: [one], archives: ['app 1.2.0'] }, want: [] },
    { name: 'a folder', wrapper: { declares: [one], folders: ['app 1.2.0'] }, want: [] },
    { name: 'one of two', wrapper: { declares: [one, two], archives: ['app 1.2.0'] }, want: ['base'] },
    // Helm looks at names alone, and renders what is there.
    { name: 'another version', wrapper: { declares: [one], archives: ['app 2.0.0'] }, want: [] },
    {
      name: 'another version, and one missing',
      wrapper: { declares: [one, two], archives: ['app 2.0.0'] },
      want: ['app', 'base'],
    },
    { name: 'the alias vendored', wrapper: { declares: [`${one} front`], archives: ['front 1.0.0'] }, want: ['app'] },
    { name: 'no repository', wrapper: { declares: ['app ^1'] }, want: ['app'] },
    {
      name: 'no repository and another version, and one missing',
      wrapper: { declares: ['app ^1', two], archives: ['app 2.0.0'] },
      want: ['base'],
    },
    { name: 'an undeclared chart', wrapper: { declares: [one], archives: ['other 1.0.0'] }, want: ['app'] },
  ])('with $name', ({ wrapper, want }) => {
    expect(missingDependencies(wrapperOf(wrapper)).map(({ name }) => name)).toEqual(want)
  })
})

describe('attachDependencies', () => {
  /** Attaches charts by the position of their declaration, `name version` each. */
  function attached(wrapper: Wrapper, charts: Readonly<Record<number, string>>): Chart {
    const chart = wrapperOf(wrapper)
    const archives = new Map<ChartDependency, Chart>()
    for (const [position, line] of Object.entries(charts)) {
      const [name = '', version = ''] = line.split(' ')
      const declared = chart.metadata.dependencies[Number(position)]
      if (declared === undefined) throw new Error(`no declaration ${position}`)
      archives.set(declared, readChartArchive(fixtureChart(name, version).archive, `${name}.tgz`, ports))
    }
    return attachDependencies(chart, archives)
  }
  const shown = (chart: Chart): readonly string[] =>
    chart.dependencies.map(({ metadata }) => `${metadata.name} ${metadata.version}`)

  test.each<{ name: string; wrapper: Wrapper; charts: Readonly<Record<number, string>>; want: readonly string[] }>([
    { name: 'nothing', wrapper: { declares: [one], archives: ['app 1.0.0'] }, charts: {}, want: ['app 1.0.0'] },
    {
      name: 'in the order of file names, not of declarations',
      wrapper: { declares: [`zeta * ${repository}`, one, two] },
      charts: { 0: 'zeta 1.0.0', 1: 'app 1.0.0', 2: 'base 1.0.0' },
      want: ['app 1.0.0', 'base 1.0.0', 'zeta 1.0.0'],
    },
    {
      name: 'one chart for two aliases once',
      wrapper: { declares: [`${one} front`, `${one} back`] },
      charts: { 0: 'app 1.0.0', 1: 'app 1.0.0' },
      want: ['app 1.0.0'],
    },
    {
      name: 'two versions of one chart',
      wrapper: { declares: [`${one} front`, `app ^2 ${repository} back`] },
      charts: { 0: 'app 1.0.0', 1: 'app 2.0.0' },
      want: ['app 1.0.0', 'app 2.0.0'],
    },
    {
      name: 'beside what is vendored and asked for',
      wrapper: { declares: [one, two], archives: ['app 1.0.0'] },
      charts: { 1: 'base 1.0.0' },
      want: ['app 1.0.0', 'base 1.0.0'],
    },
    {
      name: 'instead of outdated archives, and of undeclared ones',
      wrapper: { declares: [one, two], archives: ['app 0.9.0', 'other 1.0.0'] },
      charts: { 0: 'app 1.0.0', 1: 'base 1.0.0' },
      want: ['app 1.0.0', 'base 1.0.0'],
    },
    {
      name: 'beside folders, whatever they are',
      wrapper: { declares: [one, two], folders: ['app 0.9.0', 'other 1.0.0'] },
      charts: { 0: 'app 1.0.0', 1: 'base 1.0.0' },
      want: ['app 0.9.0', 'app 1.0.0', 'base 1.0.0', 'other 1.0.0'],
    },
    {
      name: 'beside what names no repository',
      wrapper: { declares: ['app ^1', two], archives: ['app 2.0.0'] },
      charts: { 1: 'base 1.0.0' },
      want: ['app 2.0.0', 'base 1.0.0'],
    },
  ])('attaches $name', ({ wrapper, charts, want }) => {
    expect(shown(attached(wrapper, charts))).toEqual(want)
  })

  test('gives the same as reading the chart with its archives vendored', () => {
    const declares = [`zeta * ${repository}`, `${one} front`]
    const given = attached({ declares }, { 0: 'zeta 1.0.0', 1: 'app 1.0.0' })
    const vendored = wrapperOf({ declares, archives: ['app 1.0.0', 'zeta 1.0.0'] })
    expect(missingDependencies(given)).toEqual([])
    // Names of sources, and nothing else, tell where charts came from.
    const plain = (chart: Chart): unknown => JSON.parse(JSON.stringify(chart, withoutNames))
    expect(plain(given)).toEqual(plain(vendored))
  })
})

function withoutNames(key: string, value: unknown): unknown {
  if (key === 'origin' || key === 'valuesFile' || key === 'path') return undefined
  if (value instanceof Map) return [...value]
  return value
}
