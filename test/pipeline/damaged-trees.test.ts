import { existsSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { problemsOf } from './remote-fleet.ts'
import { bothClusters, type HandoffFleet, handoffFleet, options, type Tool, wantNext } from './handoff-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const HANDOFF = 'rendered/handoff/team-a/web'

/** What somebody does to the tree of `web` by hand: every file and folder is a kind of its own. */
const damages: Readonly<Record<string, string>> = {
  'all of it': TREE,
  'the folder of the Cluster': `${TREE}/cluster`,
  'the Cluster': `${TREE}/cluster/cluster-web.yaml`,
  'the list of the Cluster': `${TREE}/cluster/kustomization.yaml`,
  'all addons': `${TREE}/addons`,
  'the list of addons': `${TREE}/addons/kustomization.yaml`,
  'an addon': `${TREE}/addons/01-dns-cache`,
  'the list of an addon': `${TREE}/addons/01-dns-cache/kustomization.yaml`,
  'an object': `${TREE}/addons/01-dns-cache/configmap-dns-cache.yaml`,
  'all units': HANDOFF,
  'the list of units': `${HANDOFF}/kustomization.yaml`,
  'the unit of addons': `${HANDOFF}/{flux-kustomization-web-addons,application-team-a.web.addons}.yaml`,
  'the unit of the Cluster': `${HANDOFF}/{flux-kustomization-web,application-team-a.web.cluster}.yaml`,
}

type Damage = 'removed on disk' | 'removed in a commit' | 'emptied in a commit'

/** What a render comes to, by state, kind of damage, and what is damaged; `else` for all others. */
const states: Readonly<
  Record<
    string,
    { readonly spec: string; readonly wanted: Readonly<Partial<Record<Damage, Readonly<Record<string, string>>>>> }
  >
> = {
  frozen: {
    spec: '{freeze: true}',
    wanted: {
      'removed on disk': { else: 'restored' },
      'removed in a commit': {
        'all of it': 'FREEZE_NOTHING',
        'the folder of the Cluster': 'FREEZE_NOTHING',
        'the Cluster': 'FREEZE_NOTHING',
        'all units': 'restored',
        else: 'COMMITTED_TREE_BROKEN',
      },
      'emptied in a commit': { else: 'OBJECT_INVALID' },
    },
  },
  'prepared for its end': {
    spec: '{decommission: {}}',
    wanted: {
      'removed in a commit': { 'all units': 'restored', else: 'COMMITTED_TREE_BROKEN' },
      'emptied in a commit': { else: 'OBJECT_INVALID' },
    },
  },
  suspended: {
    spec: '{suspend: true}',
    wanted: {
      'removed in a commit': {
        'all of it': 'COMMITTED_TREE_BROKEN',
        'the folder of the Cluster': 'COMMITTED_TREE_BROKEN',
        'the Cluster': 'COMMITTED_TREE_BROKEN',
        else: 'restored',
      },
      'emptied in a commit': {
        'the Cluster': 'OBJECT_INVALID',
        'the list of addons': 'OBJECT_INVALID',
        else: 'restored',
      },
    },
  },
}

function pathOf(fleet: HandoffFleet, pattern: string, tool: Tool): string {
  const path = pattern.replace(/\{(.*),(.*)\}/, (_, flux: string, argocd: string) => (tool === 'flux' ? flux : argocd))
  if (!existsSync(fleet.path(path))) throw new Error(`${path} is not there`)
  return path
}

/** What a render comes to: the tree as it was, or the code that it is refused with; anything else is named. */
async function outcome(fleet: HandoffFleet, whole: Readonly<Record<string, string>>): Promise<string> {
  const before = treeOf(fleet)
  try {
    await fleet.render()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    const touched = differences(before, treeOf(fleet))
    return [...new Set(error.diagnostics.map(({ code }) => code)), ...touched.map((path) => `TOUCHES ${path}`)].join(
      ' ',
    )
  }
  const changed = differences(whole, treeOf(fleet))
  return changed.length === 0 ? 'restored' : `CHANGES ${changed.join(' ')}`
}

function treeOf(fleet: HandoffFleet): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fleet
      .filesBelow('rendered')
      .filter((path) => !path.startsWith('.stackmason/'))
      .map((path) => [path, fleet.read(`rendered/${path}`)]),
  )
}

function differences(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path])
}

describe.each(['flux', 'argocd'] as const)('what somebody damages in the tree under %s', (tool) => {
  test.each(Object.entries(states))(
    'of a cluster that is %s takes no unit and no object away',
    async (_, { spec, wanted }) => {
      const fleet = await handoffFleet(tool, bothClusters)
      fleet.write('clusters/team-a/web/options.yaml', options(spec))
      await fleet.render()
      fleet.commit()
      const whole = treeOf(fleet)
      const found: Record<string, string> = {}
      const expected: Record<string, string> = {}
      for (const [how, outcomes] of Object.entries(wanted)) {
        for (const [name, pattern] of Object.entries(damages)) {
          const path = pathOf(fleet, pattern, tool)
          const isCommitted = how.endsWith('in a commit')
          if (how.startsWith('removed')) fleet.remove(path)
          else if (statSync(fleet.path(path)).isFile()) fleet.write(path, '')
          else continue
          if (isCommitted) fleet.commit()
          found[`${name}, ${how}`] = await outcome(fleet, whole)
          expected[`${name}, ${how}`] = outcomes[name] ?? outcomes['else'] ?? ''
          fleet.git('reset', '--hard', '-q', isCommitted ? 'HEAD~1' : 'HEAD')
          fleet.git('clean', '-fdq')
        }
      }
      expect(found).toEqual(expected)
    },
  )

  test('is said with the place and the commit to take it from', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    await fleet.render()
    const commit = fleet.commit().slice(0, 12)
    const unit = pathOf(fleet, damages['the unit of addons'] ?? '', tool)
    const wayBack = `Run \`git restore --source=${commit} --staged --worktree -- FLEET/${TREE} FLEET/${HANDOFF}\`, where the cluster last was whole, commit that, and render again.`
    const told = async (damage: () => void): Promise<readonly string[]> => {
      damage()
      fleet.commit()
      const problems = await problemsOf(fleet.render(), fleet.folder)
      expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual(problems)
      fleet.git('reset', '--hard', '-q', 'HEAD~1')
      return problems.map((text) => text.replaceAll(fleet.folder, 'FLEET'))
    }
    const addons = `${TREE}/addons`
    const stays = 'team-a/web stays as it is committed, but'
    expect(await told(() => fleet.remove(addons))).toEqual([
      `COMMITTED_TREE_BROKEN ${addons} ${stays} this folder is gone, and FLEET/${unit} applies it | ${wayBack}`,
    ])
    const index = `${addons}/kustomization.yaml`
    expect(await told(() => fleet.remove(index))).toEqual([
      `COMMITTED_TREE_BROKEN ${index} ${stays} this file is gone, and FLEET/${unit} applies it | ${wayBack}`,
    ])
    expect(await told(() => fleet.edit(index, '- 01-dns-cache\n', ''))).toEqual([
      `COMMITTED_TREE_BROKEN ${index} ${stays} this file does not list 01-dns-cache, and nothing else applies that folder | ${wayBack}`,
    ])
    const object = `${addons}/01-dns-cache/configmap-dns-cache.yaml`
    expect(await told(() => fleet.remove(object))).toEqual([
      `COMMITTED_TREE_BROKEN ${object} ${stays} this file is gone, and FLEET/${addons}/01-dns-cache/kustomization.yaml lists it | ${wayBack}`,
    ])
    expect(await told(() => fleet.write(object, '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n'))).toEqual([
      `OBJECT_INVALID ${object} the file as it is committed has conflict markers of git | Restore the file from the last commit in which it was whole, commit that, and render again.`,
    ])
    expect(await told(() => fleet.write(unit, '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n'))).toEqual([
      `OBJECT_INVALID ${unit} the file as it is committed has conflict markers of git | Restore the file from the last commit in which it was whole, commit that, and render again.`,
    ])
  })

  test('is said where no unit of a frozen cluster is committed', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    const told = async (): Promise<unknown> => (await fleet.render()).steps?.map(({ due }) => due.before)
    expect(await told()).toEqual([[]])
    fleet.commit()
    fleet.remove(HANDOFF)
    fleet.commit()
    expect(await told()).toEqual([['No unit of it is committed: this run writes them again.']])
  })

  test('is not what an edit in a commit is: that stays, and so does a file that nothing lists', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    await fleet.render()
    fleet.edit(`${TREE}/addons/01-dns-cache/configmap-dns-cache.yaml`, '169.254.20.10:8080', '169.254.20.10:9090')
    fleet.write(`${TREE}/addons/01-dns-cache/notes.yaml`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\n')
    fleet.commit()
    const whole = treeOf(fleet)
    await fleet.render()
    const changed = differences(whole, treeOf(fleet))
    expect(changed).toEqual([])
  })

  test('is refused where the class of a release is damaged that no source has any more', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    wantNext(fleet)
    await fleet.render()
    const commit = fleet.commit().slice(0, 12)
    const stack = 'rendered/stacks/platform/docker-demo-1-34-v3'
    const index = `${stack}/kustomization.yaml`
    const object = `${stack}/clusterclass-docker-demo-1-34-v3.yaml`
    const copy = `${stack}/clusterclass-copy.yaml`
    const told = async (damage: () => void): Promise<readonly string[]> => {
      damage()
      fleet.commit()
      const problems = await problemsOf(fleet.render(), fleet.folder)
      const command = /git restore [^)`]*/.exec(problems.join(' '))?.[0] ?? ''
      fleet.git(...command.split(' ').slice(1))
      fleet.commit()
      if (fleet.has(copy)) fleet.remove(copy)
      expect([fleet.steps(await fleet.render()), fleet.has(object)]).toEqual([['class'], true])
      fleet.git('reset', '--hard', '-q', commit)
      return problems.map((text) => text.replaceAll(fleet.folder, 'FLEET'))
    }
    const stays =
      'no source has release docker-demo-1-34-v3 any more, so its class in namespace platform stays as it is committed, but'
    const wayBack = `Run \`git restore --source=${commit} --staged --worktree -- FLEET/${stack}\`, where the class last was whole, commit that, and render again.`
    expect(await told(() => fleet.remove(object))).toEqual([
      `COMMITTED_TREE_BROKEN ${object} ${stays} this file is gone, and FLEET/${index} lists it | ${wayBack}`,
    ])
    expect(await told(() => fleet.remove(stack))).toEqual([
      `COMMITTED_TREE_BROKEN ${stack} ${stays} this folder is gone | ${wayBack}`,
    ])
    expect(await told(() => fleet.write(copy, fleet.read(object)))).toEqual([
      `COMMITTED_TREE_BROKEN ${index} ${stays} this file does not list clusterclass-copy.yaml, which lies beside it | ${wayBack}`,
    ])
  })

  test('is refused where a Cluster is cut off', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    const file = `${TREE}/cluster/cluster-web.yaml`
    fleet.write(file, fleet.read(file).split(/^spec:$/m)[0] ?? '')
    fleet.commit()
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `OBJECT_INVALID ${file} the file as it is committed names no class and version of its Cluster | Restore the file from the last commit in which it was whole, commit that, and render again.`,
    ])
  })

  test('is refused where the class of a Cluster is no release', async () => {
    const fleet = await handoffFleet(tool)
    const file = `${TREE}/cluster/cluster-web.yaml`
    fleet.edit(file, 'name: docker-demo-1-34-v3', 'name: Foo')
    fleet.commit()
    const said =
      'the file as it is committed names a class that is no release: it has 1 part between dashes instead of 5 or 6, as in <provider>-<stack>-<major>-<minor>-<version with a dot>'
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `OBJECT_INVALID ${file} ${said} | Restore the file from the last commit in which it was whole, commit that, and render again.`,
    ])
    fleet.git('checkout', '-q', 'HEAD~1', '--', file)
    fleet.commit()
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  })

  /** What the next render makes of a commit that is damaged while a step is under way: its steps, or what it refuses. */
  async function next(fleet: HandoffFleet, damage: () => void): Promise<string> {
    damage()
    fleet.commit()
    let said: string
    try {
      const { steps = [] } = await fleet.render()
      said = steps.map(({ due }) => due.action).join(' ')
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      said = error.diagnostics.map(({ code }) => code).join(' ')
    }
    fleet.git('reset', '--hard', '-q', 'HEAD~1')
    fleet.git('clean', '-fdq')
    return said
  }

  test.each([
    ['runs', undefined, 'class'],
    ['is suspended', '{suspend: true}', 'wait'],
  ])('counts no step of an upgrade as applied that the commit does not hold whole: it %s', async (_, spec, whole) => {
    const fleet = await handoffFleet(tool, bothClusters)
    if (spec !== undefined) fleet.write('clusters/team-a/web/options.yaml', options(spec))
    await fleet.render()
    const before = fleet.git('rev-parse', 'HEAD').trim()
    if (spec !== undefined) fleet.commit()
    wantNext(fleet)
    await fleet.render()
    fleet.commit()
    expect(await next(fleet, () => fleet.write('notes.md', 'x'))).toBe(whole)
    const found: Record<string, string> = {}
    for (const [name, pattern] of Object.entries(damages)) {
      const path = pathOf(fleet, pattern, tool)
      found[name] = await next(fleet, () => fleet.remove(path))
    }
    found['units of the commit before'] = await next(fleet, () => {
      fleet.git('checkout', '-q', before, '--', HANDOFF)
    })
    expect(found).toEqual({
      ...Object.fromEntries(Object.keys(damages).map((name) => [name, 'wait'])),
      'all of it': 'COMMITTED_TREE_BROKEN',
      'the folder of the Cluster': 'COMMITTED_TREE_BROKEN',
      'the Cluster': 'COMMITTED_TREE_BROKEN',
      'units of the commit before': 'wait',
    })
  })

  test('takes no Cluster out whose addons are not suspended in the commit, nor a unit that takes nothing along', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    const commits = [fleet.git('rev-parse', 'HEAD').trim()]
    const limits = ['{}', '{step: delete}', '{step: finish}']
    const found: Record<string, string> = {}
    const advance = async (spec: string): Promise<void> => {
      fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: ${spec}}`))
      await fleet.render()
      commits.push(fleet.commit())
    }
    for (const [index, spec] of limits.entries()) {
      await advance(spec)
      const goOn = (): void =>
        fleet.write(
          'clusters/team-a/web/options.yaml',
          options(`{decommission: ${limits[index + 1] ?? '{step: finish}'}}`),
        )
      found[`${spec}: whole`] = await next(fleet, goOn)
      found[`${spec}: units of the commit before`] = await next(fleet, () => {
        fleet.git('checkout', '-q', commits.at(-2) ?? '', '--', HANDOFF)
        goOn()
      })
      found[`${spec}: no units`] = await next(fleet, () => {
        fleet.remove(HANDOFF)
        goOn()
      })
      found[`${spec}: no Cluster, and nothing in its place`] = await next(fleet, () => {
        for (const file of fleet.filesBelow(`${TREE}/cluster`))
          if (!file.endsWith('kustomization.yaml')) fleet.remove(`${TREE}/cluster/${file}`)
        goOn()
      })
      found[`${spec}: another name`] = await next(fleet, () => {
        for (const file of fleet.filesBelow(`${TREE}/cluster`))
          if (/^(?:cluster|configmap)-/.test(file)) fleet.edit(`${TREE}/cluster/${file}`, '  name: web', '  name: xweb')
        goOn()
      })
    }
    expect(found).toEqual({
      '{}: whole': 'delete',
      '{}: units of the commit before': 'wait',
      '{}: no units': 'wait',
      '{}: no Cluster, and nothing in its place': 'COMMITTED_TREE_BROKEN',
      '{}: another name': 'COMMITTED_TREE_BROKEN',
      '{step: delete}: whole': 'release',
      '{step: delete}: units of the commit before': 'release',
      '{step: delete}: no units': 'wait',
      '{step: delete}: no Cluster, and nothing in its place': 'COMMITTED_TREE_BROKEN',
      '{step: delete}: another name': 'COMMITTED_TREE_BROKEN',
      '{step: finish}: whole': 'remove',
      '{step: finish}: units of the commit before': 'COMMITTED_TREE_BROKEN',
      '{step: finish}: no units': 'wait',
      '{step: finish}: no Cluster, and nothing in its place': 'COMMITTED_TREE_BROKEN',
      '{step: finish}: another name': 'COMMITTED_TREE_BROKEN',
    })
  })
})
