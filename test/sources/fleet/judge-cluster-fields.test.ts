import { expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { judgeClusterFields } from '../../../src/sources/fleet/judge-cluster-fields.ts'
import { clusterFaults } from '../../../tools/fleets/cluster-faults.ts'

// the same are asked of the real Cluster API in test/system/capi-fleet.test.ts
test.each(clusterFaults)('$name', ({ cluster, says }) => {
  const source = { name: 'cluster.yaml', text: cluster }
  const value = parseGoYaml(cluster, { integers: 'int' })
  const { problems } = judgeClusterFields({ value, spanOf: () => ({ source, start: 0, end: 0 }) })
  expect(problems.map(({ message }) => message)).toEqual(says)
})
