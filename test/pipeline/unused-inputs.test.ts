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

const way = 'Correct the target, or set `optional: true`.'

test.each([
  ['kind: Deploment, name: metrics-agent, addon: metrics', `Did you mean kind: Deployment? ${way}`],
  ['kind: Deployment, name: metric-agent', `Did you mean name: metrics-agent? ${way}`],
  ['name: metrics-agent, kind: Deployment, addon: quotas', `Did you mean addon: metrics? ${way}`],
  ['name: metrics-agent, kind: Deployment, namespace: default', `Did you mean namespace: kube-system? ${way}`],
  ['name: metrics-agent, kind: Deployment, group: extensions', `Did you mean group: apps? ${way}`],
  ['kind: Deploment, name: metric-agent', way],
  ['name: elsewhere', way],
])('a patch that matches nothing says what it could mean: %s', async (target, hint) => {
  const fleet = await handoffFleet('flux', bothClusters)
  for (const path of ['clusters/patches/more.yaml', 'clusters/team-a/web/patches/more.yaml']) {
    fleet.write(
      path,
      `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec: {target: {${target}}, mergePatch: {data: {a: b}}}\n`,
    )
    const error = await fleet.render().catch((thrown: unknown) => thrown)
    const found = error instanceof StackmasonError ? error.diagnostics : []
    expect(found.map((one) => [one.code, one.hint])).toEqual([['PATCH_TARGET_NOT_FOUND', hint]])
    fleet.remove(path)
  }
})
