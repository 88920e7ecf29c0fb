import { rmSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fieldAt, textAt } from '../../src/model/field.ts'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf, told } from './remote-fleet.ts'
import {
  addonTemplate,
  bothClusters,
  cluster,
  type HandoffFleet,
  handoffFleet,
  options,
  renderedCluster,
  wantNext,
} from './handoff-fleet.ts'

describe.each(['flux', 'argocd'] as const)('a fleet that hands over to %s', (tool) => {
  test('renders the same twice, and is current', async () => {
    const fleet = await handoffFleet(tool)
    expect(await fleet.render()).toMatchObject({ files: { written: 0, pruned: 0 }, steps: [] })
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [], steps: [] })
    expect(fleet.entries('rendered/handoff')).toContain('team-a')
  })

  test('upgrades in two commits: addons first, then class and version; the stack that is left goes last', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    wantNext(fleet)
    const first = await fleet.render()
    expect(fleet.steps(first)).toEqual(['addons class'])
    expect(fleet.state()).toEqual(['docker-demo-1-34-v3', 'v1.34.7', 'new'])
    expect(await fleet.render()).toMatchObject({ files: { written: 0 } })
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    const stacks = 'rendered/stacks/platform'
    expect(fleet.entries(stacks)).toEqual(['docker-classic-1-33-v1', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4'])
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })

    expect(fleet.steps(await fleet.render())).toEqual(['class'])
    expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'new'])
    fleet.commit()
    const checked = await fleet.render({ check: true })
    expect(checked.changes).toEqual([])
    expect(checked.findings.map(({ code }) => code)).toEqual(['STACK_UNNEEDED'])

    const last = await fleet.render()
    expect(fleet.steps(last)).toEqual([])
    expect(last.findings.map((finding) => told(finding, fleet.folder))).toEqual([
      'STACK_UNNEEDED rendered/stacks/platform/docker-demo-1-34-v3 nothing needs stack docker-demo-1-34-v3 in namespace platform any more: this run takes it out of the tree | ' +
        'Commit that when the commit before it is applied. Its objects stay in the management cluster; when no cluster uses its class, `kubectl -n platform delete clusterclass docker-demo-1-34-v3` removes them there.',
    ])
    expect(fleet.entries(stacks)).toEqual(['docker-classic-1-33-v1', 'docker-demo-1-34-v4'])
    fleet.commit()
    expect(await fleet.render()).toMatchObject({ files: { written: 0, pruned: 0 } })
  })

  test('keeps a frozen cluster as it is committed, byte for byte, engine objects and all', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    fleet.edit('clusters/values/metrics.yaml', /[^]*/, 'metrics-agent: {replicas: 7}\n')
    const result = await fleet.render()
    expect(fleet.steps(result)).toEqual(['freeze'])
    expect(result.changes.filter(({ path }) => path.includes('team-a/web'))).toEqual([])
    fleet.remove('clusters/team-a/web/options.yaml')
    expect((await fleet.render()).changes.some(({ path }) => path.includes('team-a/web/addons'))).toBe(true)
  })

  test('empties the only unit of addons before it goes, and says so', async () => {
    const fleet = await handoffFleet(tool)
    for (const path of ['clusters/team-a/web/patches', 'clusters/team-a/web/values', 'clusters/values'])
      fleet.remove(path)
    await fleet.render()
    fleet.commit()
    fleet.write(
      'clusters/team-a/web/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: dns-cache, enabled: false}, {name: metrics, enabled: false}]}\n',
    )
    const said = [
      `HANDOFF_UNIT_CHANGES clusters/team-a/web cluster team-a/web: nothing is left of the unit ${tool === 'flux' ? 'web-addons' : 'team-a.web.addons'}; with this commit it deletes what it has applied, and with the next one it goes`,
    ]
    const findings = async (check: boolean): Promise<readonly string[]> =>
      (await fleet.render({ check })).findings
        .filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES')
        .map((finding) => told(finding, fleet.folder))
    expect(await findings(false)).toEqual(said)
    const folder = 'rendered/clusters/team-a/web/addons'
    expect(fleet.entries(folder)).toEqual(['configmap-stackmason-web-addons.yaml', 'kustomization.yaml'])
    expect(await findings(true)).toEqual(said)
    fleet.commit()
    expect(await findings(true)).toEqual(said)
    expect(await findings(false)).toEqual([])
    expect(fleet.has(`${folder}/kustomization.yaml`)).toBe(false)
  })

  test('freezes no cluster that it has not written yet', async () => {
    const fleet = await handoffFleet(tool)
    const path = 'clusters/team-a/next'
    const text = fleet.read(cluster)
    fleet.write(`${path}/cluster.yaml`, text.replace('name: web', 'name: next'))
    fleet.write(`${path}/options.yaml`, options('{freeze: true}'))
    const refusal =
      'FREEZE_NOTHING clusters/team-a/next/options.yaml:3:8 team-a/next is frozen, but the committed tree holds nothing of it that could stay as it is ' +
      '| Remove `freeze` from clusters/team-a/next/options.yaml, render and commit; then freeze it.'
    for (const check of [false, true])
      expect(await problemsOf(fleet.render({ check }), fleet.folder)).toEqual([refusal])
    expect(fleet.has(`rendered/${path}/cluster/cluster-next.yaml`)).toBe(false)
    fleet.remove(`${path}/options.yaml`)
    await fleet.render()
    fleet.commit()
    fleet.write(`${path}/options.yaml`, options('{freeze: true}'))
    expect(fleet.steps(await fleet.render())).toEqual(['freeze'])
  })

  test('names the commit that has a frozen cluster which the tree has lost, and takes it back from there', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    await fleet.render()
    fleet.commit()
    const whole = fleet.git('rev-parse', 'HEAD:rendered').trim()
    const commit = fleet.git('rev-parse', '--short=12', 'HEAD').trim()
    const folders = ['clusters/team-a/web', 'handoff/team-a/web'].map((path) => fleet.path(`rendered/${path}`))
    const refusal =
      `FREEZE_NOTHING clusters/team-a/web/options.yaml:3:8 team-a/web is frozen, but the tree has lost what is to stay as it is: commit ${commit} still has it ` +
      `| Run \`git restore --source=${commit} --staged --worktree -- ${folders.join(' ')}\`, commit that, and render again.`
    fleet.git('rm', '-rq', ...folders)
    const { changes } = await fleet.render({ check: true })
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set(['added']))
    fleet.commit()
    fleet.git('commit', '-q', '--allow-empty', '-m', 'later')
    for (const check of [false, true])
      expect(await problemsOf(fleet.render({ check }), fleet.folder)).toEqual([refusal])
    fleet.git('restore', `--source=${commit}`, '--staged', '--worktree', '--', ...folders)
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['freeze'])
    fleet.commit()
    expect(fleet.git('rev-parse', 'HEAD:rendered').trim()).toBe(whole)
  })

  test('freezes no cluster whose files are in no commit, unless there is no repository', async () => {
    const fleet = await handoffFleet(tool)
    fleet.git('rm', '-rq', '--cached', 'rendered')
    fleet.write('.gitignore', '/rendered/\n')
    fleet.commit()
    fleet.git('commit', '-q', '--allow-empty', '-m', 'later')
    await fleet.render()
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    const refusal =
      'FREEZE_NOTHING clusters/team-a/web/options.yaml:3:8 team-a/web is frozen, but its files are in no commit: nothing shows what the GitOps tool applies ' +
      '| Commit the rendered tree, which .gitignore must not leave out, and render again; or remove `freeze` from clusters/team-a/web/options.yaml until then.'
    for (const check of [false, true])
      expect(await problemsOf(fleet.render({ check }), fleet.folder)).toEqual([refusal])
    fleet.remove('.git')
    for (const check of [false, true]) expect(fleet.steps(await fleet.render({ check }))).toEqual(['freeze'])
  })

  test('names no commit of a cluster that a decommission has ended', async () => {
    const fleet = await handoffFleet(tool)
    for (const step of ['prepare', 'delete', 'finish', 'finish']) {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${step}}}`))
      await fleet.render()
      fleet.commit()
    }
    expect(fleet.has('rendered/clusters/team-a/web')).toBe(false)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      'FREEZE_NOTHING clusters/team-a/web/options.yaml:3:8 team-a/web is frozen, but the committed tree holds nothing of it that could stay as it is ' +
        '| Remove `freeze` from clusters/team-a/web/options.yaml, render and commit; then freeze it.',
    ])
  })

  test('decommissions in the steps that the owner allows, and only then lets the engine delete', async () => {
    const fleet = await handoffFleet(tool)
    const seen: string[] = []
    for (const step of ['prepare', 'delete', 'finish', 'finish', 'finish']) {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${step}}}`))
      seen.push(...fleet.steps(await fleet.render()).map((action) => action.split(' ')[0] ?? ''))
      fleet.commit()
    }
    expect(seen).toEqual(['prepare', 'delete', 'release', 'remove', 'gone'])
    expect(fleet.has(renderedCluster)).toBe(false)
    expect(fleet.entries('rendered/handoff')).not.toContain('team-a')
  })

  test('says loudly that a cluster whose folder is gone runs on, unmanaged', async () => {
    const fleet = await handoffFleet(tool)
    fleet.remove('clusters/team-a')
    fleet.remove('clusters/values')
    const { findings } = await fleet.render({ allowEmpty: true })
    expect(findings.map(({ code }) => code)).toContain('CLUSTER_ORPHANED')
  })

  test.each([
    ['team-a/web', true],
    ['team-a/other', false],
  ])('that is acknowledged by the cluster: %s', async (cluster, isHeld) => {
    const fleet = await handoffFleet(tool)
    fleet.remove('clusters/team-a')
    fleet.remove('clusters/values')
    const entry = `{code: CLUSTER_ORPHANED, cluster: ${cluster}, reason: moved, until: 2027-03-31}`
    fleet.edit('stackmason.yaml', /^spec:\n/m, `spec:\n  acknowledged: [${entry}]\n`)
    const { findings } = await fleet.render({ allowEmpty: true })
    const orphans = findings.filter(({ code }) => code === 'CLUSTER_ORPHANED')
    expect(orphans.map(({ acknowledgement }) => acknowledgement !== undefined)).toEqual([isHeld])
  })

  test('says so also when what was only for that cluster stops the run', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.remove('clusters/team-a')
    const problems = await problemsOf(fleet.render({ allowEmpty: true }), fleet.folder)
    expect(problems.map((problem) => problem.split(' ').slice(0, 2).join(' '))).toEqual([
      'CLUSTER_ORPHANED clusters/team-a/web',
      'CONFIG_REFERENCE clusters/values/metrics.yaml:1:1',
    ])
  })

  test.each<{ readonly life: string; readonly before: readonly string[]; readonly now: string }>([
    { life: 'runs', before: [], now: '' },
    { life: 'is frozen', before: [], now: '{freeze: true}' },
    { life: 'is prepared to go', before: [], now: '{decommission: {}}' },
    { life: 'is deleted', before: ['prepare'], now: '{decommission: {step: delete}}' },
    { life: 'is gone', before: ['prepare', 'delete'], now: '{decommission: {step: finish}}' },
  ])('stops when no source has the release of a cluster that $life: its class stays', async ({ before, now }) => {
    const fleet = await handoffFleet(tool)
    for (const step of before) {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${step}}}`))
      await fleet.render()
      fleet.commit()
    }
    if (now !== '') fleet.write('clusters/team-a/web/options.yaml', options(now))
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      'RELEASE_NOT_FOUND clusters/team-a/web/cluster.yaml:23:13 release docker-demo-1-34-v3 is not in source demo | They offer: docker-demo-1-34-v4.',
    ])
    expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')
  })

  test('warns of a patch that takes the number of machines from a running group', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write(
      'clusters/team-a/web/patches/size.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  jsonPatch:\n    - {op: remove, path: /spec/topology/workers/machineDeployments/0/replicas}\n',
    )
    const { findings } = await fleet.render()
    expect(findings.map((finding) => told(finding, fleet.folder).split(' | ')[0])).toEqual([
      'CLUSTER_AUTOSCALED clusters/team-a/web/patches/size.yaml:4:3 the machine deployment "md-0" loses its 4 replicas and has no annotations for the autoscaler: Cluster API takes it to one machine',
    ])
  })

  test('touches the objects of other clusters in no narrowed run', async () => {
    const fleet = await handoffFleet(tool)
    fleet.edit(cluster, 'replicas: 4', 'replicas: 5')
    const { changes } = await fleet.render({ clusters: ['team-a/web'] })
    expect(changes.map(({ path }) => path.split('/').slice(0, 3).join('/'))).toEqual(['clusters/team-a/web'])
    expect(await fleet.render()).toMatchObject({ files: { written: 0, pruned: 0 } })
  })
})

describe('an upgrade on a branch', () => {
  const main = { base: 'main' } as const

  /** A fleet on a branch that holds the first step of an upgrade. */
  async function branchOff(): Promise<HandoffFleet> {
    const fleet = await handoffFleet('flux')
    fleet.git('branch', '-M', 'main')
    fleet.git('checkout', '-qb', 'upgrade')
    wantNext(fleet)
    await fleet.render(main)
    fleet.commit()
    return fleet
  }

  test('stays at its first step with --base, however often it is corrected', async () => {
    const fleet = await branchOff()
    const first = ['docker-demo-1-34-v3', 'v1.34.7', 'new']
    fleet.edit(addonTemplate, 'mark: new', 'mark: corrected')
    expect(fleet.steps(await fleet.render(main))).toEqual(['addons class'])
    expect(fleet.state()).toEqual([...first.slice(0, 2), 'corrected'])
    fleet.commit()
    expect(await fleet.render({ ...main, check: true })).toMatchObject({ changes: [] })
    expect(await fleet.render(main)).toMatchObject({ files: { written: 0, pruned: 0 } })

    fleet.git('checkout', '-q', 'main')
    fleet.git('merge', '-q', 'upgrade')
    fleet.git('checkout', '-qb', 'second')
    expect(fleet.steps(await fleet.render(main))).toEqual(['class'])
    expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'corrected'])
    fleet.commit()
    expect(await fleet.render({ ...main, check: true })).toMatchObject({ changes: [] })
  })

  test('that holds two steps is found by --check --base', async () => {
    const fleet = await branchOff()
    await fleet.render()
    fleet.commit()
    expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'new'])
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    expect(await problemsOf(fleet.render({ ...main, check: true }), fleet.folder)).toEqual([
      'STEPS_TOGETHER clusters/team-a/web/cluster.yaml:23:13 compared with main, the tree of team-a/web takes two steps at once: addons from docker-demo-1-34-v3 to docker-demo-1-34-v4, and the Cluster from docker-demo-1-34-v3 to docker-demo-1-34-v4 | Write the first step with `stackmason render --base main`, and the next one when that is merged and applied. If main is only ahead of this branch, bring the branch up to date.',
    ])
    await fleet.render(main)
    fleet.commit()
    expect(await fleet.render({ ...main, check: true })).toMatchObject({ changes: [] })
  })

  test('that holds two steps of a decommission leads back to the first one', async () => {
    const fleet = await handoffFleet('flux')
    fleet.git('branch', '-M', 'main')
    fleet.git('checkout', '-qb', 'leave')
    const write = (step: string): void => {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${step}}}`))
    }
    for (const step of ['prepare', 'delete']) {
      write(step)
      await fleet.render()
      fleet.commit()
    }
    expect(await problemsOf(fleet.render({ ...main, check: true }), fleet.folder)).toEqual([
      'STEPS_TOGETHER clusters/team-a/web/options.yaml:3:8 compared with main, the tree of team-a/web takes two steps at once: prepare, delete of its decommission | Write `step: prepare` under spec.decommission in clusters/team-a/web/options.yaml, run `stackmason render --base main` and commit what it writes. The next step follows when that is merged and applied.',
    ])
    write('prepare')
    expect(fleet.steps(await fleet.render(main))).toEqual(['prepare delete release remove'])
    fleet.commit()
    expect(await fleet.render({ ...main, check: true })).toMatchObject({ changes: [] })
  })

  test('that is only behind is told so first, unless nothing can be behind', async () => {
    const fleet = await handoffFleet('flux')
    fleet.git('branch', '-M', 'main')
    const start = fleet.git('rev-parse', 'main')
    for (const step of ['prepare', 'delete']) {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${step}}}`))
      await fleet.render()
      fleet.commit()
    }
    fleet.git('checkout', '-qb', 'old', start)
    const behind = 'If this branch is only behind (behind main, for example), merge that or rebase first. Otherwise: '
    const hints = async (given: { readonly base: string; readonly check?: boolean }): Promise<readonly string[]> =>
      (await problemsOf(fleet.render(given), fleet.folder)).map((text) => text.split(' | ')[1] ?? '')
    for (const check of [true, false])
      expect(await hints({ ...main, check })).toEqual([expect.stringContaining(`${behind}Write \`decommission: `)])
    const commit = fleet.git('rev-parse', 'main')
    expect(await hints({ base: commit, check: true })).toEqual([expect.stringMatching(/^Write `decommission: /)])
    expect(await fleet.render({ base: start, check: true })).toMatchObject({ changes: [] })
  })

  test('is compared with nothing that is not there', async () => {
    const fleet = await branchOff()
    const want = ['BASE_UNKNOWN - "origin/main" is not a commit of the repository']
    expect(await problemsOf(fleet.render({ base: 'origin/main' }), fleet.folder)).toEqual(want)
    expect(await problemsOf(fleet.render({ base: 'origin/main', check: true }), fleet.folder)).toEqual(want)
  })

  test('is no tag in place of a branch', async () => {
    const fleet = await branchOff()
    fleet.git('update-ref', 'refs/remotes/origin/main', 'main')
    await fleet.render()
    fleet.commit()
    fleet.git('tag', 'origin/main', 'upgrade')
    for (const check of [false, true])
      expect(await problemsOf(fleet.render({ base: 'origin/main', check }), fleet.folder)).toEqual([
        'BASE_UNKNOWN - "origin/main" is ambiguous, as these are different commits: refs/tags/origin/main and refs/remotes/origin/main | Give the full name of the one that is meant, such as refs/remotes/origin/main.',
      ])
    expect(await problemsOf(fleet.render({ base: 'refs/remotes/origin/main' }), fleet.folder)).toEqual([])
  })

  test('counts from an empty tree where the base holds none: all clusters are new', async () => {
    const fleet = await branchOff()
    fleet.git('checkout', '-q', '--orphan', 'empty')
    fleet.git('commit', '--allow-empty', '-qm', 'nothing', '--', 'stackmason.yaml')
    fleet.git('checkout', '-qf', 'upgrade')
    expect(fleet.steps(await fleet.render({ base: 'empty' }))).toEqual([])
    expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'new'])
  })
})

describe('a Kubernetes version that was applied', () => {
  const csctl = 'providers/docker/demo/csctl.yaml'
  const optionsFile = 'clusters/team-a/web/options.yaml'
  const [old, next] = [
    ['docker-demo-1-34-v3', 'v1.34.7', 'old'],
    ['docker-demo-1-34-v4', 'v1.34.8', 'new'],
  ]

  /** Three commits: the cluster at v1.34.7, the addons of the release for v1.34.8, and the cluster at v1.34.8. */
  async function upgraded(): Promise<HandoffFleet> {
    const fleet = await handoffFleet('flux')
    wantNext(fleet)
    fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
    fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
    await fleet.render()
    fleet.commit()
    await fleet.render()
    fleet.commit()
    expect(fleet.state()).toEqual(next)
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    return fleet
  }

  const problems = (fleet: HandoffFleet, options: Partial<RenderOptions>): Promise<readonly string[]> =>
    problemsOf(
      fleet.render(options).then((result) => {
        throw new Error(`passes: ${JSON.stringify(result.changes)}`)
      }),
      fleet.folder,
    )

  const lowered = (commit: string, hint: string): string =>
    `UPGRADE_GOES_BACK clusters/team-a/web/cluster.yaml:25:14 the tree lowers the Kubernetes version of team-a/web to v1.34.7, but ${commit} has v1.34.8; Cluster API refuses that, so the Cluster stays at docker-demo-1-34-v4, v1.34.8 | ${hint}`

  test('does not go back by a revert of its second step, and render writes it again', async () => {
    const fleet = await upgraded()
    const applied = fleet.git('rev-parse', 'HEAD').trim()
    const short = applied.slice(0, 12)
    fleet.git('revert', '--no-commit', 'HEAD')
    const again = (commit: string): string =>
      `Run \`stackmason render --base ${commit}\` and commit what it writes: v1.34.8 again.`
    const never = ` If no GitOps tool has ever applied that commit, write \`neverApplied: docker-demo-1-34-v4\` under spec.upgrade in ${optionsFile}.`
    const plain = 'Run `stackmason render` and commit what it writes: v1.34.8 again.'
    const want = [lowered(`commit ${short}`, plain + never)]
    expect(await problems(fleet, { check: true })).toEqual(want.map((text) => text.replaceAll(short, 'HEAD')))
    fleet.git('commit', '-qm', 'revert')
    expect(await problems(fleet, { check: true })).toEqual(want)
    expect(await problems(fleet, { check: true, base: 'HEAD~1' })).toEqual([lowered('HEAD~1', again('HEAD~1'))])

    const { findings } = await fleet.render()
    expect(findings.map((finding) => told(finding, fleet.folder))).toEqual([
      `UPGRADE_GOES_BACK clusters/team-a/web/cluster.yaml:25:14 the committed tree lowers the Kubernetes version of team-a/web to v1.34.7, but commit ${short} has v1.34.8; Cluster API refuses that, so the Cluster stays at docker-demo-1-34-v4, v1.34.8 | Commit what this run writes: v1.34.8 again.${never}`,
    ])
    expect(fleet.state()).toEqual(next)
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('names the way out of a revert of its second step when the old release is gone', async () => {
    const fleet = await upgraded()
    await fleet.render()
    const applied = fleet.commit().slice(0, 12)
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v3')).toBe(false)
    fleet.git('revert', '--no-edit', 'HEAD~1')
    const never = ` If no GitOps tool has ever applied that commit, write \`neverApplied: docker-demo-1-34-v4\` under spec.upgrade in ${optionsFile}.`
    const said = lowered(
      `commit ${applied}`,
      `Run \`stackmason render --base ${applied} --cluster team-a/web\` and commit what it writes: v1.34.8 again. Then \`stackmason render\` writes what else the fleet lacks for it.${never}`,
    )
    const gone =
      'RELEASE_NOT_FOUND stacks/demo.yaml:15:7 release docker-demo-1-34-v3 is not in source demo | They offer: docker-demo-1-34-v4.'
    expect(await problems(fleet, {})).toEqual([said.replace('the tree lowers', 'the committed tree lowers'), gone])
    expect((await problems(fleet, { clusters: ['web'] }))[0]).toContain('UPGRADE_GOES_BACK')
    await fleet.render({ base: applied, clusters: ['team-a/web'] })
    expect(fleet.state()).toEqual(next)
    fleet.commit()
    await fleet.render()
    expect(fleet.state()).toEqual(next)
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('does not go back by a revert of both steps: the advice leads back to it', async () => {
    const fleet = await upgraded()
    const applied = fleet.git('rev-parse', 'HEAD').trim().slice(0, 12)
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    expect(fleet.state()).toEqual(old)
    const restore = (words: string): string =>
      `Write class docker-demo-1-34-v4 and version v1.34.8 into cluster.yaml again, run \`stackmason render --base ${words}\` and commit what it writes.`
    const alone = `${restore(`${applied} --cluster team-a/web`)} Then \`stackmason render\` writes what else the fleet lacks for it.`
    const never = ` If no GitOps tool has ever applied that commit, write \`neverApplied: docker-demo-1-34-v4\` under spec.upgrade in ${optionsFile}.`
    const want = [lowered(`commit ${applied}`, alone + never)]
    expect(await problems(fleet, { check: true })).toEqual(want)
    expect(await problems(fleet, {})).toEqual(want.map((text) => text.replace('the tree', 'the committed tree')))
    expect(await problems(fleet, { check: true, base: 'HEAD~2' })).toEqual([lowered('HEAD~2', restore('HEAD~2'))])

    wantNext(fleet)
    fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
    fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
    await fleet.render({ base: applied, clusters: ['team-a/web'] })
    expect(fleet.state()).toEqual(next)
    expect(fleet.git('diff', '--stat', applied, '--', 'rendered/clusters', 'rendered/handoff/team-a')).toBe('')
    fleet.commit()
    await fleet.render()
    expect(fleet.state()).toEqual(next)
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('does not go back with one cluster: the advice leaves others where they have gone since', async () => {
    const fleet = await handoffFleet('flux', bothClusters)
    const more = 'clusters/team-a/more'
    fleet.write(`${more}/cluster.yaml`, fleet.read(cluster).replaceAll('web', 'more'))
    await fleet.render()
    const before = fleet.commit()
    wantNext(fleet)
    fleet.edit(`${more}/cluster.yaml`, '-v3', '-v4')
    fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
    for (const file of [cluster, `${more}/cluster.yaml`]) fleet.edit(file, 'version: v1.34.7', 'version: v1.34.8')
    fleet.write(`${more}/options.yaml`, options('{freeze: true}'))
    let highest = ''
    for (let step = 0; step < 2; step++) {
      await fleet.render()
      highest = fleet.commit().slice(0, 12)
    }
    fleet.git('checkout', '-q', before, '--', 'rendered/clusters/team-a/web')
    fleet.remove(`${more}/options.yaml`)
    for (let step = 0; step < 2; step++) {
      await fleet.render({ clusters: ['team-a/more'] })
      fleet.commit()
    }
    const [hint = ''] = await problems(fleet, { check: true })
    expect(hint).toContain(`\`stackmason render --base ${highest} --cluster team-a/web\``)
    const moved = fleet.read('rendered/clusters/team-a/more/cluster/cluster-more.yaml')
    await fleet.render({ base: highest })
    expect(fleet.read('rendered/clusters/team-a/more/cluster/cluster-more.yaml')).not.toBe(moved)
    fleet.git('checkout', '-q', '.')
    await fleet.render({ base: highest, clusters: ['team-a/web'] })
    expect(fleet.state()).toEqual(next)
    expect(fleet.read('rendered/clusters/team-a/more/cluster/cluster-more.yaml')).toBe(moved)
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('does not go back with cluster.yaml either: --check says what render says', async () => {
    const fleet = await upgraded()
    fleet.git('checkout', 'HEAD~2', '--', '.')
    expect((await problems(fleet, { check: true })).map((text) => text.split(' ')[0])).toEqual(['UPGRADE_GOES_BACK'])
    expect((await problems(fleet, {})).map((text) => text.split(' ')[0])).toEqual(['UPGRADE_GOES_BACK'])
  })

  test('is forgotten when options.yaml says that it was never applied, and with a new cluster of that name', async () => {
    const fleet = await upgraded()
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    fleet.write(optionsFile, options('{upgrade: {neverApplied: docker-demo-1-34-v4}}'))
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    expect(await fleet.render()).toMatchObject({ files: { written: 0, pruned: 0 }, findings: [] })
    fleet.commit()
    for (const check of [false, true]) expect((await fleet.render({ check })).findings).toEqual([])
    fleet.remove(optionsFile)
    fleet.remove('rendered/clusters/team-a/web')
    fleet.remove('rendered/handoff/team-a/web')
    fleet.commit()
    await fleet.render()
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('counts again when the tree had it once more since: what options.yaml denies is what was before', async () => {
    const fleet = await upgraded()
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    fleet.write(optionsFile, options('{upgrade: {neverApplied: docker-demo-1-34-v4}}'))
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [], findings: [] })
    wantNext(fleet)
    fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
    fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
    for (let step = 0; step < 2; step++) {
      await fleet.render()
      fleet.commit()
    }
    const applied = fleet.git('rev-parse', 'HEAD').trim().slice(0, 12)
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    const want = [
      lowered(
        `commit ${applied}`,
        `Write class docker-demo-1-34-v4 and version v1.34.8 into cluster.yaml again, run \`stackmason render --base ${applied} --cluster team-a/web\` and commit what it writes. Then \`stackmason render\` writes what else the fleet lacks for it. ` +
          `\`neverApplied: docker-demo-1-34-v4\` is of the commits that had it before: since then the tree had another class, and commit ${applied} has this one again.`,
      ),
    ]
    expect(await problems(fleet, { check: true })).toEqual(want)
    expect(await problems(fleet, {})).toEqual(want.map((text) => text.replace('the tree', 'the committed tree')))
  })

  const denied = (release: string, why: string): string =>
    `UPGRADE_STEP_PAST ${optionsFile}:3:32 options.yaml says that ${release} was never applied, which decides nothing any more: ${why} | Remove \`neverApplied\` from spec.upgrade.`

  const reminders = async (fleet: HandoffFleet, given: Partial<RenderOptions> = {}): Promise<readonly string[]> =>
    (await fleet.render(given)).findings
      .filter(({ code }) => code === 'UPGRADE_STEP_PAST')
      .map((finding) => told(finding, fleet.folder))

  test('says when a release that was never applied need not be denied any more', async () => {
    const fleet = await upgraded()
    fleet.write(optionsFile, options('{upgrade: {neverApplied: docker-demo-1-34-v4}}'))
    const isThere = [denied('docker-demo-1-34-v4', 'the tree has team-a/web at it')]
    for (const given of [{}, { check: true }, { check: true, base: 'HEAD' }])
      expect(await reminders(fleet, given)).toEqual(isThere)

    fleet.write(optionsFile, options('{upgrade: {neverApplied: docker-demo-1-34-v9}}'))
    const unknown = [
      denied('docker-demo-1-34-v9', 'no commit that counts has team-a/web at it with a higher version than now'),
    ]
    for (const given of [{}, { check: true }]) expect(await reminders(fleet, given)).toEqual(unknown)
    // a checkout without history does not know
    fleet.commit()
    fleet.write('.git/shallow', fleet.git('rev-parse', 'HEAD'))
    for (const given of [{}, { check: true }]) expect(await reminders(fleet, given)).toEqual([])
  })

  test('a release for the same version is rolled back in two steps', async () => {
    const fleet = await handoffFleet('flux')
    wantNext(fleet)
    await fleet.render()
    fleet.commit()
    await fleet.render()
    fleet.commit()
    fleet.edit('stackmason.yaml', 'version: v4', 'version: v3')
    fleet.edit('stacks/demo.yaml', '- v4', '- v3')
    fleet.edit(addonTemplate, 'mark: new', 'mark: back')
    fleet.edit(cluster, 'docker-demo-1-34-v4', 'docker-demo-1-34-v3')
    expect(fleet.steps(await fleet.render())).toEqual(['addons class'])
    expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'back'])
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['class'])
    fleet.commit()
    expect(fleet.state()).toEqual(['docker-demo-1-34-v3', 'v1.34.7', 'back'])
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })
})

test.each(['flux', 'argocd'] as const)(
  'an upgrade stays at its first step while its cluster is suspended (%s)',
  async (tool) => {
    const fleet = await handoffFleet(tool)
    const optionsFile = 'clusters/team-a/web/options.yaml'
    fleet.write(optionsFile, options('{suspend: true}'))
    await fleet.render()
    fleet.commit()
    wantNext(fleet)
    expect(fleet.steps(await fleet.render())).toEqual(['addons class'])
    fleet.commit()
    const first = ['docker-demo-1-34-v3', 'v1.34.7', 'new']
    const held = await fleet.render()
    expect(fleet.steps(held)).toEqual(['wait class'])
    expect(held.steps?.[0]?.due.before[0]).toBe(
      'The committed tree suspends the cluster, so this step is not applied: remove `suspend` from clusters/team-a/web/options.yaml, render and commit; the next step is written after that.',
    )
    expect(fleet.git('status', '--porcelain')).toBe('')
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    // the unsuspension is a commit of its own
    fleet.remove(optionsFile)
    expect(fleet.steps(await fleet.render())).toEqual(['wait class'])
    expect(fleet.state()).toEqual(first)
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['class'])
    expect(fleet.state()[0]).toBe('docker-demo-1-34-v4')
  },
)

test('a step that was applied by hand while the cluster was suspended can be acknowledged', async () => {
  const fleet = await handoffFleet('flux')
  const optionsFile = 'clusters/team-a/web/options.yaml'
  fleet.write(optionsFile, options('{suspend: true}'))
  await fleet.render()
  fleet.commit()
  wantNext(fleet)
  await fleet.render()
  fleet.commit()
  fleet.write(optionsFile, options('{suspend: true, upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
  expect(fleet.steps(await fleet.render())).toEqual(['class'])
})

describe.each(['flux', 'argocd'] as const)('a decommission that took its Cluster out (%s)', (tool) => {
  const optionsFile = 'clusters/team-a/web/options.yaml'

  /** Three commits: the cluster, `decommission: {}`, and `step: delete`. */
  async function takenOut(): Promise<{ readonly fleet: HandoffFleet; readonly out: string }> {
    const fleet = await handoffFleet(tool)
    for (const step of ['{}', '{step: delete}']) {
      fleet.write(optionsFile, options(`{decommission: ${step}}`))
      await fleet.render()
      fleet.commit()
    }
    expect(fleet.has(renderedCluster)).toBe(false)
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    return { fleet, out: fleet.git('rev-parse', 'HEAD').trim() }
  }

  const problems = (fleet: HandoffFleet, base?: string): Promise<readonly string[]> =>
    problemsOf(
      fleet.render({ check: true, ...(base !== undefined && { base }) }).then((result) => {
        throw new Error(`passes: ${JSON.stringify(result.changes)}`)
      }),
      fleet.folder,
    )

  const restored = (commit: string, more = ' --cluster team-a/web'): string =>
    `DECOMMISSION_UNDER_WAY clusters/team-a/web/cluster.yaml:23:13 the tree has Cluster team-a/web again, but ${commit} has it taken out by a decommission that has not ended; what is deleted by then does not come back, and a recreated Cluster can take over machines of the old one | Write \`decommission: {step: delete}\` into ${optionsFile} again, run \`stackmason render --base ${commit.replace('commit ', '')}${more}\` and commit what it writes. Then finish the decommission; a new cluster can be made after that.`
  const unlessApplied =
    ' If no GitOps tool has ever applied that commit, name the one that it has with `--base <commit>`.'

  test.each([[['HEAD']], [['HEAD', 'HEAD~1']]])('does not go back by a revert of %j', async (reverted) => {
    const { fleet, out } = await takenOut()
    const short = out.slice(0, 12)
    fleet.git('revert', '--no-commit', ...reverted)
    expect(await problems(fleet)).toEqual([restored('commit HEAD') + unlessApplied])
    fleet.git('commit', '-qm', 'revert')
    expect(await problems(fleet)).toEqual([restored(`commit ${short}`) + unlessApplied])
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([restored(`commit ${short}`) + unlessApplied])
    expect(await problems(fleet, out)).toEqual([restored(out, '')])
    expect(await fleet.render({ check: true, base: `${out}~2` })).toMatchObject({ changes: [] })

    fleet.write(optionsFile, options('{decommission: {step: delete}}'))
    await fleet.render({ base: short, clusters: ['team-a/web'] })
    fleet.commit()
    expect(fleet.git('diff', '--stat', out, '--', 'rendered')).toBe('')
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('that has ended makes way for a new cluster of the name', async () => {
    const { fleet } = await takenOut()
    fleet.write(optionsFile, options('{decommission: {step: finish}}'))
    for (let step = 0; step < 2; step++) {
      await fleet.render()
      fleet.commit()
    }
    fleet.remove(optionsFile)
    await fleet.render()
    expect(fleet.has(renderedCluster)).toBe(true)
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })
})

test('a cluster does not change its stack in place: not by cluster.yaml, and not by a tree that was written elsewhere', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  const want = 'UPGRADE_CHANGES_STACK clusters/team-a/web/cluster.yaml:23:13 team-a/web is at docker-demo-1-34-v3'
  const refused = async (options: Partial<RenderOptions>): Promise<readonly string[]> =>
    (await problemsOf(fleet.render(options), fleet.folder)).map((text) => text.split(' and cannot')[0] ?? '')
  fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-classic-1-33-v1')
  fleet.edit(cluster, 'version: v1.34.7', 'version: v1.33.5')
  expect(await refused({})).toEqual([want])
  expect(await refused({ check: true })).toEqual([want])
  // the commit has another stack, and the tree on disk is what the inputs say
  fleet.git('checkout', '--', '.')
  fleet.edit(renderedCluster, 'docker-demo-1-34-v3', 'docker-other-1-34-v3')
  fleet.commit()
  fleet.edit(renderedCluster, 'docker-other-1-34-v3', 'docker-demo-1-34-v3')
  const other = want.replace('is at docker-demo', 'is at docker-other')
  expect(await refused({ check: true, base: 'HEAD' })).toEqual([other])
  expect(await refused({ check: true })).toEqual([other])
  expect(await refused({})).toEqual([other])
})

test.each([
  { step: 'an upgrade', change: wantNext, stays: 'docker-demo-1-34-v3', wants: 'docker-demo-1-34-v4' },
  {
    step: 'a freeze',
    change: (fleet: HandoffFleet): void => fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}')),
    stays: 'docker-demo-1-34-v3',
    wants: 'docker-demo-1-34-v3',
  },
  {
    step: 'a decommission',
    change: (fleet: HandoffFleet): void =>
      fleet.write('clusters/team-a/web/options.yaml', options('{decommission: {}}')),
    stays: 'docker-demo-1-34-v3',
    wants: 'docker-demo-1-34-v3',
  },
])('a class does not change its namespace in $step that leaves the Cluster where it is', async (row) => {
  const fleet = await handoffFleet('flux')
  fleet.edit(cluster, 'namespace: platform', 'namespace: platform2')
  fleet.edit('stacks/demo.yaml', 'namespace: platform', 'namespace: platform2')
  row.change(fleet)
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
    `UPGRADE_CHANGES_STACK clusters/team-a/web/cluster.yaml:23:13 team-a/web names class ${row.wants} in namespace platform2, but its Cluster stays at ${row.stays} ` +
      'in namespace platform for now, whose stack would leave the tree | Put namespace platform back, of the class and of its ClusterStack, and change it when the Cluster has no step under way.',
  ])
  fleet.git('checkout', '--', '.')
  fleet.git('clean', '-fdq', 'clusters')
  fleet.edit(cluster, 'namespace: platform', 'namespace: platform2')
  fleet.edit('stacks/demo.yaml', 'namespace: platform', 'namespace: platform2')
  await fleet.render()
  expect(fleet.read(renderedCluster)).toContain('namespace: platform2')
  expect(fleet.entries('rendered/stacks')).not.toContain('platform')
})

test('between the steps of an upgrade no class changes to a namespace that has no stack yet', async () => {
  const fleet = await handoffFleet('flux')
  wantNext(fleet)
  await fleet.render()
  fleet.commit()
  fleet.edit(cluster, 'namespace: platform', 'namespace: platform2')
  fleet.edit('stacks/demo.yaml', 'namespace: platform', 'namespace: platform2')
  const refused = [
    'UPGRADE_CHANGES_STACK clusters/team-a/web/cluster.yaml:23:13 team-a/web names class docker-demo-1-34-v4 in namespace platform2, but its Cluster stays at docker-demo-1-34-v3 ' +
      'in namespace platform for now, whose stack would leave the tree | Put namespace platform back, of the class and of its ClusterStack, and change it when the Cluster has no step under way.',
  ]
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(refused)
  expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual(refused)
  fleet.git('checkout', '--', '.')
  expect(fleet.steps(await fleet.render())).toEqual(['class'])
})

describe('a fleet without an engine', () => {
  test('has no steps that follow on a commit: --base is told to have no effect, and must be one', async () => {
    const fleet = await handoffFleet('flux')
    fleet.handTo(undefined, 'retiredTool: flux')
    await fleet.render()
    fleet.handTo(undefined)
    fleet.commit()
    for (const check of [false, true]) {
      const { findings } = await fleet.render({ base: 'HEAD', check })
      expect(findings.map((finding) => told(finding, fleet.folder))).toEqual([
        'BASE_UNUSED stackmason.yaml --base HEAD has no effect: the fleet names no GitOps tool (spec.handoff), so its tree has no steps | Leave --base out, or add spec.handoff to stackmason.yaml.',
      ])
      expect(await problemsOf(fleet.render({ base: 'nowhere', check }), fleet.folder)).toEqual([
        'BASE_UNKNOWN - "nowhere" is not a commit of the repository',
      ])
    }
  })
})

test('without a repository, an upgrade goes on when the owner says that its step was applied', async () => {
  const fleet = await handoffFleet('flux')
  fleet.remove('.git')
  wantNext(fleet)
  const acknowledge = (release: string): void => {
    fleet.write('clusters/team-a/web/options.yaml', options(`{upgrade: {addonsApplied: ${release}}}`))
  }
  for (const steps of [['addons class'], ['wait class']]) expect(fleet.steps(await fleet.render())).toEqual(steps)
  acknowledge('docker-demo-1-34-v3')
  const past = await fleet.render()
  expect(fleet.steps(past)).toEqual(['wait class'])
  expect(past.findings.map(({ code, at }) => [code, at?.source.name.split('/').at(-1)])).toEqual([
    ['UPGRADE_STEP_PAST', 'options.yaml'],
  ])
  acknowledge('docker-demo-1-34-v5')
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
    'UPGRADE_NOT_UNDER_WAY clusters/team-a/web/options.yaml:3:33 options.yaml says that the addons of docker-demo-1-34-v5 were applied, but the tree holds the addons of docker-demo-1-34-v4 and the Cluster at docker-demo-1-34-v3 | Remove spec.upgrade, or write `addonsApplied: docker-demo-1-34-v4` there when that step was applied and checked.',
  ])
  acknowledge('docker-demo-1-34-v4')
  expect((await fleet.render({ check: true })).changes.length).toBeGreaterThan(0)
  expect(fleet.steps(await fleet.render())).toEqual(['class'])
  expect(fleet.state()).toEqual(['docker-demo-1-34-v4', 'v1.34.7', 'new'])
  const { findings, steps } = await fleet.render()
  expect([findings.map(({ code }) => code), steps]).toEqual([['UPGRADE_STEP_PAST', 'STACK_UNNEEDED'], []])
})

describe('the advice of a check about a step that is written', () => {
  const commit = 'No commit has this step: commit it.'
  const applied =
    "The GitOps tool has applied this commit's addons of web: unit web-addons is ready, and so are the addons' pods."
  const acknowledge =
    'Then render again; if this step is in no commit, write `addonsApplied: docker-demo-1-34-v4` under spec.upgrade in clusters/team-a/web/options.yaml first.'

  test.each<{ name: string; after: (fleet: HandoffFleet) => void; want: readonly string[] }>([
    { name: 'that is not committed', after: () => undefined, want: [commit, applied, 'Then render again.'] },
    { name: 'that is committed', after: (fleet) => fleet.commit(), want: [applied, 'Then render again.'] },
    { name: 'without a repository', after: (fleet) => fleet.remove('.git'), want: [applied, acknowledge] },
    {
      name: 'where no commit has a tree',
      after: (fleet) => {
        fleet.write('.gitignore', 'rendered\n')
        fleet.git('rm', '-rq', '--cached', 'rendered')
        fleet.commit()
      },
      want: [applied, acknowledge],
    },
  ])('works: $name', async ({ after, want }) => {
    const fleet = await handoffFleet('flux')
    wantNext(fleet)
    expect(fleet.steps(await fleet.render())).toEqual(['addons class'])
    after(fleet)
    const { steps = [] } = await fleet.render({ check: true })
    expect(steps.map(({ due }) => [due.action, ...due.before])).toEqual([['wait', ...want]])
    // what is advised leads to the next step
    if (want.includes(commit)) fleet.commit()
    if (want.includes(acknowledge))
      fleet.write('clusters/team-a/web/options.yaml', options('{upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
    expect(fleet.steps(await fleet.render())).toEqual(['class'])
  })

  test.each<{ name: string; after: (fleet: HandoffFleet) => void; want: readonly string[] }>([
    { name: 'that is committed', after: (fleet) => fleet.commit(), want: [applied, 'Then render again.'] },
    { name: 'that is not committed', after: () => undefined, want: [commit, applied, 'Then render again.'] },
  ])('is the same beside an acknowledgement of a step $name', async ({ after, want }) => {
    const fleet = await handoffFleet('flux')
    wantNext(fleet)
    await fleet.render()
    after(fleet)
    fleet.write('clusters/team-a/web/options.yaml', options('{upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
    const { changes, steps = [] } = await fleet.render({ check: true })
    expect([changes, steps.map(({ due }) => [due.action, ...due.before])]).toEqual([[], [['wait', ...want]]])
  })

  test('knows the step that a base has, and the last commit has not', async () => {
    const fleet = await handoffFleet('flux')
    const before = fleet.git('rev-parse', '--abbrev-ref', 'HEAD').trim()
    fleet.git('switch', '-qc', 'upgrade')
    wantNext(fleet)
    await fleet.render()
    fleet.commit()
    fleet.git('switch', '-q', before)
    fleet.git('merge', '-q', '--no-commit', '--no-ff', 'upgrade')
    const { steps = [] } = await fleet.render({ check: true, base: 'MERGE_HEAD' })
    expect(steps.map(({ due }) => [due.action, ...due.before])).toEqual([['wait', applied, 'Then render again.']])
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['class'])
  })

  test('works of one that waits behind a suspended cluster, too', async () => {
    const fleet = await handoffFleet('flux')
    fleet.write('clusters/team-a/web/options.yaml', options('{suspend: true}'))
    await fleet.render()
    fleet.commit()
    wantNext(fleet)
    await fleet.render()
    const before = async (): Promise<readonly string[]> =>
      ((await fleet.render({ check: true })).steps ?? []).flatMap(({ due }) => due.before)
    const uncommitted = await before()
    expect([uncommitted[0], uncommitted.at(-1)]).toEqual([commit, 'Then render again.'])
    fleet.commit()
    expect((await before()).at(-1)).toBe(
      'Then render again. If you have applied this step by hand instead, write `addonsApplied: docker-demo-1-34-v4` under spec.upgrade in clusters/team-a/web/options.yaml.',
    )
  })

  test('of a suspended cluster is to resume it, from the run on that writes the step', async () => {
    const fleet = await handoffFleet('flux')
    fleet.write('clusters/team-a/web/options.yaml', options('{suspend: true}'))
    await fleet.render()
    fleet.commit()
    wantNext(fleet)
    const { steps = [] } = await fleet.render()
    expect(steps.map(({ due }) => [due.action, ...due.before])).toEqual([
      [
        'addons',
        'Remove `suspend` from clusters/team-a/web/options.yaml, render and commit: until then the cluster is suspended, and nothing applies this step.',
        applied.replace('this', 'that'),
      ],
    ])
    fleet.commit()
    // what is advised leads to the next step
    fleet.remove('clusters/team-a/web/options.yaml')
    await fleet.render()
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['class'])
  })
})

describe('templates of the fleet', () => {
  test('take the place of ours', async () => {
    const fleet = await handoffFleet('flux')
    const ours = await readFile(
      join(import.meta.dirname, '../../templates/handoff/flux/kustomization.yaml.hbs'),
      'utf8',
    )
    const path = 'templates/handoff/flux/kustomization.yaml.hbs'
    fleet.write(path, ours.replace(/^ {2}labels:$/m, '  labels:\n    example.com/tier: fleet'))
    await fleet.render()
    const unit = fleet.object('rendered/handoff/team-a/web/flux-kustomization-web.yaml')
    expect(fieldAt(unit, 'metadata', 'labels', 'example.com/tier')).toBe('fleet')
  })

  test('may not weaken what the safety of clusters hangs on', async () => {
    const fleet = await handoffFleet('flux')
    const ours = await readFile(
      join(import.meta.dirname, '../../templates/handoff/flux/kustomization.yaml.hbs'),
      'utf8',
    )
    fleet.write(
      'templates/handoff/flux/kustomization.yaml.hbs',
      ours.replace(/deletionPolicy: .*/, 'deletionPolicy: Delete'),
    )
    const problems = await problemsOf(fleet.render(), fleet.folder)
    expect(problems[0]).toMatch(/^HANDOFF_TEMPLATE .*deletionPolicy/)
  })

  test('tell each fault, and whose unit it is', async () => {
    const fleet = await handoffFleet('flux')
    const path = 'templates/handoff/flux/kustomization.yaml.hbs'
    const ours = await readFile(join(import.meta.dirname, '../..', path), 'utf8')
    const faults = ours.replace('prune: true', 'prune: false').replace(/deletionPolicy: .*/, 'deletionPolicy: Delete')
    const toldOf = async (text: string): Promise<readonly unknown[]> => {
      fleet.write(path, text)
      return (await diagnosticsOf(fleet.render())).map(({ message, about }) => [message, about])
    }
    const prune = 'its object has spec.prune false, which must be true'
    const policy = 'its object has spec.deletionPolicy "Delete", which must be "Orphan"'
    const release = { release: 'docker-demo-1-34-v3' }
    expect(await toldOf(faults)).toEqual([
      [prune, release],
      [policy, release],
    ])
    const ofClusters = ours.replace('prune: true', '{{#if kubeConfigSecret}}prune: false{{else}}prune: true{{/if}}')
    expect(await toldOf(ofClusters)).toEqual([[prune, { cluster: 'team-a/web' }]])
  })

  test('may not have a label that no API server takes, which is told once', async () => {
    const fleet = await handoffFleet('flux', bothClusters)
    const path = 'templates/handoff/flux/kustomization.yaml.hbs'
    const ours = await readFile(join(import.meta.dirname, '../..', path), 'utf8')
    fleet.write(path, ours.replace(/^ {2}labels:$/m, '  labels:\n    team: "a b"'))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      'OBJECT_NAME_INVALID templates/handoff/flux/kustomization.yaml.hbs:8:5 no API server takes the value of label "team" of its object; allowed are A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most',
    ])
  })

  test('in folders that nothing reads are named', async () => {
    const fleet = await handoffFleet('flux')
    fleet.write('templates/handof/flux/kustomization.yaml.hbs', 'a: b\n')
    fleet.write('templates/handoff/fluxx/kustomization.yaml.hbs', 'a: b\n')
    fleet.write('templates/quotas/quotas.yaml.hbs', 'a: b\n')
    const where = 'Templates lie in templates/handoff/flux and templates/handoff/argocd.'
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `CONFIG_UNKNOWN_FILE templates/handof templates/handof takes the place of no template | Did you mean templates/handoff? ${where}`,
      `CONFIG_UNKNOWN_FILE templates/handoff/fluxx templates/handoff/fluxx takes the place of no template | Did you mean templates/handoff/flux? ${where}`,
    ])
  })

  test.each([
    ['with a tool', async () => handoffFleet('flux')],
    ['without one', async () => exampleFleet(await tempFolder(), { clusters: ['team-a/web'] })],
  ])('of what is published are named if nothing reads them, %s', async (_, make) => {
    const fleet = await make()
    fleet.write('templates/publish/pullrequest.hbs', '')
    fleet.write('templates/publish/commit.hbs', '')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      'CONFIG_UNKNOWN_FILE templates/publish/pullrequest.hbs templates/publish/pullrequest.hbs takes the place of no template | Did you mean templates/publish/pull-request.hbs? There are: templates/publish/pull-request.hbs, templates/publish/commit.hbs.',
    ])
  })

  test('of health checks replace those of their kind, and no other', async () => {
    const fleet = await handoffFleet('argocd')
    const folder = 'templates/handoff/argocd/health'
    const file = 'rendered/handoff/argocd.health/configmap-argocd-cm.yaml'
    const before = fieldAt(fleet.object(file), 'data') ?? null
    fleet.write(`${folder}/cluster.x-k8s.io_Cluster.lua`, "return { status = 'Healthy', message = 'own' }\n")
    await fleet.render()
    const data = fieldAt(fleet.object(file), 'data') ?? null
    const key = 'resource.customizations.health.cluster.x-k8s.io_Cluster'
    expect(textAt(data, key)).toBe("return { status = 'Healthy', message = 'own' }\n")
    const other = 'resource.customizations.health.argoproj.io_Application'
    expect(textAt(data, other)).toBe(textAt(before, other))

    fleet.write(`${folder}/cluster.x-k8s.io_Clusters.lua`, 'return {}\n')
    const [problem = ''] = await problemsOf(fleet.render(), fleet.folder)
    expect(problem).toContain(
      `CONFIG_UNKNOWN_FILE ${folder}/cluster.x-k8s.io_Clusters.lua ${folder}/cluster.x-k8s.io_Clusters.lua takes the place of no template | Did you mean ${folder}/cluster.x-k8s.io_Cluster.lua?`,
    )
  })

  test.each(['health/cluster.x-k8s.io_Cluster.lua', 'application.yaml.hbs'])(
    'are not read through a link out of the fleet: %s',
    async (name) => {
      const fleet = await handoffFleet('argocd')
      const file = `templates/handoff/argocd/${name}`
      fleet.write(file, '')
      fleet.remove(file)
      symlinkSync('/etc/hostname', fleet.path(file))
      expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
        expect.stringContaining(`FILE_OUTSIDE ${file} ${file} is a link that leads out of the fleet repository`),
      ])
    },
  )

  test.each([
    'templates',
    'templates/handoff',
    'templates/handoff/argocd',
    'templates/handoff/argocd/health',
    'templates/publish',
  ])('are not listed in a folder that is a link out of the fleet: %s', async (path) => {
    const fleet = await handoffFleet('argocd')
    fleet.write(`${path}/x`, '')
    fleet.remove(`${path}/x`)
    rmSync(fleet.path(path), { recursive: true, force: true })
    symlinkSync('/etc', fleet.path(path))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      expect.stringContaining(`FILE_OUTSIDE ${path} ${path} is a link that leads out of the fleet repository`),
    ])
  })

  test('that take the place of nothing are named', async () => {
    const fleet = await handoffFleet('flux')
    fleet.write('templates/handoff/flux/kustomisation.yaml.hbs', 'a: b\n')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      'CONFIG_UNKNOWN_FILE templates/handoff/flux/kustomisation.yaml.hbs templates/handoff/flux/kustomisation.yaml.hbs takes the place of no template | Did you mean templates/handoff/flux/kustomization.yaml.hbs? There are: templates/handoff/flux/kustomization.yaml.hbs, templates/handoff/flux/ocirepository.yaml.hbs.',
    ])
  })
})
