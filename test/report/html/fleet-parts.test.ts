import { expect, test } from 'vitest'
import type { ClusterOverview } from '../../../src/model/fleet-overview.ts'
import { numberClusters } from '../../../src/report/html/cluster-ranges.ts'
import { clusterPart } from '../../../src/report/html/fleet-parts.ts'
import { writeHtml } from '../../../src/report/html/html.ts'

/** The versions of an addon that are marked, where clusters have these. */
function marked(versions: readonly string[]): readonly string[] {
  const clusters = versions.map((version, index): ClusterOverview => ({
    cluster: { namespace: 'team', name: `c${String(index)}` },
    stack: 'docker-scs',
    release: 'docker-scs-1-34-v1',
    kubernetesVersion: 'v1.34.0',
    newer: {},
    addons: [{ name: 'cni', version }],
    images: 0,
  }))
  const numbers = numberClusters(clusters.map(({ cluster }) => cluster))
  const { content } = clusterPart({ clusters, images: [], cascades: [] }, numbers)
  const text = [...writeHtml(content, (value) => value)].join('')
  return [...text.matchAll(/<em class="odd">([^<]*)</g)].map(([, version = '']) => version)
}

test.each([
  { what: 'one of three', versions: ['1.1', '1.0', '1.1'], odd: ['1.0'] },
  { what: 'neither of two', versions: ['1.0', '1.1'], odd: [] },
  { what: 'none of two halves', versions: ['1.0', '1.1', '1.1', '1.0'], odd: [] },
  { what: 'none of equal ones', versions: ['1.0', '1.0'], odd: [] },
])('a version is marked that few have: $what', ({ versions, odd }) => {
  expect(marked(versions)).toEqual(odd)
})
