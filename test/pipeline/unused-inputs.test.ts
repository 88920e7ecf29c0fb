import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { bothClusters, handoffFleet, options } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

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

const off = (name: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons: [{name: ${name}, enabled: false}]\n`

test.each([
  { where: 'clusters/addons.yaml', name: 'dns-cache', found: [] },
  {
    where: 'clusters/addons.yaml',
    name: 'quotes',
    found: [
      'CONFIG_REFERENCE clusters/addons.yaml:4:19 "quotes" is switched off, which is an addon of no cluster here | Did you mean quotas? Else remove the entry.',
    ],
  },
  {
    where: 'clusters/team-b/addons.yaml',
    name: 'dns-cache',
    found: [
      'CONFIG_REFERENCE clusters/team-b/addons.yaml:4:19 "dns-cache" is switched off, which is an addon of no cluster here | Correct the name, or remove the entry.',
    ],
  },
  {
    where: 'clusters/team-a/web/addons.yaml',
    name: 'cluster-addon',
    found: [
      'CONFIG_REFERENCE clusters/team-a/web/addons.yaml:4:19 release docker-demo-1-34-v3 has no addon "cluster-addon" | Its addons are: dns-cache, metrics. To add your own, give it a chart or templates.',
    ],
  },
])('an addon that $where switches off: $name', async ({ where, name, found }) => {
  const fleet = await handoffFleet('flux', bothClusters)
  expect(fleet.has(where)).toBe(false)
  fleet.write(where, off(name))
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(found)
  // of a part nobody knows what the others have
  const part = await problemsOf(fleet.render({ clusters: ['team-b/batch'] }), fleet.folder)
  expect(part).toEqual([])
  if (found.length > 0) return
  const files = fleet.filesBelow('rendered/clusters/team-a/web/addons').join(' ')
  expect(['metrics', name].map((addon) => files.includes(`-${addon}/`))).toEqual([true, false])
})

/** A Secret that is made in the cluster: the tree has none. */
const madeSecret = `apiVersion: v1
kind: Secret
metadata: {name: made}
data: {key: {{ randAlphaNum 16 | b64enc }}}
`
const patch = (target: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec: {target: {${target}}, mergePatch: {metadata: {labels: {a: b}}}}\n`
const quotas = 'Did you mean quotas?'

describe.each(['freeze: true', 'decommission: {}'])('beside a cluster that stays as it is by %s', (kept) => {
  test.each([
    ['values that nothing reads', 'clusters/values/quota.yaml', 'a: 1\n', [`CONFIG_REFERENCE ${quotas}`]],
    [
      'values of a part of the fleet',
      'clusters/team-a/values/metric.yaml',
      'a: 1\n',
      ['CONFIG_REFERENCE Did you mean metrics?'],
    ],
    ['values that only its release reads', 'clusters/values/cluster-addon.yaml', 'a: 1\n', []],
    ['values for nobody else', 'clusters/team-b/values/quota.yaml', 'a: 1\n', []],
    ['an addon that is off and misspelt', 'clusters/addons.yaml', off('quotes'), [`CONFIG_REFERENCE ${quotas}`]],
    ['an addon of its release alone that is off', 'clusters/addons.yaml', off('cluster-addon'), []],
    [
      'a patch that matches nothing',
      'clusters/patches/more.yaml',
      patch('kind: Deployment, name: metric-agent'),
      ['PATCH_TARGET_NOT_FOUND Did you mean name: metrics-agent?'],
    ],
    [
      'a patch of a part of the fleet that matches nothing',
      'clusters/team-a/patches/more.yaml',
      patch('kind: Deployment, name: metric-agent'),
      ['PATCH_TARGET_NOT_FOUND Did you mean name: metrics-agent?'],
    ],
    ['a patch for its Cluster alone', 'clusters/patches/more.yaml', patch('kind: Cluster, name: batch'), []],
    ['a patch for its addon alone', 'clusters/patches/more.yaml', patch('addon: cluster-addon'), []],
    ['a patch for a Secret that it made itself', 'clusters/patches/more.yaml', patch('kind: Secret, name: made'), []],
  ])('%s', async (_, path, text, expected) => {
    const fleet = await handoffFleet('flux', bothClusters)
    fleet.write('providers/docker/classic/cluster-addon/templates/made.yaml', madeSecret)
    await fleet.render()
    fleet.commit()
    fleet.write('clusters/team-b/batch/options.yaml', options(`{${kept}}`))
    await fleet.render()
    fleet.commit()
    fleet.write(path, text)
    const error = await fleet.render().catch((thrown: unknown) => thrown)
    const found = error instanceof StackmasonError ? error.diagnostics : []
    expect(error instanceof Error && !(error instanceof StackmasonError)).toBe(false)
    expect(found.map(({ code, hint }) => `${code} ${/^[^?]*\?/.exec(hint ?? '')?.[0] ?? ''}`)).toEqual(expected)
  })
})
