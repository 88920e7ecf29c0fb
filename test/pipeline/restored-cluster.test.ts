import { describe, expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  bothClusters,
  cluster,
  type HandoffFleet,
  handoffFleet,
  options,
  renderedCluster,
  wantNext,
} from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

const folder = 'clusters/team-a/web'
const optionsFile = `${folder}/options.yaml`
const csctl = 'providers/docker/demo/csctl.yaml'

/** The fleet without the defaults that no cluster would be left for. */
async function start(): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.remove('clusters/values/metrics.yaml')
  await fleet.render()
  fleet.commit()
  return fleet
}

/** The cluster leaves the inputs, and with the commit the tree. */
async function lose(fleet: HandoffFleet): Promise<void> {
  fleet.git('rm', '-rqf', folder)
  await fleet.render()
  fleet.commit()
}

/** The folder is as the commit has it that came before its loss. */
function restore(fleet: HandoffFleet): void {
  fleet.git('checkout', '-q', 'HEAD~1', '--', folder)
}

const idOf = (fleet: HandoffFleet, revision: string): string => fleet.git('rev-parse', revision).trim().slice(0, 12)

const refused = async (fleet: HandoffFleet, given: Partial<RenderOptions> = {}): Promise<readonly string[]> =>
  problemsOf(
    fleet.render(given).then(() => {
      throw new Error('passes')
    }),
    fleet.folder,
  )

const findings = async (fleet: HandoffFleet): Promise<readonly string[]> =>
  (await fleet.render()).findings.map((finding) => told(finding, fleet.folder))

const checks = (base: string): readonly Partial<RenderOptions>[] => [{ check: true }, { check: true, base }]
/** Before and after a tree is committed. */
const [onDisk, committed] = [checks('HEAD'), checks('HEAD~1')]

const done = `UPGRADE_STEP_PAST ${optionsFile}:3:19 options.yaml says that team-a/web starts over, which decides nothing any more: the commits that have it again say so | Remove \`startOver\` from spec, in a commit of its own that is not squashed with those.`

test('a check against the base refuses what `render --check` does, as far as it reads it', async () => {
  const fleet = await start()
  const whole = fleet.git('rev-parse', 'HEAD').trim()
  for (const step of ['{}', '{step: delete}']) {
    fleet.write(optionsFile, options(`{decommission: ${step}}`))
    await fleet.render()
    fleet.commit()
  }
  fleet.git('branch', 'followed')
  const codes = (problems: readonly string[]): readonly string[] => problems.map((text) => text.split(' ')[0] ?? '')
  const judge = async (): Promise<readonly (readonly string[])[]> => {
    const asked = check(
      { start: fleet.folder, clusters: [], stacks: [], base: 'followed' },
      createNodePorts(),
      () => undefined,
    )
    const found = asked.then(({ findings: all }) => all.filter(({ severity }) => severity !== 'note'))
    const problems = await problemsOf(found, fleet.folder)
    const checked = problems.length > 0 ? codes(problems) : (await found).map(({ code }) => code)
    return [checked, codes(await refused(fleet, { check: true, base: 'followed' }))]
  }
  const both = [['DECOMMISSION_UNDER_WAY'], ['DECOMMISSION_UNDER_WAY']]
  fleet.git('checkout', '-q', whole)
  expect(await judge(), 'a branch that is behind').toEqual(both)
  fleet.git('checkout', '-q', '--detach', 'followed')
  fleet.git('checkout', '-q', whole, '--', 'rendered')
  fleet.commit()
  expect(await judge(), 'the tree alone, which check does not read').toEqual([[], ['DECOMMISSION_UNDER_WAY']])
  fleet.remove(optionsFile)
  fleet.commit()
  expect(await judge(), 'the tree and the inputs').toEqual(both)
  fleet.git('checkout', '-q', 'followed', '--', 'rendered')
  fleet.commit()
  expect(await judge(), 'the inputs alone').toEqual(both)
})

describe('a decommission whose folder went before its end', () => {
  async function lost(): Promise<HandoffFleet> {
    const fleet = await start()
    for (const step of ['{}', '{step: delete}']) {
      fleet.write(optionsFile, options(`{decommission: ${step}}`))
      await fleet.render()
      fleet.commit()
    }
    await lose(fleet)
    return fleet
  }

  test('makes no way for a Cluster of the name: not in a run, and not in a tree', async () => {
    const fleet = await lost()
    const out = idOf(fleet, 'HEAD~1')
    restore(fleet)
    fleet.remove(optionsFile)
    const want = [
      `DECOMMISSION_UNDER_WAY ${cluster}:23:13 the tree has Cluster team-a/web again, but commit ${out} has it taken out by a decommission that has not ended; ` +
        'what is deleted by then does not come back, and a recreated Cluster can take over machines of the old one | ' +
        `Write \`decommission: {step: delete}\` into ${optionsFile} again, run \`stackmason render --base ${out} --cluster team-a/web\` and commit what it writes. ` +
        'Then finish the decommission; a new cluster can be made after that. If no GitOps tool has ever applied that commit, name the one that it has with `--base <commit>`. ' +
        `If nothing of it runs any more, write \`startOver: docker-demo-1-34-v3\` under spec in ${optionsFile} instead.`,
    ]
    // also where nothing is written yet, and from a commit that lacks the cluster
    for (const given of [{}, ...onDisk, { base: 'HEAD' }]) expect(await refused(fleet, given)).toEqual(want)
    // a tree that was written elsewhere
    fleet.git('checkout', '-q', 'HEAD~3', '--', 'rendered')
    for (const given of onDisk) expect(await refused(fleet, given)).toEqual(want)
    fleet.commit()
    for (const given of [{}, ...committed]) expect(await refused(fleet, given)).toEqual(want)
  })

  test('is told of where its folder is back, and goes on from the commit that has it', async () => {
    const fleet = await lost()
    const out = idOf(fleet, 'HEAD~1')
    restore(fleet)
    expect(await findings(fleet)).toEqual([
      `CLUSTER_ORPHANED ${optionsFile}:3:8 the tree lost team-a/web after commit ${out}, before its decommission had ended: objects that lay beside its Cluster stay in the management cluster, with nothing to manage them | ` +
        `Bring back what that commit has with \`stackmason render --base ${out} --cluster team-a/web\`, commit it, run \`stackmason render\` for the lists of the fleet and commit again, and go on with \`step: finish\`; or delete those objects by hand. ` +
        'Do not take `decommission` out of options.yaml: a recreated Cluster can take over machines of the old one.',
    ])
    const [plan] = (await fleet.render()).steps ?? []
    expect(plan?.due.summary).toBe(
      'nothing of it is left in the tree, though its decommission had not ended: CLUSTER_ORPHANED says how to end it. Keep `decommission` in options.yaml until then',
    )
    await fleet.render({ base: out, clusters: ['team-a/web'] })
    fleet.commit()
    expect(fleet.steps(await fleet.render())).toEqual(['wait release remove'])
    fleet.commit()
    expect(fleet.git('diff', '--stat', out, '--', 'rendered/clusters', 'rendered/handoff/team-a')).toBe('')
    fleet.write(optionsFile, options('{decommission: {step: finish}}'))
    for (const action of ['release remove', 'remove', 'gone']) {
      expect(fleet.steps(await fleet.render())).toEqual([action])
      fleet.commit()
    }
    expect(await findings(fleet)).toEqual([])
    fleet.remove(optionsFile)
    expect(await findings(fleet)).toEqual([])
    expect(fleet.has(renderedCluster)).toBe(true)
  })

  test.each(['delete', 'finish'])('goes on in a pull request, with `step: %s`', async (step) => {
    const fleet = await lost()
    const out = idOf(fleet, 'HEAD~1')
    fleet.git('branch', '-M', 'main')
    fleet.git('switch', '-q', '-c', 'pr')
    restore(fleet)
    const codes = async (): Promise<readonly string[]> =>
      (await fleet.render({ base: 'main' })).findings.map(({ code }) => code)
    expect(await codes()).toEqual(['CLUSTER_ORPHANED'])
    // as the hint says
    await fleet.render({ base: out, clusters: ['team-a/web'] })
    fleet.commit()
    await fleet.render()
    fleet.commit()
    for (const given of [{ check: true }, { check: true, base: 'main' }, { base: 'main' }])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
    fleet.write(optionsFile, options(`{decommission: {step: ${step}}}`))
    await fleet.render({ base: 'main' })
    fleet.commit()
    for (const given of [{ check: true, base: 'main' }, { base: 'main' }])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
    expect(fleet.has(renderedCluster)).toBe(false)
  })

  test('does not come back once it has ended', async () => {
    const fleet = await start()
    for (const step of ['{}', '{step: delete}', '{step: finish}', '{step: finish}']) {
      fleet.write(optionsFile, options(`{decommission: ${step}}`))
      await fleet.render()
      fleet.commit()
    }
    fleet.git('checkout', '-q', 'HEAD~1', '--', 'rendered')
    expect((await fleet.render({ check: true, base: 'HEAD' })).changes.length).toBeGreaterThan(0)
  })

  test('that goes on is not covered by what an earlier start left in options.yaml', async () => {
    const fleet = await start()
    for (const step of ['{}', '{step: delete}']) {
      fleet.write(optionsFile, options(`{startOver: docker-demo-1-34-v3, decommission: ${step}}`))
      await fleet.render()
      fleet.commit()
    }
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    for (const given of [{}, { check: true }])
      expect((await refused(fleet, given)).map((text) => text.split(' ')[0])).toEqual(['DECOMMISSION_UNDER_WAY'])
  })

  test('makes way where options.yaml says that nothing of it runs', async () => {
    const fleet = await lost()
    restore(fleet)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    expect(await findings(fleet)).toEqual([])
    fleet.commit()
    for (const given of committed) expect(await fleet.render(given)).toMatchObject({ changes: [] })
    expect(await findings(fleet)).toEqual([done])
    fleet.remove(optionsFile)
    fleet.commit()
    for (const given of [{ check: true }, {}])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
  })

  test('is not covered by a start of an earlier loss, left in options.yaml or restored from git', async () => {
    const fleet = await start()
    await lose(fleet)
    restore(fleet)
    wantNext(fleet)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    await fleet.render()
    fleet.commit()
    fleet.edit('stackmason.yaml', 'version: v4', 'version: v3')
    fleet.edit('stacks/demo.yaml', '- v4', '- v3')
    fleet.edit(cluster, 'docker-demo-1-34-v4', 'docker-demo-1-34-v3')
    for (const step of ['addons class', 'class']) {
      expect(fleet.steps(await fleet.render())).toEqual([step])
      fleet.commit()
    }
    const again = fleet.git('rev-parse', 'HEAD').trim()
    for (const leftover of ['startOver: docker-demo-1-34-v3, ', '']) {
      fleet.git('reset', '-q', '--hard', again)
      for (const step of ['{}', '{step: delete}']) {
        fleet.write(optionsFile, options(`{${leftover}decommission: ${step}}`))
        await fleet.render()
        fleet.commit()
      }
      const out = idOf(fleet, 'HEAD')
      await lose(fleet)
      fleet.git('checkout', '-q', again, '--', folder)
      expect(fleet.read(optionsFile)).toContain('startOver: docker-demo-1-34-v3')
      const want = [
        `DECOMMISSION_UNDER_WAY ${cluster}:23:13 the tree has Cluster team-a/web again, but commit ${out} has it taken out by a decommission that has not ended; ` +
          'what is deleted by then does not come back, and a recreated Cluster can take over machines of the old one | ' +
          `Write \`decommission: {step: delete}\` into ${optionsFile} again, run \`stackmason render --base ${out} --cluster team-a/web\` and commit what it writes. ` +
          'Then finish the decommission; a new cluster can be made after that. If no GitOps tool has ever applied that commit, name the one that it has with `--base <commit>`. ' +
          '`startOver: docker-demo-1-34-v3` was in options.yaml before that already, for an earlier loss: it does not count for this one.',
      ]
      expect(await refused(fleet)).toEqual(want)
      fleet.git('checkout', '-q', again, '--', 'rendered')
      for (const given of onDisk) expect(await refused(fleet, given)).toEqual(want)
      fleet.commit()
      for (const given of [{}, ...committed]) expect(await refused(fleet, given)).toEqual(want)
    }
  })
})

describe('a cluster that the tree lost without a decommission', () => {
  const again = (fleet: HandoffFleet, why: string): string => {
    const out = idOf(fleet, 'HEAD~1')
    return (
      `CLUSTER_ORPHANED ${cluster}:23:13 the tree has Cluster team-a/web again, which it lost after commit ${out} without a decommission that ended; it may still run as it is there, at docker-demo-1-34-v3 v1.34.7, and ${why} | ` +
      'Write class docker-demo-1-34-v3 and version v1.34.7 into cluster.yaml, run `stackmason render` and commit: the GitOps tool takes over what runs, and later changes follow step by step. ' +
      `If nothing of it runs any more, or it runs as cluster.yaml says, write \`startOver: docker-demo-1-34-v3\` under spec in ${optionsFile}.`
    )
  }

  test('comes back as it was, and goes on step by step', async () => {
    const fleet = await start()
    await lose(fleet)
    restore(fleet)
    expect(await findings(fleet)).toEqual([])
    fleet.commit()
    for (const given of committed) expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
    wantNext(fleet)
    for (const action of ['addons class', 'class']) {
      expect(fleet.steps(await fleet.render())).toEqual([action])
      fleet.commit()
      expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    }
  })

  test.each([
    {
      what: 'at the next release',
      why: 'it would get the addons of docker-demo-1-34-v4 and their version at once',
      change: wantNext,
    },
    {
      what: 'at another stack',
      why: 'no Cluster changes to the stack of docker-classic-1-33-v1 in place',
      change: (fleet: HandoffFleet): void => {
        for (const other of ['patches', 'values']) fleet.remove(`${folder}/${other}`)
        fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-classic-1-33-v1')
        fleet.edit(cluster, 'version: v1.34.7', 'version: v1.33.5')
      },
    },
    {
      what: 'at a lower version',
      why: 'no Cluster goes back to v1.34.6',
      change: (fleet: HandoffFleet): void => {
        wantNext(fleet)
        fleet.edit(csctl, 'v1.34.7', 'v1.34.6')
        fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.6')
      },
    },
  ])('does not come back $what', async ({ why, change }) => {
    const fleet = await start()
    await lose(fleet)
    restore(fleet)
    change(fleet)
    const want = [again(fleet, why)]
    for (const given of [{}, ...onDisk, { base: 'HEAD' }]) expect(await refused(fleet, given)).toEqual(want)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    expect((await findings(fleet)).filter((text) => text.includes('startOver'))).toEqual([])
    for (const given of onDisk) expect(await fleet.render(given)).toMatchObject({ changes: [] })
    fleet.remove(optionsFile)
    for (const given of onDisk) expect(await refused(fleet, given)).toEqual(want)
    fleet.commit()
    // the commit that has the cluster is the same
    const now = want.map((text) => text.replace(idOf(fleet, 'HEAD~1'), idOf(fleet, 'HEAD~2')))
    for (const given of [{}, ...committed]) expect(await refused(fleet, given)).toEqual(now)
  })

  test('is new for a commit from before it, as long as the last one has it', async () => {
    const fleet = await handoffFleet('flux')
    const before = idOf(fleet, 'HEAD')
    const more = 'clusters/team-a/more/cluster.yaml'
    fleet.write(more, fleet.read(cluster).replaceAll('web', 'more'))
    for (const labels of ['{}', '{a: b}']) {
      fleet.edit(more, /^metadata:$/m, `metadata:\n  annotations: ${labels}`)
      await fleet.render()
      fleet.commit()
      fleet.edit(more, `\n  annotations: ${labels}`, '')
    }
    fleet.git('checkout', '-q', more)
    for (const given of [{ base: before }, { check: true, base: before }])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
  })

  test('starts over once: the commits that have it again say so, and a later loss is another one', async () => {
    const fleet = await start()
    await lose(fleet)
    restore(fleet)
    wantNext(fleet)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    await fleet.render()
    fleet.commit()
    expect(await findings(fleet)).toEqual([done])
    fleet.edit('stackmason.yaml', 'version: v4', 'version: v3')
    fleet.edit('stacks/demo.yaml', '- v4', '- v3')
    fleet.edit(cluster, 'docker-demo-1-34-v4', 'docker-demo-1-34-v3')
    for (const step of ['addons class', 'class']) {
      expect(fleet.steps(await fleet.render())).toEqual([step])
      fleet.commit()
    }
    expect((await fleet.render({ check: true })).findings.map((one) => told(one, fleet.folder))).toContain(done)
    await lose(fleet)
    restore(fleet)
    wantNext(fleet)
    const want = [
      again(fleet, 'it would get the addons of docker-demo-1-34-v4 and their version at once').replace(
        /If nothing.*/,
        'If nothing of it runs any more, decommission it after that. `startOver: docker-demo-1-34-v3` was in options.yaml before that already, for an earlier loss: it does not count for this one.',
      ),
    ]
    expect(await refused(fleet)).toEqual(want)
    // as it was, it is back all the same, and needs no word for it
    fleet.git('checkout', '-q', 'HEAD', '--', '.')
    restore(fleet)
    expect(await findings(fleet)).toEqual([
      done
        .replace(' any more: the commits that have it again say so', ': no commit that counts keeps it from that')
        .replace(/, in a commit.*/, '.'),
    ])
    fleet.remove(optionsFile)
    fleet.commit()
    for (const given of [{ check: true }, {}])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
  })

  test('need not start over where nothing keeps it from that, or another release was lost', async () => {
    const fleet = await start()
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v3}'))
    const needless = [
      `UPGRADE_STEP_PAST ${optionsFile}:3:19 options.yaml says that team-a/web starts over, which decides nothing: no commit that counts keeps it from that | Remove \`startOver\` from spec.`,
    ]
    expect(await findings(fleet)).toEqual(needless)
    fleet.remove(optionsFile)
    await lose(fleet)
    restore(fleet)
    wantNext(fleet)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v4}'))
    expect(await refused(fleet)).toEqual([
      again(fleet, 'it would get the addons of docker-demo-1-34-v4 and their version at once'),
    ])
  })
})
