import { describe, expect, test } from 'vitest'
import { applicationPhases } from './application-phases.ts'
import { argoHealth } from './argo-health.ts'
import { fluxHealth } from './flux-health.ts'
import { argoNames, gateRows, readScript } from './rows.ts'

describe('gates over the phases of a life', () => {
  test.each(gateRows)('$name: $want', async ({ expr, object, script, want }) => {
    expect(fluxHealth(expr, object)).toBe(want)
    expect((await argoHealth(script, object)).status).toBe(argoNames[want])
  })

  test.each(applicationPhases)('application, $name: $argo', async ({ object, argo }) => {
    expect((await argoHealth(readScript('argoproj.io_Application'), object)).status).toBe(argo)
  })

  test.each([
    ['pending', 'Waiting for the control plane to answer for the first time'],
    ['control plane initialized', 'The control plane answers. The cluster is not available'],
    ['changed, not yet seen', 'Cluster API has not taken in the last change yet'],
    [
      'changed, topology not yet computed',
      'The control plane answers. The topology of the last change has not been computed yet',
    ],
    ['upgrade pending', 'The control plane answers. The topology is not reconciled: ControlPlaneUpgradePending'],
    ['rolling out, topology handed out', 'The control plane answers. Machines are being replaced'],
    ['workers behind, of the same version', 'The control plane answers. Workers are not up to date'],
    ['available', 'The cluster is available and up to date'],
    ['deleting', 'The cluster is being deleted'],
  ])('Argo CD tells of a cluster, %s: %s', async (name, want) => {
    const row = gateRows.find((entry) => entry.name === `bootstrap, v1beta2: ${name}`)
    expect((await argoHealth(row?.script ?? '', row?.object ?? {})).message).toBe(want)
  })

  test('every health that a gate can give is among them', () => {
    for (const gate of ['bootstrap', 'rollout', 'image', 'RuntimeValues', 'NodeImageGate', 'StorageMigration']) {
      const seen = new Set(gateRows.filter(({ name }) => name.startsWith(gate)).map(({ want }) => want))
      const fails = gate !== 'bootstrap' && gate !== 'rollout'
      expect([...seen].sort()).toEqual(['current', ...(fails ? ['failed'] : []), 'inProgress', 'unknown'])
    }
  })

  test('the scripts of our own kinds are one', () => {
    const scripts = ['RuntimeValues', 'NodeImageGate', 'StorageMigration'].map((kind) =>
      readScript(`stackmason.dev_${kind}`),
    )
    expect(new Set(scripts).size).toBe(1)
  })
})

/** What others advise, over the same phases: these are the passes and failures that the gates are there to avoid. */
describe('what the gates are not', () => {
  const clusters = gateRows.filter(({ name }) => name.startsWith('bootstrap, '))
  const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' }

  test('the expression of the cheat sheet fails a healthy v1beta2 cluster: `all` is true of no condition', () => {
    const expr = {
      ...cluster,
      failed: "status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'False')",
      current: "status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')",
    }
    const healthy = clusters.find(({ name }) => name === 'bootstrap, v1beta2: available')
    expect(fluxHealth(expr, healthy?.object ?? {})).toBe('failed')
  })

  test('the phase Provisioned comes before a control plane', () => {
    const expr = { ...cluster, current: "status.phase == 'Provisioned'" }
    const early = clusters.filter(({ object, want }) => want === 'inProgress' && fluxHealth(expr, object) === 'current')
    expect(early.map(({ name }) => name)).toEqual([
      'bootstrap, v1beta2: infrastructure ready, endpoint known',
      'bootstrap, v1beta1: infrastructure ready, endpoint known',
      'bootstrap, v1beta2: everything but a control plane that has answered',
      'bootstrap, v1beta1: everything but a control plane that has answered',
    ])
  })

  test('Available never comes while the CNI waits for it', () => {
    const expr = { ...cluster, current: "status.conditions.exists(c, c.type == 'Available' && c.status == 'True')" }
    const late = clusters.find(({ name }) => name === 'bootstrap, v1beta2: control plane initialized')
    expect(fluxHealth(expr, late?.object ?? {})).toBe('inProgress')
  })
})
