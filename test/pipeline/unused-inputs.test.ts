import { expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { bothClusters, handoffFleet } from './handoff-fleet.ts'

test.each([
  ['of one cluster names its addons', 'clusters/team-a/web/values/quotas.yaml', 'one of dns-cache, metrics.'],
  [
    'of all clusters names those of all',
    'clusters/values/quota.yaml',
    'Did you mean quotas? Name the file after an addon of the release, or of addons.yaml: one of cluster-addon, dns-cache, metrics, quotas.',
  ],
])('a file of values that nothing reads, %s', async (_, path, hint) => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.write(path, 'a: 1\n')
  const error = await fleet.render().catch((thrown: unknown) => thrown)
  const found = error instanceof StackmasonError ? error.diagnostics : []
  expect(found.map((one) => one.code)).toEqual(['CONFIG_REFERENCE'])
  expect(found[0]?.hint).toContain(hint)
})
