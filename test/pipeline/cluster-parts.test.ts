import { expect, test } from 'vitest'
import { factOf, findClusters, restIn } from '../../src/pipeline/reuse/cluster-parts.ts'

test.each(['', '{', 'null', '{"inputs":"/f/clusters"}'])('a fact that is %j is none to go by', (text) => {
  const parts = new Map([
    ['', text],
    ['team-a/web', '{'],
  ])
  expect(findClusters(['/f/clusters/team-a/web/cluster.yaml'], { parts, links: new Map() })).toBeUndefined()
  expect(factOf(parts, 'team-a/web')).toBeUndefined()
  expect(restIn(new Map())).toBeUndefined()
})
