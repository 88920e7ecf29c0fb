import { describe, expect, test } from 'vitest'
import type { RenderResult } from '../../src/pipeline/commands/render.ts'
import { copyExample, handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const addons = 'rendered/clusters/team-b/batch/addons-own/quotas'
const templates = 'clusters/team-b/batch/quotas'
const argocd = 'argocd: {repoURL: https://git.example/fleet.git, path: rendered, namespace: gitops}'
const more = [
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: cache, namespace: reports}\n',
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: cache, namespace: imports}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: asked\n  namespace: default\n  annotations: {argocd.argoproj.io/sync-options: "Prune=confirm"}\n',
].join('---\n')

class LeavingFleet extends FleetFolder {
  run(): Promise<RenderResult> {
    return this.render({ overwriteEdited: true })
  }

  async found(): Promise<readonly string[]> {
    return (await this.run()).findings
      .filter(({ code }) => code === 'HANDOFF_OBJECT_STAYS' || code === 'HANDOFF_WAITS_FOR_CONFIRMATION')
      .map(({ code, message, hint = '' }) => `${code} ${message} | ${hint}`)
  }
}

/** A fleet with one cluster whose own addon brings Namespaces, claims and what asks for a confirmation. */
async function fleetOf(handoff: string): Promise<LeavingFleet> {
  const fleet = new LeavingFleet(await tempFolder())
  copyExample(fleet, { clusters: ['team-b/batch'], handoff: [handoff] })
  fleet.write(`${templates}/more.yaml`, more)
  return fleet
}

const values = 'clusters/team-b/batch/values/quotas.yaml'

describe('objects of addons that leave the tree', () => {
  test('stay under Argo CD, and only what asks for a confirmation is waited for', async () => {
    const fleet = await fleetOf(argocd)
    expect(await fleet.found()).toEqual([])
    fleet.commit()
    expect(await fleet.found()).toEqual([])
    const namespace = fleet.read(`${addons}/namespace-reports.yaml`)
    expect(namespace).toContain('argocd.argoproj.io/sync-options: Prune=false,Delete=false')
    expect(namespace).toContain('argocd.argoproj.io/compare-options: IgnoreExtraneous')
    fleet.edit(values, '  - name: reports\n    pods: 40\n', '')
    // one claim of two is left, whose file takes over the shorter name
    fleet.write(`${templates}/more.yaml`, more.split('---\n')[1] ?? '')
    const found = [
      'HANDOFF_WAITS_FOR_CONFIRMATION ConfigMap default/asked of quotas in cluster team-b/batch will leave with this commit, and the Application team-b.batch.addons-own applies nothing, the new addons included, before somebody confirms the deletion | Once it waits: `kubectl -n gitops annotate application team-b.batch.addons-own argocd.argoproj.io/deletion-approved=$(date -u +%Y-%m-%dT%H:%M:%SZ) --overwrite`. To keep it instead, put it back.',
      'HANDOFF_OBJECT_STAYS Namespace reports, PersistentVolumeClaim reports/cache of quotas will leave the tree and stay in cluster team-b/batch: Argo CD does not delete what says Prune=false | When the commit is applied and nothing needs it any more, delete by hand in that cluster: `kubectl delete namespace reports`; `kubectl delete persistentvolumeclaim cache -n reports`',
    ]
    expect(await fleet.found()).toEqual(found)
    expect(await fleet.found()).toEqual(found)
    fleet.commit()
    expect(await fleet.found()).toEqual([])
  })

  test('make the sync wait where an earlier version wrote them', async () => {
    const fleet = await fleetOf(argocd)
    await fleet.run()
    fleet.edit(`${addons}/namespace-reports.yaml`, 'Prune=false,Delete=false', 'Prune=confirm,Delete=confirm')
    fleet.commit()
    expect(await fleet.found()).toEqual([])
    fleet.edit(values, '  - name: reports\n    pods: 40\n', '')
    expect(await fleet.found()).toEqual([
      expect.stringMatching(
        /^HANDOFF_WAITS_FOR_CONFIRMATION Namespace reports of quotas in cluster team-b\/batch .*render and commit it with the object in place first: from then on the object stays/,
      ),
    ])
  })

  test('of a whole addon stay, too, and its unit is emptied', async () => {
    const fleet = await fleetOf(argocd)
    await fleet.run()
    fleet.commit()
    fleet.edit('clusters/team-b/batch/addons.yaml', 'namespace: default', 'namespace: default\n      enabled: false')
    const codes = (await fleet.found()).map((text) => text.split(' ')[0])
    expect(codes).toEqual(['HANDOFF_WAITS_FOR_CONFIRMATION', 'HANDOFF_OBJECT_STAYS'])
    fleet.commit()
    expect(await fleet.found()).toEqual([])
  })

  test('stay under Flux', async () => {
    const fleet = await fleetOf(handoffs.flux)
    await fleet.run()
    expect(fleet.read(`${addons}/namespace-reports.yaml`)).toContain('kustomize.toolkit.fluxcd.io/prune: disabled')
    fleet.commit()
    fleet.edit(values, '  - name: reports\n    pods: 40\n', '')
    expect(await fleet.found()).toEqual([
      'HANDOFF_OBJECT_STAYS Namespace reports of quotas will leave the tree and stay in cluster team-b/batch: Flux does not delete what says prune: disabled in the commit before | Keep Namespace reports: other objects of the tree are in it. Let an addon have it.',
    ])
  })

  test.each(['flux', 'argocd'] as const)('stay where they were about to move to another unit: %s', async (tool) => {
    const fleet = new LeavingFleet(await tempFolder())
    copyExample(fleet, { clusters: ['team-b/batch'], handoff: ['units: perAddon', handoffs[tool]] })
    const folder = 'clusters/team-b/batch'
    const map = (name: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n`
    const addonsOf = (...names: readonly string[]): void => {
      const list = names.map((name) => `    - {name: ${name}, templates: {path: ${name}}}\n`)
      fleet.write(
        `${folder}/addons.yaml`,
        `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n${list.join('')}`,
      )
    }
    const one = (text: string): void => {
      fleet.write(`${folder}/one/all.yaml`, text)
    }
    fleet.remove(`${folder}/values`)
    addonsOf('one', 'two')
    one(`${map('stays')}---\n${map('moves')}`)
    fleet.write(`${folder}/two/all.yaml`, map('other'))
    await fleet.run()
    fleet.commit()
    one(map('stays'))
    fleet.write(`${folder}/two/all.yaml`, `${map('other')}---\n${map('moves')}`)
    expect((await fleet.run()).findings.map(({ code }) => code)).toContain('HANDOFF_UNIT_CHANGES')
    fleet.commit()
    fleet.write(`${folder}/two/all.yaml`, map('other'))
    const found = [
      expect.stringMatching(
        /^HANDOFF_OBJECT_STAYS ConfigMap default\/moves of one will leave the tree and stay in cluster team-b\/batch: .* delete by hand in that cluster: `kubectl delete configmap moves -n default`$/,
      ) as unknown,
    ]
    expect(await fleet.found()).toEqual(found)
    // and so where nothing is left of the unit
    addonsOf('two')
    fleet.remove(`${folder}/one`)
    expect(await fleet.found()).toEqual(found)
  })
})
