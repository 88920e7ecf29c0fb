import { expect, test } from 'vitest'
import { positionAt } from '../../src/model/source.ts'
import { check } from '../../src/pipeline/commands/check.ts'
import { bothChecks, type CheckedFleet, openFleet } from './checked-fleet.ts'
import { cluster } from './handoff-fleet.ts'

/** Refuses the Box that has a size of 3, and every DaemonSet. */
const refusing = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: none}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com, apps], apiVersions: [v1], operations: [CREATE], resources: [boxes, daemonsets]}]}
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: none}
spec: {policyName: none, validationActions: [Deny]}
`
const frozen = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n'

/** Place, addon, object and hint of what is said of the first cluster. */
async function saidOfFrozen({ fleet, ports }: CheckedFleet): Promise<readonly unknown[]> {
  const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, ports, () => undefined)
  return findings.flatMap(({ code, at, file, about, object, hint }) => {
    if (code !== 'POLICY_DENIED' || about?.cluster !== 'team-a/web') return []
    const place = at === undefined ? undefined : positionAt(at.source, at.start)
    const path = (at?.source.name ?? file ?? '').replace(`${fleet.folder}/`, '')
    return [[object, about.addon, `${path}:${String(place?.line)}:${String(place?.column)}`, hint]]
  })
}

test('what is frozen is judged as it is committed, at the places of its files', async () => {
  const checked = await openFleet()
  const { fleet } = checked
  fleet.write('policies/none.yaml', refusing)
  const [box, daemonSet] = ['Box/team-a/web', 'DaemonSet/kube-system/dns-cache']
  expect(await saidOfFrozen(checked)).toEqual([
    [box, undefined, `${cluster}:37:36`, undefined],
    [daemonSet, 'dns-cache', 'dns-cache/templates/daemonset.yaml:2:7', undefined],
  ])

  fleet.write(cluster.replace('cluster.yaml', 'options.yaml'), frozen)
  await fleet.render()
  fleet.commit()
  const tree = 'rendered/clusters/team-a/web'
  const hint =
    'Correct the object as the policy says, or exempt it in the policy or its binding. The cluster stays as it is committed until it is no longer frozen or decommissioned.'
  expect(await saidOfFrozen(checked)).toEqual([
    [box, undefined, `${tree}/cluster/box-web.yaml:4:1`, hint],
    [daemonSet, 'dns-cache', `${tree}/addons/01-dns-cache/daemonset-dns-cache.yaml:4:1`, hint],
  ])
  // what another run has kept says the same
  await bothChecks(checked)
})

test('shared files are judged by the clusters that are not frozen', async () => {
  const checked = await openFleet()
  const { fleet } = checked
  fleet.write(cluster.replace('cluster.yaml', 'options.yaml'), frozen)
  await fleet.render()
  fleet.commit()
  expect(await bothChecks(checked)).not.toContain('CONFIG_REFERENCE')
  // only the release of the frozen cluster has it
  fleet.write('clusters/values/metrics.yaml', 'a: 1\n')
  expect(await bothChecks(checked)).not.toContain('CONFIG_REFERENCE')
  fleet.write('clusters/values/quota.yaml', 'a: 1\n')
  expect(await bothChecks(checked)).toContain('these are values for an addon \\"quota\\", which no cluster here has')
})
