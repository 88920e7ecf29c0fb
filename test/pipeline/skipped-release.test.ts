import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fleetYaml, releaseFiles, stackYaml, clusterYaml } from '../../tools/servers/release-server.ts'
import { archiveOf, packagedChart, type FileMap } from '../../tools/fleets/stack-folder.ts'
import { problemsOf, remoteFleet, told, type RemoteFleet } from './remote-fleet.ts'

const [v1, v2] = ['docker-demo-1-34-v1', 'docker-demo-1-34-v2']
const handoffs = {
  'no GitOps tool': '',
  Flux: '  handoff: {flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}}\n',
  'Argo CD': '  handoff: {argocd: {repoURL: "https://git.example/fleet.git", targetRevision: main, path: rendered}}\n',
} as const

/** A release with this template in its class chart. */
function withClass(version: string, template: string): FileMap {
  const name = 'docker-demo-1-34-cluster-class'
  return releaseFiles(version, {
    change: { [`${name}-${version}.tgz`]: packagedChart(name, version, { 'templates/class.yaml': template }) },
  })
}

const broken = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n{{ fail "not for this platform" }}\n'
const reason = (effect: string): string =>
  `RELEASE_SKIPPED docker-demo-1-34-cluster-class/templates/class.yaml:5:4 release ${v2} cannot be rendered in namespace platform; no cluster uses it, so ${effect}: TEMPLATE_FAIL not for this platform`

/** Cluster web at v1, with v1 and v2 pinned and locked. */
async function pinned(handoff: string, second: FileMap): Promise<RemoteFleet> {
  const fleet = await remoteFleet()
  fleet.change({
    'stackmason.yaml': fleetYaml(fleet.server.url, handoff),
    'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1, v2]'),
  })
  fleet.offered.set(v1, releaseFiles('v1'))
  fleet.offered.set(v2, second)
  await fleet.update()
  fleet.git('init', '-q')
  return fleet
}

const warnings = (fleet: RemoteFleet, result: Awaited<ReturnType<RemoteFleet['render']>>): readonly string[] =>
  result.findings
    .filter(({ code }) => code === 'RELEASE_SKIPPED')
    .map((finding) => told(finding, fleet.folder).split(' | ')[0] ?? '')

describe.each(Object.entries(handoffs))('a release that cannot be rendered, with %s', (_, handoff) => {
  test('is skipped while no cluster uses it, and is an error from then on', async () => {
    const fleet = await pinned(handoff, withClass('v2', broken))
    for (const check of [false, true]) {
      const result = await fleet.render({ check })
      expect(warnings(fleet, result)).toEqual([reason('it is left out of the tree')])
      expect(result.changes.length > 0).toBe(!check)
    }
    expect(fleet.entries('rendered/stacks/platform')).toEqual([v1])
    fleet.commit('rendered')
    expect(await fleet.render()).toMatchObject({ changes: [] })
    expect(await fleet.render({ stacks: ['demo-1-34'] })).toMatchObject({ changes: [] })
    fleet.change({ 'clusters/team-a/web/cluster.yaml': clusterYaml('v2') })
    expect((await problemsOf(fleet.render(), fleet.folder)).map((text) => text.split(' ')[0])).toEqual([
      'TEMPLATE_FAIL',
    ])
  })

  test('stays in the tree as it was committed', async () => {
    const fleet = await pinned(handoff, releaseFiles('v2'))
    await fleet.render()
    fleet.commit('rendered')
    const file = join(fleet.folder, `rendered/stacks/platform/${v2}/clusterclass-docker-demo-1-34-v2.yaml`)
    const before = await readFile(file, 'utf8')
    fleet.offered.set(v2, withClass('v2', broken))
    await fleet.update({ releases: [v2] })
    for (const check of [true, false]) {
      const result = await fleet.render({ check })
      expect(warnings(fleet, result)).toEqual([reason('its stack stays as it is in the tree')])
      expect(result.changes).toEqual([])
    }
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')
  })
})

describe('update', () => {
  test('does not lock a newest release whose class cannot be rendered, and says why', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.offered.set(v2, withClass('v2', broken))
    const result = await fleet.update()
    expect(result.changes.map(({ name }) => name)).toEqual([v1])
    expect(result.notTaken).toEqual([
      { stack: 'platform/demo-1-34', release: v2, reason: 'it cannot be used: not for this platform' },
    ])
    expect(await fleet.render()).toMatchObject({ findings: [] })
  })

  test('locks one whose class chart needs charts that are not locked yet', async () => {
    const fleet = await remoteFleet()
    const name = 'docker-demo-1-34-cluster-class'
    const chart = `apiVersion: v2\nname: ${name}\nversion: v2\ndependencies:\n  - {name: lib, version: 1.0.0, repository: "https://charts.invalid"}\n`
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.offered.set(
      v2,
      releaseFiles('v2', { change: { [`${name}-v2.tgz`]: archiveOf({ [`${name}/Chart.yaml`]: chart }) } }),
    )
    const problems = await problemsOf(fleet.update(), fleet.folder)
    // it is taken, and only its dependency cannot be fetched here
    expect(problems.map((text) => text.split(' ')[0])).toEqual(['FETCH_FAILED'])
  })
})
