import { renameSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { copyExample, handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cluster = 'rendered/clusters/team-b/batch'
const handoff = 'rendered/handoff/team-b/batch'
const marks = { flux: 'kustomize.toolkit.fluxcd.io/prune: disabled', argocd: 'Prune=false' }

class OwnAddonsFleet extends FleetFolder {
  /** Messages about addons that change their unit; with `check` also what differs. */
  async run(check?: 'check'): Promise<readonly string[]> {
    const { findings, changes } = await this.render({ check: check === 'check', overwriteEdited: true })
    const differing = check === 'check' ? changes.map(({ path, change }) => `${change} ${path}`) : []
    const told = findings.filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES').map(({ message }) => message)
    return [...told, ...differing]
  }

  /** Paths below the cluster's folders of addons, without inventories and indexes, and its GitOps objects. */
  state(): readonly string[] {
    const below = (path: string): readonly string[] =>
      this.filesBelow(path).filter(
        (name) => /(?:^|\/)[^./][^/]*\.yaml$/.test(name) && !name.endsWith('kustomization.yaml'),
      )
    return [
      ...below(`${cluster}/addons`).map((path) => `addons/${path}`),
      ...below(`${cluster}/addons-own`).map((path) => `addons-own/${path}`),
      ...below(handoff).filter((path) => path.includes('addons')),
    ].toSorted()
  }
}

async function fleetOf(tool: keyof typeof handoffs): Promise<OwnAddonsFleet> {
  const fleet = new OwnAddonsFleet(await tempFolder())
  copyExample(fleet, { clusters: ['team-b/batch'], handoff: ['units: perOwner', handoffs[tool]] })
  return fleet
}

const objects = [
  'namespace-imports.yaml',
  'namespace-reports.yaml',
  'resourcequota-pods@imports.yaml',
  'resourcequota-pods@reports.yaml',
]
const release = 'addons/01-cluster-addon/configmap-cluster-facts.yaml'
const units = {
  flux: (...names: readonly string[]) =>
    names.map((name) => `flux-kustomization-batch-${name.replaceAll('.', '-')}.yaml`),
  argocd: (...names: readonly string[]) => names.map((name) => `application-team-b.batch.${name}.yaml`),
}

describe.each(['flux', 'argocd'] as const)('own addons under %s', (tool) => {
  const unitsOf = units[tool]

  test('move from the unit of all, where they were, to their own, and from there to one each', async () => {
    const fleet = await fleetOf(tool)
    await fleet.run()
    const apart = [
      release,
      ...objects.map((name) => `addons-own/quotas/${name}`),
      ...unitsOf('addons-own', 'addons').toSorted(),
    ].toSorted()
    expect(fleet.state()).toEqual(apart)

    // as the version before wrote it
    renameSync(fleet.path(`${cluster}/addons-own/quotas`), fleet.path(`${cluster}/addons/02-quotas`))
    fleet.remove(`${cluster}/addons-own`)
    fleet.remove(`${handoff}/${unitsOf('addons-own')[0] ?? ''}`)
    fleet.edit(`${cluster}/addons/kustomization.yaml`, '- 01-cluster-addon\n', '- 01-cluster-addon\n- 02-quotas\n')
    fleet.commit()

    const message = `cluster team-b/batch: quotas will leave the unit ${tool === 'flux' ? 'batch-addons' : 'team-b.batch.addons'} with the next commit; with this one the unit only orphans what it has applied`
    expect(await fleet.run()).toEqual([message])
    const held = [release, ...objects.map((name) => `addons/02-quotas/${name}`), ...unitsOf('addons')].toSorted()
    expect(fleet.state()).toEqual(held)
    for (const name of objects) expect(fleet.read(`${cluster}/addons/02-quotas/${name}`)).toContain(marks[tool])
    expect(await fleet.run()).toEqual([message])
    expect(await fleet.run('check')).toEqual([message])
    fleet.commit()

    expect(await fleet.run()).toEqual([])
    expect(fleet.state()).toEqual(apart)
    expect(fleet.read(`${cluster}/addons-own/quotas/${objects[2] ?? ''}`)).not.toContain(marks[tool])
    expect(await fleet.run('check')).toEqual([])
    fleet.commit()

    fleet.edit('stackmason.yaml', 'units: perOwner', 'units: perAddon')
    expect(await fleet.run()).toEqual([])
    const each = [
      release,
      ...objects.map((name) => `addons-own/quotas/${name}`),
      ...unitsOf('addons.01-cluster-addon', 'addons-own.quotas'),
    ].toSorted()
    expect(fleet.state()).toEqual(each)
    fleet.commit()

    // the cluster itself has the last word
    fleet.edit('clusters/team-b/batch/addons.yaml', 'spec:\n', 'spec:\n  units: perOwner\n')
    expect(await fleet.run()).toEqual([])
    expect(fleet.state()).toEqual(apart)
  })

  test('that go are taken out of their unit before it goes', async () => {
    const fleet = await fleetOf(tool)
    await fleet.run()
    fleet.commit()
    fleet.edit('clusters/team-b/batch/addons.yaml', 'namespace: default', 'namespace: default\n      enabled: false')
    const emptied = [
      release,
      'addons-own/configmap-stackmason-batch-addons-own.yaml',
      ...unitsOf('addons', 'addons-own'),
    ].toSorted()
    const goes = [
      `cluster team-b/batch: nothing is left of the unit ${tool === 'flux' ? 'batch-addons-own' : 'team-b.batch.addons-own'}; with this commit it deletes what it has applied, and with the next one it goes`,
    ]
    for (const check of [undefined, undefined, 'check'] as const) {
      expect(await fleet.run(check)).toEqual(goes)
      expect(fleet.state()).toEqual(emptied)
    }
    const unit = fleet.read(`${handoff}/${unitsOf('addons-own')[0] ?? ''}`)
    expect(unit).toMatch(/deletionPolicy: Delete|resources-finalizer/)
    fleet.commit()
    expect(await fleet.run('check')).toEqual(goes)
    expect(await fleet.run()).toEqual([])
    expect(fleet.state()).toEqual([release, ...unitsOf('addons')].toSorted())
  })

  test('stay as they are committed in a cluster that is frozen', async () => {
    const fleet = await fleetOf(tool)
    await fleet.run()
    const before = fleet.state()
    fleet.commit()
    const options = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n'
    fleet.write('clusters/team-b/batch/options.yaml', options)
    fleet.edit('stackmason.yaml', 'units: perOwner', 'units: perAddon')
    await fleet.run()
    expect(fleet.state()).toEqual(before)
  })
})
