import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { ChartFile } from '../../../src/model/chart.ts'
import { buildAddons, buildFolderChart, withChartVersion } from '../../../src/sources/release/folder-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { problemsOf } from './support.ts'

const ports = createNodePorts()
const filesOf = (files: Readonly<Record<string, string>>): readonly ChartFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: encodeUtf8(text) }))
const chart = (name: string): string => `apiVersion: v2\nname: ${name}\nversion: v1\n`

describe('buildFolderChart', () => {
  it('applies .helmignore and reads folder by folder', () => {
    const built = buildFolderChart(
      filesOf({
        '.helmignore': '*.bak\nnotes/\n',
        'crds/a.b.yaml': '2',
        'crds/a/x.yaml': '1',
        'templates/a.yaml': 'a: 1',
        'templates/a.yaml.bak': 'b: 1',
        'notes/x': 'x',
        'Chart.yaml': chart('cni'),
      }),
      'stack/cni',
      ports,
    )
    expect(built.origin).toBe('stack/cni')
    expect(built.templates.map(({ name }) => name)).toEqual(['templates/a.yaml'])
    expect(built.crds.map(({ path }) => path)).toEqual(['crds/a/x.yaml', 'crds/a.b.yaml'])
    expect(built.files.map(({ path }) => path)).toEqual(['.helmignore', 'crds/a/x.yaml', 'crds/a.b.yaml'])
  })
})

describe('buildAddons', () => {
  it('makes an addon of every folder with a chart', () => {
    const { addons, foldersWithoutChart } = buildAddons(
      filesOf({
        'csi/Chart.yaml': chart('one'),
        'cni/Chart.yaml': chart('one'),
        'cni/overwrite.yaml': 'values: |\n  a: 1\n',
        'docs/readme.md': 'hello',
        '.helmignore': '*',
      }),
      'addons.tgz!',
      ports,
    )
    expect(
      addons.map(({ name, chart: { origin, metadata }, overwrite }) => ({
        name,
        origin,
        chart: metadata.name,
        overwrite,
      })),
    ).toEqual([
      {
        name: 'cni',
        origin: 'addons.tgz!/cni',
        chart: 'one',
        overwrite: { name: 'addons.tgz!/cni/overwrite.yaml', text: 'values: |\n  a: 1\n' },
      },
      { name: 'csi', origin: 'addons.tgz!/csi', chart: 'one', overwrite: undefined },
    ])
    expect(addons[1]).not.toHaveProperty('overwrite')
    expect(foldersWithoutChart).toEqual(['docs'])
  })

  it('reads overwrite.yaml even where .helmignore leaves it out of the chart', () => {
    const { addons } = buildAddons(
      filesOf({ 'a/Chart.yaml': chart('a'), 'a/.helmignore': 'overwrite.yaml', 'a/overwrite.yaml': '' }),
      'x',
      ports,
    )
    expect(addons[0]?.overwrite).toEqual({ name: 'x/a/overwrite.yaml', text: '' })
    expect(addons[0]?.chart.files.map(({ path }) => path)).toEqual(['.helmignore'])
  })

  it('tells the problems of all addons', async () => {
    const broken = filesOf({ 'a/Chart.yaml': 'name: a\n', 'b/Chart.yaml': chart('b'), 'c/Chart.yaml': '- c' })
    const problems = await problemsOf(() => buildAddons(broken, 'x', ports))
    expect(problems.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'CHART_INVALID x/a/Chart.yaml:1:1',
      'CHART_INVALID x/c/Chart.yaml:1:1',
    ])
  })
})

it('withChartVersion changes what templates see, not the chart given', () => {
  const before = buildFolderChart(filesOf({ 'Chart.yaml': chart('a') }), 'a', ports)
  const after = withChartVersion(before, 'v0-sha.abc')
  expect([after.metadata.version, after.metadata.raw.get('version')]).toEqual(['v0-sha.abc', 'v0-sha.abc'])
  expect([before.metadata.version, before.metadata.raw.get('version')]).toEqual(['v1', 'v1'])
})
