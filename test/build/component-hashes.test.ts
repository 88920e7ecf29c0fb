import { describe, expect, test } from 'vitest'
import { formatHashes, hashComponents } from '../../src/build/component-hashes.ts'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { ChartFile } from '../../src/model/chart.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const { crypto } = createNodePorts()

/** Shows what was hashed instead of hashing it. */
function shown(files: readonly ChartFile[]): string {
  return files.map(({ path }) => path).join(' ')
}

function files(...paths: readonly string[]): readonly ChartFile[] {
  return paths.map((path) => ({ path, bytes: encodeUtf8('x') }))
}

describe('hashes of the parts', () => {
  test('a directory without addon values and node images', () => {
    expect(
      hashComponents(files('cluster-addon/cni/Chart.yaml', 'cluster-addons/x', 'csctl.yaml'), shown, crypto),
    ).toEqual({
      clusterStack: 'cluster-addon/cni/Chart.yaml cluster-addons/x csctl.yaml',
      clusterAddonDir: 'cni/Chart.yaml',
      clusterAddonValues: '',
      nodeImageDir: '',
    })
  })

  test('with both', () => {
    const all = files('cluster-addon-values.yaml', 'node-image/Dockerfile', 'node-images/config.yaml')
    expect(hashComponents(all, shown, crypto)).toEqual({
      clusterStack: 'cluster-addon-values.yaml node-image/Dockerfile node-images/config.yaml',
      clusterAddonDir: '',
      // printf x | sha256sum, in base64 without / + = and in lower case
      clusterAddonValues: 'lxewqrcmseqbynyp6wy9chtd7gqpmtbaiwhf5iasie',
      nodeImageDir: 'Dockerfile',
    })
  })
})

const hashes = { clusterStack: 'a', clusterAddonDir: 'b', clusterAddonValues: '' }

test.each([
  { nodeImageDir: '', want: '{\n  "clusterStack": "a",\n  "clusterAddonDir": "b",\n  "clusterAddonValues": ""\n}' },
  {
    nodeImageDir: 'c',
    want: '{\n  "clusterStack": "a",\n  "clusterAddonDir": "b",\n  "clusterAddonValues": "",\n  "nodeImageDir": "c"\n}',
  },
])('hashes.json is that of csctl: node images "$nodeImageDir"', ({ nodeImageDir, want }) => {
  expect(decodeUtf8(formatHashes({ ...hashes, nodeImageDir }))).toBe(want)
})
