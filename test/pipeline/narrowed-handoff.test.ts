import { expect, test } from 'vitest'
import type { RenderOptions, RenderResult } from '../../src/pipeline/commands/render.ts'
import { exampleConfig, exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bothClusters, cluster, handoffFleet, options, wantNext } from './handoff-fleet.ts'

const handoff = [handoffs.flux]

test('a run for a cluster named like the folder of stacks takes none of them out of the handoff', async () => {
  const fleet = exampleFleet(await tempFolder(), { handoff })
  const cluster = fleet.read('clusters/team-a/edge/cluster.yaml')
  const moved = cluster.replace('name: edge', 'name: stacks').replace('namespace: team-a', 'namespace: platform')
  fleet.change({ 'clusters/platform/stacks/cluster.yaml': moved, 'clusters/team-a/edge': null })
  const run = async (clusters: readonly string[]): Promise<string> => {
    await fleet.render({ clusters })
    return fleet.read('rendered/handoff/platform/stacks/kustomization.yaml')
  }
  const whole = await run([])
  expect(whole.match(/flux-kustomization-\S+/g)).toEqual([
    'flux-kustomization-stack-docker-classic-1-33-v1.yaml',
    'flux-kustomization-stack-docker-demo-1-34-v3.yaml',
    'flux-kustomization-stacks-addons.yaml',
    'flux-kustomization-stacks.yaml',
  ])
  expect(await run(['platform/stacks'])).toBe(whole)
})

test('a run for one cluster leaves the namespaces of others, and adds none of its own', async () => {
  const fleet = exampleFleet(await tempFolder(), { handoff })
  const run = async (clusters: readonly string[]): Promise<readonly string[]> => {
    const { changes } = await fleet.render({ clusters })
    return changes.map(({ change, path }) => `${change} ${path}`)
  }
  await run([])
  fleet.write('stackmason.yaml', exampleConfig({ handoff: ['createNamespaces: true', ...handoff] }))
  expect(await run(['team-a/edge'])).toEqual([])
  const added = [
    'changed handoff/platform/kustomization.yaml',
    'added handoff/platform/namespace-platform.yaml',
    'changed handoff/team-a/kustomization.yaml',
    'added handoff/team-a/namespace-team-a.yaml',
    'changed handoff/team-b/kustomization.yaml',
    'added handoff/team-b/namespace-team-b.yaml',
  ]
  expect(await run([])).toEqual(added)
  expect(await run(['team-a/edge'])).toEqual([])
  // neither does it take a word to leave them out again
  fleet.write('stackmason.yaml', exampleConfig({ handoff }))
  expect(await run([])).toEqual(added.map((line) => line.replace('added', 'removed')))
})

test.each(['flux', 'argocd'] as const)(
  'a run for one cluster keeps the stack that it leaves, also when no source has that any more: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    const { steps = [] } = await fleet.render({ clusters: ['team-a/web'] })
    expect(steps.map(({ due }) => due.action)).toEqual(['addons'])
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v3/kustomization.yaml')).toBe(true)
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v4')).toBe(false)
  },
)

test.each(['flux', 'argocd'] as const)(
  'a run for one cluster on %s moves no Cluster to a class whose stack no commit applies; its old release may be gone',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    const steps: (readonly string[])[] = []
    const run = async (options: Partial<RenderOptions>): Promise<string | undefined> => {
      const result = await fleet.render(options)
      steps.push(fleet.steps(result))
      fleet.commit()
      return result.steps?.[0]?.due.before[0]?.replaceAll(`${fleet.folder}/`, '')
    }
    const lacks = (what: string): string =>
      `The committed tree does not hold all of this step, so it may not be applied: ${what}. ` +
      'Run `stackmason render` without --cluster and --stack, which writes that too, and commit what it writes; the next step is written after that.'
    const clusters = ['web']
    const stack = 'rendered/stacks/platform/docker-demo-1-34-v4'
    await run({ clusters })
    expect(await run({ clusters })).toBe(lacks(`nothing is in ${stack}`))
    await run({ stacks: ['platform/demo-1-34'] })
    const list = 'rendered/handoff/platform/kustomization.yaml'
    expect(await run({ clusters })).toBe(lacks(`${list}: nothing that this file lists applies ${stack}`))
    await run({})
    fleet.remove(`${stack}/clusterclass-docker-demo-1-34-v4.yaml`)
    fleet.commit()
    expect(await run({ clusters })).toBe(
      lacks(
        `${stack}/clusterclass-docker-demo-1-34-v4.yaml: this file is gone, and ${stack}/kustomization.yaml lists it`,
      ),
    )
    await run({})
    await run({ clusters })
    await run({ clusters })
    expect(steps).toEqual([
      ['addons class'],
      ['wait class'],
      [],
      ['wait class'],
      ['wait class'],
      ['wait class'],
      ['wait class'],
      ['class'],
      [],
    ])
    expect(fleet.state().slice(0, 2)).toEqual(['docker-demo-1-34-v4', 'v1.34.7'])
  },
)

/** What a run says of units that no GitOps tool gets to. */
function unreached(fleet: FleetFolder, { findings }: RenderResult): readonly string[] {
  return findings
    .filter(({ code }) => code === 'HANDOFF_UNREACHED')
    .map(({ file = '', message }) => `${file} ${message}`.replaceAll(`${fleet.folder}/`, ''))
}

const batchUnit = {
  flux: 'rendered/handoff/team-b/batch/flux-kustomization-batch-addons.yaml',
  argocd: 'rendered/handoff/team-b/batch/application-team-b.batch.addons.yaml',
} as const
const ofWeb = 'no GitOps tool gets to the units of team-a/web:'

/** What somebody commits in the folder of another cluster, and what a run for `web` says of it. */
const elsewhere: Readonly<Record<string, readonly [damage: (fleet: FleetFolder) => void, file: string, says: string]>> =
  {
    'no YAML': [(fleet) => fleet.write(batchUnit.flux, 'a: b: c\n'), batchUnit.flux, 'this file holds no object'],
    'conflict markers': [
      (fleet) => fleet.write(batchUnit.flux, `<<<<<<< HEAD\n${fleet.read(batchUnit.flux)}=======\n>>>>>>> x\n`),
      batchUnit.flux,
      'this file holds no object',
    ],
    'a kind that no server knows': [
      (fleet) => fleet.edit(batchUnit.flux, 'kind: Kustomization', 'kind: Kustomisation'),
      batchUnit.flux,
      'this file holds an object that stackmason does not write here',
    ],
    'a file that is cut off': [
      (fleet) => fleet.write(batchUnit.flux, fleet.read(batchUnit.flux).split(/^spec:$/m)[0] ?? ''),
      batchUnit.flux,
      'this file lacks spec.interval',
    ],
    'a file that is gone': [
      (fleet) => fleet.remove(batchUnit.flux),
      batchUnit.flux,
      'this is gone, and rendered/handoff/team-b/batch/kustomization.yaml lists it',
    ],
    'a folder that is gone': [
      (fleet) => fleet.remove('rendered/handoff/team-b/batch'),
      'rendered/handoff/team-b/batch',
      'this is gone, and rendered/handoff/team-b/kustomization.yaml lists it',
    ],
    'a list with further fields': [
      (fleet) =>
        fleet.write(
          'rendered/handoff/team-b/kustomization.yaml',
          `${fleet.read('rendered/handoff/team-b/kustomization.yaml')}resorces: []\n`,
        ),
      'rendered/handoff/team-b/kustomization.yaml',
      'this file changes what it lists',
    ],
    'an object of another cluster': [
      (fleet) =>
        fleet.write(
          'rendered/handoff/team-b/batch/flux-kustomization-batch.yaml',
          fleet.read('rendered/handoff/team-a/web/flux-kustomization-web.yaml'),
        ),
      'rendered/handoff/team-b/batch/flux-kustomization-batch.yaml',
      'this file holds the same object as rendered/handoff/team-a/web/flux-kustomization-web.yaml',
    ],
  }

test.each(Object.entries(elsewhere))(
  'a run for one cluster says what keeps Flux from all of them, and moves no class: %s of another',
  async (_, [damage, file, says]) => {
    const fleet = await handoffFleet('flux', bothClusters)
    wantNext(fleet)
    await fleet.render()
    damage(fleet)
    fleet.commit()
    const clusters = ['team-a/web']
    const narrowed = await fleet.render({ clusters })
    expect(unreached(fleet, narrowed)).toEqual([`${file} ${ofWeb} ${says}`])
    const [due] = (narrowed.steps ?? []).map((step) => step.due)
    expect([due?.action, due?.before[0]?.replaceAll(`${fleet.folder}/`, '')]).toEqual([
      'wait',
      `The committed tree does not hold all of this step, so it may not be applied: ${file}: ${says}. Run \`stackmason render\` without --cluster and --stack, which writes that too, and commit what it writes; the next step is written after that.`,
    ])
    expect(unreached(fleet, await fleet.render({ clusters, check: true }))).toEqual([`${file} ${ofWeb} ${says}`])
    expect(unreached(fleet, await fleet.render())).toEqual([])
    fleet.commit()
    const next = await fleet.render({ clusters })
    expect([unreached(fleet, next), fleet.steps(next)]).toEqual([[], ['class']])
  },
)

test('what breaks in the folder of another cluster keeps Argo CD from none but that', async () => {
  const fleet = await handoffFleet('argocd', bothClusters)
  wantNext(fleet)
  await fleet.render()
  fleet.write(batchUnit.argocd, 'a: b: c\n')
  fleet.commit()
  const next = await fleet.render({ clusters: ['team-a/web'] })
  expect([unreached(fleet, next), fleet.steps(next)]).toEqual([[], ['class']])
})

test.each(['flux', 'argocd'] as const)(
  'a run for one cluster says where the lists above do not name it, and those of a whole run do: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    const clusters = ['team-a/web']
    const told = async (): Promise<unknown> => unreached(fleet, await fleet.render({ clusters }))
    expect(await told()).toEqual([])
    const [root, space] = ['rendered/handoff/kustomization.yaml', 'rendered/handoff/team-a/kustomization.yaml']
    fleet.remove(space)
    expect(await told()).toEqual([`${space} ${ofWeb} this file is gone`])
    await fleet.render()
    fleet.edit(space, /^- .*web.*\n/m, '')
    fleet.commit()
    expect(await told()).toEqual([`${space} ${ofWeb} nothing that this file lists applies web`])
    await fleet.render()
    fleet.edit(root, /^- .*team-a.*\n/m, '')
    fleet.commit()
    expect(await told()).toEqual([`${root} ${ofWeb} nothing that this file lists applies team-a`])
    await fleet.render()
    expect(await told()).toEqual([])
    fleet.remove('rendered/handoff')
    fleet.commit()
    expect(await told()).toContain(`${root} ${ofWeb} this file is gone`)
  },
)

test.each(['flux', 'argocd'] as const)(
  'a run for a new stack says that nothing applies it, until the whole fleet is rendered: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    const stacks = ['platform/demo-1-34']
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    expect(unreached(fleet, await fleet.render({ stacks }))).toEqual([
      'rendered/handoff/platform/kustomization.yaml no GitOps tool gets to the units of platform/docker-demo-1-34-v4: nothing that this file lists applies rendered/stacks/platform/docker-demo-1-34-v4',
    ])
    await fleet.render()
    expect(unreached(fleet, await fleet.render({ stacks }))).toEqual([])
  },
)

test.each(['flux', 'argocd'] as const)(
  'a run for a cluster that has ended says that the list above still names it: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    const clusters = ['team-a/web']
    let told: readonly string[] = []
    for (const step of ['{}', '{step: delete}', '{step: finish}', '{step: finish}']) {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: ${step}}`))
      told = unreached(fleet, await fleet.render({ clusters, allowEmpty: true }))
      fleet.commit()
    }
    const list = 'rendered/handoff/team-a/kustomization.yaml'
    expect(told).toEqual(
      tool === 'flux' ? [`rendered/handoff/team-a/web ${ofWeb} this is gone, and ${list} lists it`] : [],
    )
    expect(unreached(fleet, await fleet.render())).toEqual([])
  },
)
