import { describe, expect, test } from 'vitest'
import { textAt } from '../../src/model/field.ts'
import { fixedEndpoint } from '../../tools/fleets/example-fleet.ts'
import {
  cluster,
  type HandoffFleet,
  handoffFleet,
  options,
  preparedFleet,
  renderedCluster,
  type Tool,
  wantNext,
} from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const ADDONS = 'rendered/clusters/team-a/web/addons'
const CONFIG = `${ADDONS}/01-dns-cache/configmap-dns-cache.yaml`
const AGENT = `${ADDONS}/02-metrics/deployment-metrics-agent.yaml`
const BINDING = 'rendered/clusters/team-a/web/cluster/runtimevalues-web.yaml'

const before = ['docker-demo-1-34-v3', 'v1.34.7', 'new']
const after = ['docker-demo-1-34-v4', 'v1.34.7', 'new']

type Units = 'perOwner' | 'perAddon'

/** A fleet whose addons wait for values, at the first of two steps: both commits are made, and HEAD~1 is before it. */
function atFirstStep(tool: Tool, units: Units): Promise<HandoffFleet> {
  return preparedFleet(`addons before class, ${tool} ${units}`, async () => {
    const fleet = await handoffFleet(tool)
    fleet.edit('stackmason.yaml', /^ {2}handoff:\n/m, `  handoff:\n    units: ${units}\n`)
    fleet.edit(cluster, fixedEndpoint, '')
    await fleet.render()
    fleet.commit()
    wantNext(fleet)
    expect(fleet.steps(await fleet.render())).toEqual(['addons class'])
    fleet.commit()
    return fleet
  })
}

/** The action that is due, and the places that are said not to be of the step; or what the run is refused with. */
async function next(fleet: HandoffFleet): Promise<readonly string[]> {
  const found = fleet.render().then(({ steps = [] }) =>
    steps.flatMap(({ due }) => [
      due.action,
      ...due.before.flatMap((text) => {
        const places = /^The committed tree does not hold all of this step[^:]*: (.*?)\. [A-Z]/.exec(text)?.[1]
        return places?.split('; ') ?? []
      }),
    ]),
  )
  const [problem] = await problemsOf(found, fleet.folder)
  return problem === undefined ? (await found).map((text) => text.replaceAll(`${fleet.folder}/`, '')) : [problem]
}

interface Followed {
  readonly then: readonly string[]
  readonly state: readonly string[]
}

/**
 * Renders once more, and says what comes of it: once for all trees that a wait has restored, as they are equal, and of
 * the commits before them only Clusters are asked for, which none of the changes is about.
 */
function following(): (fleet: HandoffFleet, isRestored: boolean) => Promise<Followed> {
  let known: Followed | undefined
  const follow = async (fleet: HandoffFleet): Promise<Followed> => ({ then: await next(fleet), state: fleet.state() })
  return async (fleet, isRestored) => (isRestored ? (known ??= await follow(fleet)) : follow(fleet))
}

describe.each([
  ['flux', 'perOwner'],
  ['flux', 'perAddon'],
  ['argocd', 'perOwner'],
  ['argocd', 'perAddon'],
] as const)('under %s, with units %s, a class', (tool, units) => {
  test('follows where the commit holds the addons that come before it', async () => {
    const fleet = await atFirstStep(tool, units)
    expect(await next(fleet)).toEqual(['class'])
    expect(fleet.state()).toEqual(after)
  })

  const changed = `${CONFIG} is not as this run writes it`

  const rows: readonly {
    readonly name: string
    readonly change: (fleet: HandoffFleet) => void
    readonly says: string
  }[] = [
    {
      name: 'all addons of the commit before',
      change: (fleet) => fleet.git('checkout', '-q', 'HEAD~1', '--', ADDONS),
      says: changed,
    },
    {
      name: 'an object of the commit before',
      change: (fleet) => fleet.git('checkout', '-q', 'HEAD~1', '--', CONFIG),
      says: changed,
    },
    {
      name: 'an object that somebody edited',
      change: (fleet) => fleet.edit(CONFIG, 'mark: new', 'mark: newer'),
      says: changed,
    },
    {
      name: 'an object with only part of its placeholders',
      change: (fleet) => fleet.edit(BINDING, 'name: CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST', 'name: CLUSTER_HOST'),
      says: `${BINDING} is not as this run writes it`,
    },
    {
      name: 'an object that is left out, and its list says so',
      change(fleet) {
        fleet.remove(AGENT)
        fleet.edit(`${ADDONS}/02-metrics/kustomization.yaml`, '- deployment-metrics-agent.yaml\n', '')
      },
      says: `${ADDONS}/02-metrics lacks Deployment kube-system/metrics-agent`,
    },
    {
      name: 'an object too many, and its list says so',
      change(fleet) {
        fleet.write(`${ADDONS}/02-metrics/configmap-a.yaml`, fleet.read(CONFIG).replace('name: dns-cache', 'name: a'))
        fleet.edit(`${ADDONS}/02-metrics/kustomization.yaml`, 'resources:\n', 'resources:\n- configmap-a.yaml\n')
      },
      says: `${ADDONS}/02-metrics/configmap-a.yaml is not of this step`,
    },
    {
      name: 'a list that patches what it lists',
      change(fleet) {
        const index = `${ADDONS}/02-metrics/kustomization.yaml`
        fleet.write(index, `${fleet.read(index)}namePrefix: x-\n`)
      },
      says: `${ADDONS}/02-metrics/kustomization.yaml is not as this run writes it`,
    },
    {
      name: 'other values since',
      change: (fleet) => fleet.write('clusters/team-a/web/values/metrics.yaml', 'metrics-agent: {replicas: 3}\n'),
      says: `${AGENT} is not as this run writes it`,
    },
    {
      name: 'other values since, and an acknowledgement',
      change(fleet) {
        fleet.write('clusters/team-a/web/values/metrics.yaml', 'metrics-agent: {replicas: 3}\n')
        fleet.write('clusters/team-a/web/options.yaml', options('{upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
      },
      says: `${AGENT} is not as this run writes it`,
    },
  ]

  test('waits until the GitOps tool reaches the units', { timeout: 300_000 }, async () => {
    const fleet = await atFirstStep(tool, units)
    const whole = fleet.git('rev-parse', 'HEAD:rendered')
    const [root, namespace] = ['rendered/handoff', 'rendered/handoff/team-a']
    const listed = { [root]: 'team-a', [namespace]: 'web' }
    const follow = following()
    const found: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    const check = async (change: string, says: string): Promise<void> => {
      fleet.commit()
      const again = await next(fleet)
      const held = fleet.state()
      fleet.commit()
      const isRestored = fleet.git('rev-parse', 'HEAD:rendered') === whole
      found[change] = { again: again.slice(0, 2), held, isRestored, ...(await follow(fleet, isRestored)) }
      expected[change] = { again: ['wait', says], held: before, isRestored: true, then: ['class'], state: after }
      fleet.git('reset', '--hard', '-q', start)
      fleet.git('clean', '-fdq')
    }
    const start = fleet.git('rev-parse', 'HEAD').trim()
    for (const [folder, name] of Object.entries(listed)) {
      const index = `${folder}/kustomization.yaml`
      const held = `application-${folder === root ? name : `team-a.${name}`}.handoff.yaml`
      const line = tool === 'flux' ? `- ${name}\n` : `- ${held}\n`
      fleet.edit(index, line, '')
      await check(`unlisted in ${index}`, `${index}: nothing that this file lists applies ${name}`)
      fleet.remove(index)
      await check(`without ${index}`, `${index}: this file is gone`)
      fleet.edit(index, /^apiVersion.*\n/m, '<<<<<<< ours\n$&=======\n$&>>>>>>> theirs\n')
      await check(`conflict in ${index}`, `${index}: this file holds no object`)
      if (tool === 'flux') continue
      const application = `${folder}/${held}`
      fleet.remove(application)
      await check(`without ${application}`, `${application}: this is gone, and ${index} lists it`)
      fleet.edit(application, /path: .*\n/, 'path: rendered/handoff/other\n')
      await check(`other path in ${application}`, `${index}: nothing that this file lists applies ${name}`)
    }
    expect(found).toEqual(expected)
  })

  test('waits until the units are those of the step', { timeout: 300_000 }, async () => {
    const fleet = await atFirstStep(tool, units)
    const whole = fleet.git('rev-parse', 'HEAD:rendered')
    const folder = 'rendered/handoff/team-a/web'
    const [own = ''] = fleet.filesBelow(folder).filter((name) => name.includes('addons'))
    const file = `${folder}/${own}`
    const differs = `${file} is not as this run writes it`
    const edits: Readonly<Record<Tool, readonly (readonly [RegExp, string])[]>> = {
      flux: [
        [/^ {4}name: fleet\n/m, '    name: other\n'],
        [/name: web-kubeconfig/, 'name: other-kubeconfig'],
        [/^ {2}interval: .*\n/m, '$&  dependsOn:\n  - name: never\n'],
      ],
      argocd: [
        [/repoURL: .*\n/, 'repoURL: https://git.example.com/other.git\n'],
        [/targetRevision: .*\n/, 'targetRevision: other\n'],
      ],
    }
    const start = fleet.git('rev-parse', 'HEAD').trim()
    const follow = following()
    const found: unknown[] = []
    const expected: unknown[] = []
    const check = async (says: string): Promise<void> => {
      fleet.commit()
      const again = await next(fleet)
      const held = fleet.state()
      fleet.commit()
      const isRestored = fleet.git('rev-parse', 'HEAD:rendered') === whole
      found.push({ again: again.slice(0, 2), held, isRestored, ...(await follow(fleet, isRestored)) })
      expected.push({ again: ['wait', says], held: before, isRestored: true, then: ['class'], state: after })
      fleet.git('reset', '--hard', '-q', start)
      fleet.git('clean', '-fdq')
    }
    for (const [from, to] of edits[tool]) {
      fleet.edit(file, from, to)
      await check(differs)
    }
    fleet.write(
      file,
      `${fleet.read(file)}---\n${fleet.read(file).replace('docker-demo-1-34-v4', 'docker-demo-1-34-v3')}`,
    )
    await check(`${file}: this file holds more than one object`)
    const index = `${folder}/kustomization.yaml`
    fleet.write(index, `${fleet.read(index)}namePrefix: x-\n`)
    await check(`${index}: this file changes what it lists`)
    expect(found).toEqual(expected)
  })

  test('waits for as long as the cluster is suspended after the first step', async () => {
    const fleet = await atFirstStep(tool, units)
    const suspended = 'clusters/team-a/web/options.yaml'
    const resume = `remove \`suspend\` from ${suspended}, render and commit; the next step is written after that.`
    const run = async (): Promise<readonly (readonly string[])[]> => {
      const { steps = [] } = await fleet.render()
      return steps.map(({ due }) => [due.action, ...due.before.slice(0, 1), String(due.before.length)])
    }
    fleet.write(suspended, options('{suspend: true}'))
    // of Argo CD also how its syncs end
    const more = tool === 'argocd' ? 1 : 0
    const suspends = [
      ['wait', `This run suspends the cluster, so the upgrade waits. For it to go on, ${resume}`, String(1 + more)],
    ]
    expect(await run()).toEqual(suspends)
    fleet.write(suspended, options('{suspend: true, upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
    expect(await run()).toEqual(suspends)
    fleet.write(suspended, options('{suspend: true}'))
    fleet.commit()
    expect(await run()).toEqual([
      ['wait', `The committed tree suspends the cluster, so this step is not applied: ${resume}`, String(3 + more)],
    ])
    fleet.write(suspended, options('{upgrade: {addonsApplied: docker-demo-1-34-v4}}'))
    const resumes =
      'The committed tree suspends the cluster, so this step is not applied: commit what this run writes, which resumes it; the next step is written after that.'
    expect(await run()).toEqual([['wait', resumes, '3']])
    fleet.remove(suspended)
    expect(await run()).toEqual([['wait', resumes, '3']])
    expect(fleet.state()).toEqual(before)
    fleet.commit()
    expect(await next(fleet)).toEqual(['class'])
  })

  test('waits, too, where the suspension comes with other units', async () => {
    const fleet = await atFirstStep(tool, units)
    fleet.write('clusters/team-a/web/options.yaml', options('{suspend: true}'))
    fleet.edit('stackmason.yaml', `units: ${units}`, `units: ${units === 'perOwner' ? 'perAddon' : 'perOwner'}`)
    expect((await next(fleet))[0]).toBe('wait')
    expect(fleet.state()).toEqual(before)
    fleet.commit()
    expect((await next(fleet))[0]).toBe('wait')
    fleet.remove('clusters/team-a/web/options.yaml')
    expect((await next(fleet))[0]).toBe('wait')
    expect(fleet.state()).toEqual(before)
  })

  test('waits once more for addons that the commit has otherwise', { timeout: 300_000 }, async () => {
    const fleet = await atFirstStep(tool, units)
    const whole = fleet.git('rev-parse', 'HEAD:rendered')
    const follow = following()
    const found: Record<string, unknown> = {}
    for (const { name, change } of rows) {
      const start = fleet.git('rev-parse', 'HEAD').trim()
      change(fleet)
      fleet.commit()
      const again = (await next(fleet)).slice(0, 2)
      const held = fleet.state()
      fleet.commit()
      const isRestored = fleet.git('rev-parse', 'HEAD:rendered') === whole
      found[name] = { again, held, isRestored, ...(await follow(fleet, isRestored)) }
      fleet.git('reset', '--hard', '-q', start)
      fleet.git('clean', '-fdq')
    }
    const expected = rows.map(({ name, says }) => [
      name,
      { again: ['wait', says], held: before, isRestored: !says.startsWith(AGENT), then: ['class'], state: after },
    ])
    expect(found).toEqual(Object.fromEntries(expected))
  })

  test('waits for the objects of an addon of the cluster, too', async () => {
    const fleet = await atFirstStep(tool, units)
    const own = 'clusters/team-a/web/notes/notes.yaml'
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes, namespace: kube-system}\ndata: {a: b}\n'
    fleet.write(own, map)
    fleet.write(
      'clusters/team-a/web/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: notes, templates: {path: notes}}]}\n',
    )
    const places = [
      'rendered/clusters/team-a/web/addons-own/notes lacks ConfigMap kube-system/notes',
      'rendered/clusters/team-a/web/addons-own/notes/configmap-notes.yaml is not as this run writes it',
    ]
    for (const [at, place] of places.entries()) {
      fleet.write(own, map.replace('a: b', `a: b${String(at)}`))
      expect(await next(fleet)).toEqual(['wait', place])
      fleet.commit()
    }
    expect(await next(fleet)).toEqual(['class'])
  })

  test('waits for a file that holds no object to be restored, by this run if no object can be lost with it', async () => {
    const fleet = await atFirstStep(tool, units)
    fleet.write(CONFIG, '{')
    fleet.commit()
    expect(await next(fleet)).toEqual(
      units === 'perOwner'
        ? ['wait', `${CONFIG} holds no object`]
        : [
            `OBJECT_INVALID ${CONFIG} the file as it is committed holds no object | Restore the file from the last commit in which it was whole, commit that, and render again.`,
          ],
    )
  })

  test('waits once for another division of the same addons among units', async () => {
    const fleet = await atFirstStep(tool, units)
    fleet.edit('stackmason.yaml', `units: ${units}`, `units: ${units === 'perOwner' ? 'perAddon' : 'perOwner'}`)
    const seen: unknown[] = []
    for (let run = 0; run < 3; run++) {
      seen.push((await next(fleet))[0])
      fleet.commit()
    }
    expect(seen).toEqual(['wait', 'class', undefined])
  })
})

test('names the first places where there are many', async () => {
  const fleet = await atFirstStep('flux', 'perOwner')
  for (const file of fleet.filesBelow(ADDONS))
    if (file.startsWith('02-metrics/') && !file.endsWith('kustomization.yaml'))
      fleet.edit(`${ADDONS}/${file}`, /^metadata:\n/m, 'metadata:\n  generation: 1\n')
  fleet.commit()
  expect(await next(fleet)).toEqual([
    'wait',
    ...['serviceaccount', 'clusterrole', 'clusterrolebinding'].map((kind) => {
      const name = kind === 'serviceaccount' ? 'metrics-agent' : 'system_metrics-agent'
      return `${ADDONS}/02-metrics/${kind}-${name}.yaml is not as this run writes it`
    }),
    'and 1 more',
  ])
  expect(fleet.read(renderedCluster)).toContain('docker-demo-1-34-v3')
})

test.each(['flux', 'argocd'] as const)('the class follows where the path of the tree has a space: %s', async (tool) => {
  const fleet = await handoffFleet(tool)
  fleet.git('mv', 'rendered', 'my tree')
  fleet.edit('stackmason.yaml', /^spec:\n/m, 'spec:\n  output: { path: my tree }\n')
  fleet.edit('stackmason.yaml', /path: (\.\/)?rendered/, 'path: $1my tree')
  await fleet.render()
  fleet.commit()
  wantNext(fleet)
  const steps = [await fleet.render(), await fleet.render()].map((result) => fleet.steps(result))
  fleet.commit()
  expect([...steps, fleet.steps(await fleet.render())]).toEqual([['addons class'], ['addons class'], ['class']])
  expect(
    textAt(fleet.object(renderedCluster.replace('rendered', 'my tree')), 'spec', 'topology', 'classRef', 'name'),
  ).toBe(after[0])
})
