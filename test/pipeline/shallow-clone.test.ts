import { describe, expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bothClusters, cluster, HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

const STACK = 'rendered/stacks/platform/docker-demo-1-34-v3'
const TEMPLATE = `${STACK}/dockermachinetemplate-docker-demo-1-34-v3-machine.yaml`
const FETCH =
  'Fetch the earlier commits (`git fetch --unshallow`; in CI check out with the whole history), and render again'

/** A clone of the last commits, as CI makes it of the last one alone. */
async function shallow(fleet: HandoffFleet, depth = 1): Promise<HandoffFleet> {
  const folder = `${await tempFolder()}/clone`
  fleet.git('clone', '--quiet', `--depth=${String(depth)}`, `file://${fleet.folder}`, folder)
  return new HandoffFleet(folder)
}

/** What a run says of history. */
async function says(fleet: HandoffFleet, check = false, base?: string): Promise<readonly string[]> {
  const { findings } = await fleet.render({ check, ...(base !== undefined && { base }) })
  return findings.flatMap((finding) => (finding.code === 'HISTORY_SHALLOW' ? [told(finding, fleet.folder)] : []))
}

describe.each(['flux', 'argocd'] as const)('in a shallow clone, handed to %s,', (tool) => {
  test('a class that the commit does not hold whole is not compared in silence', async () => {
    const fleet = await handoffFleet(tool)
    for (const gone of [TEMPLATE, STACK]) {
      fleet.remove(gone)
      fleet.commit()
      expect(await says(fleet, true)).toEqual([])
      const clone = await shallow(fleet)
      const warning = `HISTORY_SHALLOW ${STACK} the commit lacks files of release docker-demo-1-34-v3 in namespace platform, which clusters have, and this shallow clone has no earlier one: nothing shows whether the class changes under its version | ${FETCH}.`
      expect(await says(clone, true)).toEqual([warning])
      expect(await says(clone)).toEqual([warning])
      clone.git('fetch', '--quiet', '--unshallow')
      expect(await says(clone)).toEqual([])
    }
  })

  test('a whole tree needs no history', async () => {
    const clone = await shallow(await handoffFleet(tool))
    expect([await says(clone, true), await says(clone)]).toEqual([[], []])
  })

  test('an object of a release that lies in the folder of another one is not missing', async () => {
    const fleet = await handoffFleet(tool)
    const hook = '  annotations: {helm.sh/hook: post-install}\n'
    fleet.write(
      'providers/docker/demo/cluster-class/templates/image.yaml',
      'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: node}\nspec:\n  cloudCredentialsRef: {cloudName: c, secretName: s}\n' +
        '  managementPolicy: managed\n  resource: {content: {diskFormat: qcow2, download: {url: "https://images.example/node.qcow2"}}}\n' +
        `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: once\n${hook}`,
    )
    fleet.copy(fleet.path('providers/docker/demo'), 'next/docker/demo')
    fleet.edit('stacks/demo.yaml', '    - v3', '    - v3\n    - v4')
    fleet.edit(
      'stackmason.yaml',
      '  sources:\n',
      '  sources:\n    - name: next\n      providerDirectory: {path: next/docker/demo, version: v4}\n',
    )
    fleet.edit('stackmason.yaml', / {2}stacks:\n {4}- .*source: demo.*\n/, '')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    for (let step = 0; step < 4; step++) {
      await fleet.render()
      fleet.commit()
    }
    expect(fleet.state()[0]).toBe('docker-demo-1-34-v4')
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v3/image-node.yaml')).toBe(true)
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v4/image-node.yaml')).toBe(false)
    const clone = await shallow(fleet)
    expect([await says(clone, true), await says(clone)]).toEqual([[], []])
  })

  test('a new cluster may be an old one', async () => {
    const fleet = await handoffFleet(tool)
    const api = 'clusters/team-a/api/cluster.yaml'
    fleet.write(api, fleet.read(cluster).replace('name: web', 'name: api'))
    fleet.commit()
    const clone = await shallow(fleet)
    expect(await says(clone)).toEqual([
      `HISTORY_SHALLOW ${api}:23:13 team-a/api is new in this shallow clone: nothing shows whether an earlier commit had it, and as a new one it gets everything at once | ` +
        `${FETCH}.`,
    ])
    expect(await says(fleet)).toEqual([])
  })

  test('a cluster that is new in the clone may be an old one, also when it is committed', async () => {
    const fleet = await handoffFleet(tool)
    const api = 'clusters/team-a/api/cluster.yaml'
    fleet.write(api, fleet.read(cluster).replace('name: web', 'name: api'))
    await fleet.render()
    fleet.commit()
    const warning =
      `HISTORY_SHALLOW ${api}:23:13 team-a/api is new in this shallow clone: nothing shows whether an earlier commit had it, and as a new one it gets everything at once | ` +
      `${FETCH}.`
    const checked = async (clone: HandoffFleet): Promise<readonly string[]> => {
      const { findings } = await check({ start: clone.folder, clusters: [], stacks: [] }, clone.ports, () => undefined)
      return findings.flatMap((one) => (one.code === 'HISTORY_SHALLOW' ? [told(one, clone.folder)] : []))
    }
    const all = async (clone: HandoffFleet): Promise<readonly (readonly string[])[]> => [
      await says(clone, true),
      await says(clone),
      await checked(clone),
    ]
    // the commit before shows it; with one commit nothing is known of any
    const clone = await shallow(fleet, 2)
    expect(await all(clone)).toEqual([[warning], [warning], [warning]])
    expect(await all(await shallow(fleet))).toEqual([[], [], []])
    clone.write('clusters/team-a/api/options.yaml', options('{startOver: docker-demo-1-34-v3}'))
    expect(await says(clone, true)).toEqual([])
    clone.git('fetch', '--quiet', '--unshallow')
    clone.remove('clusters/team-a/api/options.yaml')
    expect(await all(clone)).toEqual([[], [], []])
  })

  test('a base does not hide that a cluster which it lacks may be an old one', async () => {
    const fleet = await handoffFleet(tool)
    const api = 'clusters/team-a/api/cluster.yaml'
    const empty = Array.from({ length: 101 }, (_, index) => String(index))
    for (const message of empty) fleet.git('commit', '-q', '--allow-empty', '-m', message)
    fleet.write(api, fleet.read(cluster).replace('name: web', 'name: api'))
    await fleet.render()
    fleet.commit()
    const all = async (clone: HandoffFleet): Promise<readonly number[]> => {
      const checked = await check(
        { start: clone.folder, clusters: [], stacks: [], base: 'HEAD^1' },
        clone.ports,
        () => undefined,
      )
      const found = checked.findings.filter(({ code }) => code === 'HISTORY_SHALLOW')
      return [(await says(clone, true, 'HEAD^1')).length, (await says(clone, false, 'HEAD^1')).length, found.length]
    }
    const clone = await shallow(fleet, 2)
    expect(await all(clone)).toEqual([1, 1, 1])
    clone.write('clusters/team-a/api/options.yaml', options('{startOver: docker-demo-1-34-v3}'))
    expect(await all(clone)).toEqual([0, 0, 0])
    // what CI brings of a branch is enough
    expect(await all(await shallow(fleet, 101))).toEqual([0, 0, 0])
    expect(await all(fleet)).toEqual([0, 0, 0])
  })

  test('a frozen cluster that is lost, or broken, names what to fetch', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    await fleet.render()
    const whole = fleet.commit().slice(0, 12)
    fleet.remove('rendered/clusters/team-a/web/addons/kustomization.yaml')
    fleet.commit()
    const broken = await shallow(fleet)
    const [first = ''] = await problemsOf(broken.render(), broken.folder)
    expect(first.split(' | ')[1]).toBe(
      'Fetch the earlier commits, which this shallow clone lacks (`git fetch --unshallow`), and render again: then this names the one that has it whole.',
    )
    broken.git('fetch', '--quiet', '--unshallow')
    const [then = ''] = await problemsOf(broken.render(), broken.folder)
    expect(then).toContain(`git restore --source=${whole}`)
    fleet.remove('rendered/clusters/team-a/web')
    fleet.remove('rendered/handoff/team-a/web')
    fleet.commit()
    const lost = await shallow(fleet)
    expect(await problemsOf(lost.render(), lost.folder)).toEqual([
      `FREEZE_NOTHING clusters/team-a/web/options.yaml:3:8 team-a/web is frozen, but the committed tree holds nothing of it, and this shallow clone has no earlier commit | ${FETCH}: if one of them has it, this names it.`,
    ])
  })
})

test('a partial clone says how it gets what it lacks', async () => {
  const fleet = await handoffFleet('flux')
  fleet.edit(cluster, '10.244.', '10.245.')
  await fleet.render()
  fleet.commit()
  fleet.git('config', 'uploadpack.allowFilter', 'true')
  const folder = `${await tempFolder()}/clone`
  fleet.git('clone', '--quiet', '--filter=blob:none', `file://${fleet.folder}`, folder)
  const clone = new HandoffFleet(folder)
  const wanted =
    'This is a partial clone, which lacks files of the commits. Bring them with `git fetch --refetch --no-filter`, or clone without `--filter`; in CI, check out without a filter.'
  const found = await problemsOf(clone.render({ check: true }), clone.folder)
  expect(found.map((text) => text.replaceAll(/[0-9a-f]{40}/g, '<id>'))).toEqual([
    `GIT_FAILED rendered the committed tree cannot be read: fatal: could not fetch <id> from promisor remote | ${wanted}`,
  ])
  clone.git('fetch', '--quiet', '--refetch', '--no-filter')
  expect(await clone.render({ check: true })).toMatchObject({ changes: [] })
})
