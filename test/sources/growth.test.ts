import { describe } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { parseOfferedCharts } from '../../src/sources/dependency/offered-charts.ts'
import { applyBuildTemplate } from '../../src/sources/release/build-template.ts'
import { testGrowth, testPatterns } from '../support/growth.ts'

const versions = { ClusterClassVersion: 'v1', ClusterAddonVersion: 'v1', NodeImageVersion: 'v1' }

describe('placeholders in a file of twice the size are filled in twice the steps:', () => {
  const inputs = ['<< .ClusterClassVersion', '<< .ClusterClassVersion >>', ' \t', '<', '>', '\n', '<< .', '<< '].map(
    (unit) => ({ what: JSON.stringify(unit), make: (count: number) => `<< ${unit.repeat(count)}` }),
  )
  const read = (text: string): unknown =>
    applyBuildTemplate([{ path: 'x', bytes: encodeUtf8(text) }], versions, (path) => path)
  testGrowth(inputs, read)
  describe('and in a long one soon', () => {
    testPatterns(inputs, read)
  })
})

const entry = (version: number): string =>
  `  - {name: a, version: ${version}.0.0, urls: [https://charts.example/a-${version}.0.0.tgz]}\n`
const numbered = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('')

describe('an index of twice the size is read in twice the steps:', () => {
  testGrowth(
    [
      { what: 'charts', make: (count) => numbered(count, (index) => `  chart-${index}:\n${entry(1)}`) },
      { what: 'versions', make: (count) => `  a:\n${numbered(count, entry)}` },
      { what: 'equal charts', make: (count) => numbered(count, () => `  a:\n${entry(1)}`) },
      { what: 'a description', make: (count) => `  a:\n  - {description: ${'x '.repeat(count)}}\n` },
      { what: 'keywords', make: (count) => `  a:\n  - {keywords: [${'one, '.repeat(count)}]}\n` },
    ],
    (entries) => parseOfferedCharts(encodeUtf8(`apiVersion: v1\nentries:\n${entries}`)),
  )
})
