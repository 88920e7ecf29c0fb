import { describe, expect, test } from 'vitest'
import { planVersions } from '../../src/build/plan-versions.ts'
import { formatMetadata, hashVersion, nextVersion, type ReleaseVersions } from '../../src/build/release-versions.ts'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { ChartFile } from '../../src/model/chart.ts'
import { formatVersion, parseVersion } from '../../src/model/release-name.ts'

type Contents = Readonly<Record<string, string>>

const versions = (stack: string, addon: string, image: string): ReleaseVersions => ({
  clusterStack: parseVersion(stack),
  clusterAddon: parseVersion(addon),
  nodeImage: parseVersion(image),
})
const before = versions('v3', 'v2', 'v1')
const beforeHashes = { clusterStack: 'old', clusterAddonDir: 'addons', clusterAddonValues: '', nodeImageDir: '' }
const content: Contents = { 'class.tgz': 'class', 'a-cluster-addon-v.tgz': 'addons', 'clusteraddon.yaml': 'stages' }

/** Files with `<stack>`, `<addon>` and `<image>` for the versions. */
function filesOf(contents: Contents, made: ReleaseVersions, hash: string): readonly ChartFile[] {
  const filled = Object.entries(contents).map(([path, text]) => ({
    path,
    bytes: encodeUtf8(
      text
        .replace('<stack>', formatVersion(made.clusterStack, 'dot'))
        .replace('<addon>', formatVersion(made.clusterAddon, 'dot'))
        .replace('<image>', formatVersion(made.nodeImage, 'dot')),
    ),
  }))
  return [...filled, { path: 'hashes.json', bytes: encodeUtf8(hash) }]
}

interface Row {
  readonly name: string
  readonly was?: Contents
  readonly now?: Contents
  readonly hashes?: Partial<typeof beforeHashes>
  /** stack, addons, node images; nothing when nothing changed */
  readonly want: string | undefined
}

const rows: readonly Row[] = [
  { name: 'nothing', want: undefined },
  {
    name: 'the directory has the same hash, built by another program',
    now: { ...content, 'class.tgz': 'packed otherwise' },
    want: undefined,
  },
  { name: 'a file that does not ship', hashes: { clusterStack: 'new' }, want: undefined },
  {
    name: 'the class alone',
    hashes: { clusterStack: 'new' },
    now: { ...content, 'class.tgz': 'new' },
    want: 'v4 v2 v1',
  },
  {
    name: 'addons',
    hashes: { clusterStack: 'new', clusterAddonDir: 'new' },
    now: { ...content, 'a-cluster-addon-v.tgz': 'new' },
    want: 'v4 v3 v1',
  },
  {
    name: 'the stages alone',
    hashes: { clusterStack: 'new' },
    now: { ...content, 'clusteraddon.yaml': 'new' },
    want: 'v4 v3 v1',
  },
  {
    name: 'the values of the old form',
    hashes: { clusterStack: 'new', clusterAddonValues: 'new' },
    now: { ...content, 'cluster-addon-values.yaml': 'new' },
    want: 'v4 v3 v1',
  },
  {
    name: 'the recipe of node images',
    hashes: { clusterStack: 'new', nodeImageDir: 'new' },
    now: { ...content, 'class.tgz': 'new' },
    want: 'v4 v2 v2',
  },
  {
    name: 'node-images.yaml',
    hashes: { clusterStack: 'new' },
    now: { ...content, 'node-images.yaml': 'new' },
    want: 'v4 v2 v2',
  },
  {
    name: 'the class, whose version the addons hold',
    hashes: { clusterStack: 'new' },
    was: { ...content, 'a-cluster-addon-v.tgz': 'class <stack>' },
    now: { ...content, 'class.tgz': 'new', 'a-cluster-addon-v.tgz': 'class <stack>' },
    want: 'v4 v3 v1',
  },
  {
    name: 'the class, while the addons hold their own version',
    hashes: { clusterStack: 'new' },
    was: { ...content, 'a-cluster-addon-v.tgz': 'addon <addon>' },
    now: { ...content, 'class.tgz': 'new', 'a-cluster-addon-v.tgz': 'addon <addon>' },
    want: 'v4 v2 v1',
  },
]

describe('what changed decides the versions', () => {
  test.each(rows)('$name', ({ was = content, now = content, hashes = {}, want }) => {
    const all = { ...beforeHashes, ...hashes }
    const release = { versions: before, hashes: beforeHashes, assets: filesOf(was, before, 'old') }
    const planned = planVersions(all, release, (made) => filesOf(now, made, all.clusterStack))
    const shown = planned && [planned.clusterStack, planned.clusterAddon, planned.nodeImage]
    expect(shown?.map((version) => formatVersion(version, 'dot')).join(' ')).toBe(want)
  })
})

test.each([
  { before: 'v1', change: 'changed', want: 'v2' },
  { before: 'v9', change: 'changed', want: 'v10' },
  { before: 'v9', change: 'same', want: 'v9' },
  { before: 'v0-sha.abc1234', change: 'same', want: 'v0-sha.abc1234' },
  { before: 'v0-sha.abc1234', change: 'changed', want: 'v1' },
] as const)('after $before ($change) comes $want', ({ before: version, change, want }) => {
  expect(formatVersion(nextVersion(parseVersion(version), change), 'dot')).toBe(want)
})

test('hash mode takes seven characters', () => {
  expect(formatVersion(hashVersion('azlfam7rgn823z07ougej26xmpzsohlj0tvr4s0njis'), 'dot')).toBe('v0-sha.azlfam7')
})

test('metadata.yaml is that of csctl', () => {
  expect(decodeUtf8(formatMetadata(versions('v3', 'v0-sha.abc1234', 'v1'), 'v1.34.7')))
    .toBe(`apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1
versions:
    clusterStack: v3
    kubernetes: v1.34.7
    components:
        clusterAddon: v0-sha.abc1234
        nodeImage: v1
`)
})
