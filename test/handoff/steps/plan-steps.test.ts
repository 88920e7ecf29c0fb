import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { findPastAcknowledgement } from '../../../src/handoff/steps/acknowledgement-state.ts'
import { withField } from '../../../src/model/field.ts'
import type { Cluster } from '../../../src/model/fleet.ts'
import type { ClusterOptions } from '../../../src/model/steps.ts'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { committedIn, offered, renderStep, stateIn, type Tree } from './run-steps.ts'
import { classOf, sampleCluster, versionOf } from './sample-cluster.ts'

/** What the plan is refused with. */
async function refusalOf(...given: Parameters<typeof renderStep>): Promise<readonly Diagnostic[]> {
  return diagnosticsOf(Promise.resolve().then(() => renderStep(...given)))
}

/** The tree after the cluster was made at this release, and then rendered and committed for these others, once each. */
function treeAfter(...shorts: readonly string[]): Tree {
  return shorts.reduce<Tree>((tree, short) => renderStep(sampleCluster(short), tree).tree, new Map())
}

/** `action: state` of each render and commit until nothing changes any more. */
function runToEnd(cluster: Cluster, start: Tree, limit = 20): readonly string[] {
  const seen: string[] = []
  for (let tree = start; seen.length < limit;) {
    const next = renderStep(cluster, tree)
    seen.push(`${next.plan.due.action}: ${stateIn(next.tree)}`)
    if (stateIn(next.tree) === stateIn(tree) && sameFiles(tree, next.tree)) return seen
    tree = next.tree
  }
  return [...seen, 'does not end']
}

function sameFiles(a: Tree, b: Tree): boolean {
  return a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)
}

const cases: readonly {
  readonly name: string
  readonly committed: Tree
  readonly wanted: string
  readonly options?: Partial<ClusterOptions>
  readonly want: readonly string[]
}[] = [
  {
    name: 'a new cluster is written at once',
    committed: new Map(),
    wanted: '1-34-v1',
    want: ['create: 1-34-v1@v1.34.1 addons 1-34-v1', 'keep: 1-34-v1@v1.34.1 addons 1-34-v1'],
  },
  {
    name: 'the next minor version: addons, then class and version',
    committed: treeAfter('1-32-v1'),
    wanted: '1-33-v1',
    want: [
      'addons: 1-32-v1@v1.32.1 addons 1-33-v1',
      'class: 1-33-v1@v1.33.1 addons 1-33-v1',
      'keep: 1-33-v1@v1.33.1 addons 1-33-v1',
    ],
  },
  {
    name: 'a newer release of the same minor version',
    committed: treeAfter('1-32-v1'),
    wanted: '1-32-v2',
    want: [
      'addons: 1-32-v1@v1.32.1 addons 1-32-v2',
      'class: 1-32-v2@v1.32.2 addons 1-32-v2',
      'keep: 1-32-v2@v1.32.2 addons 1-32-v2',
    ],
  },
  {
    name: 'several minor versions: one after the other, the newest release of each',
    committed: treeAfter('1-32-v2'),
    wanted: '1-34-v1',
    want: [
      'addons: 1-32-v2@v1.32.2 addons 1-33-v3',
      'class: 1-33-v3@v1.33.3 addons 1-33-v3',
      'addons: 1-33-v3@v1.33.3 addons 1-34-v1',
      'class: 1-34-v1@v1.34.1 addons 1-34-v1',
      'keep: 1-34-v1@v1.34.1 addons 1-34-v1',
    ],
  },
  {
    name: 'an upgrade that is under way to a release goes on through that release',
    committed: treeAfter('1-32-v1', '1-33-v1'),
    wanted: '1-34-v1',
    want: [
      'class: 1-33-v1@v1.33.1 addons 1-33-v1',
      'addons: 1-33-v1@v1.33.1 addons 1-34-v1',
      'class: 1-34-v1@v1.34.1 addons 1-34-v1',
      'keep: 1-34-v1@v1.34.1 addons 1-34-v1',
    ],
  },
  {
    name: 'an upgrade that is taken back after its addons',
    committed: treeAfter('1-32-v1', '1-33-v1'),
    wanted: '1-32-v1',
    want: ['addons: 1-32-v1@v1.32.1 addons 1-32-v1', 'keep: 1-32-v1@v1.32.1 addons 1-32-v1'],
  },
  {
    name: 'a frozen cluster stays, also between two steps',
    committed: treeAfter('1-32-v1', '1-33-v1'),
    wanted: '1-33-v1',
    options: { isFrozen: true },
    want: ['freeze: 1-32-v1@v1.32.1 addons 1-33-v1'],
  },
]

describe('render and commit, again and again', () => {
  it.each(cases)('$name', ({ committed, wanted, options, want }) => {
    expect(runToEnd(sampleCluster(wanted, options), committed)).toEqual(want)
  })

  test('an older release of the same Kubernetes version takes two steps, too', () => {
    const newer = renderStep(sampleCluster('1-33-v3', {}, 'v1.33.5'), new Map()).tree
    expect(runToEnd(sampleCluster('1-33-v1', {}, 'v1.33.5'), newer)).toEqual([
      'addons: 1-33-v3@v1.33.5 addons 1-33-v1',
      'class: 1-33-v1@v1.33.5 addons 1-33-v1',
      'keep: 1-33-v1@v1.33.5 addons 1-33-v1',
    ])
  })
})

describe('the plan', () => {
  test('names what is written, what follows, and what to check before that', () => {
    const { plan } = renderStep(sampleCluster('1-34-v1'), treeAfter('1-33-v3'))
    expect(plan).toEqual({
      cluster: { name: 'web', namespace: 'team-a' },
      suspends: 'none',
      content: 'rendered',
      clusterObject: 'held',
      target: 'docker-scs-1-34-v1',
      classes: ['docker-scs-1-33-v3'],
      due: {
        action: 'addons',
        className: 'docker-scs-1-33-v3',
        addons: 'docker-scs-1-34-v1',
        summary: 'addons of docker-scs-1-34-v1; the Cluster stays at docker-scs-1-33-v3',
        before: [
          "The GitOps tool has applied this commit's addons of web: every unit of its addons is ready, and so are the addons' pods.",
        ],
      },
      then: [
        {
          action: 'class',
          className: 'docker-scs-1-34-v1',
          addons: 'docker-scs-1-34-v1',
          summary: 'class docker-scs-1-34-v1, version v1.34.1',
          before: [],
        },
      ],
    })
  })

  test('keeps the stack of the class that the cluster leaves while it leaves it', () => {
    const { plan } = renderStep(sampleCluster('1-33-v1'), treeAfter('1-32-v1', '1-33-v1'))
    expect(plan.classes).toEqual(['docker-scs-1-32-v1', 'docker-scs-1-33-v1'])
  })

  test('suspends all units of a suspended cluster', () => {
    expect(renderStep(sampleCluster('1-33-v1', { isSuspended: true }), new Map()).plan.suspends).toBe('all')
  })
})

const refusals: readonly {
  readonly name: string
  readonly wanted: Cluster
  readonly committed: string
  readonly offered?: readonly string[]
  readonly want: readonly string[]
}[] = [
  {
    name: 'a minor version without a release on offer',
    committed: '1-32-v1',
    wanted: sampleCluster('1-35-v1'),
    offered: ['1-32-v1', '1-33-v1', '1-35-v1'],
    want: [
      'UPGRADE_SKIPS_MINOR team-a/web is at Kubernetes v1.32.1 and cannot go to v1.35.1 at once; the way there is 1.33 (docker-scs-1-33-v1), then 1.34 (no release on offer), then docker-scs-1-35-v1',
    ],
  },
  {
    name: 'a minor version with several releases that have no order',
    committed: '1-32-v1',
    wanted: sampleCluster('1-34-v1'),
    offered: ['1-33-v0-sha.aaaaaaa', '1-33-v0-sha.bbbbbbb'],
    want: [
      'UPGRADE_SKIPS_MINOR team-a/web is at Kubernetes v1.32.1 and cannot go to v1.34.1 at once; the way there is 1.33 (no release on offer), then docker-scs-1-34-v1',
    ],
  },
  {
    name: 'a lower minor version',
    committed: '1-33-v1',
    wanted: sampleCluster('1-32-v2'),
    want: ['UPGRADE_GOES_BACK team-a/web is at Kubernetes v1.33.1 and cannot go back to v1.32.2'],
  },
  {
    name: 'a lower patch version',
    committed: '1-33-v3',
    wanted: sampleCluster('1-33-v1'),
    want: ['UPGRADE_GOES_BACK team-a/web is at Kubernetes v1.33.3 and cannot go back to v1.33.1'],
  },
]

describe('another stack or provider in place', () => {
  /** The sample cluster with its class taken from another stack. */
  const at = (className: string, version = 'v1.34.1'): Cluster => {
    const cluster = sampleCluster('1-34-v1')
    const object = withField(cluster.object, ['spec', 'topology', 'classRef', 'name'], className)
    return { ...cluster, object: withField(object, ['spec', 'topology', 'version'], version), className, version }
  }
  const toOther = (stack: string, provider: string): string =>
    `Cluster API cannot move a running cluster from provider docker to ${provider}, and addons made for ${provider} would replace those that it runs with | Put class docker-scs-1-34-v1 back, or another release of docker-scs. To move to ${stack}, make a new cluster under another name in clusters/team-a/, move the workloads there, and decommission web.`
  const toFerrol =
    'its machines would be replaced by those of a stack that no release has tested an upgrade to, and addons that docker-ferrol does not have would be deleted from the running cluster | Put class docker-scs-1-34-v1 back, or another release of docker-scs. To move to docker-ferrol, make a new cluster under another name in clusters/team-a/, move the workloads there, and decommission web.'

  it.each([
    { to: 'docker-ferrol-1-34-v1', version: 'v1.34.1', why: toFerrol },
    { to: 'docker-ferrol-1-33-v1', version: 'v1.33.1', why: toFerrol },
    { to: 'docker-ferrol-1-36-v1', version: 'v1.36.1', why: toFerrol },
    { to: 'openstack-scs-1-34-v1', version: 'v1.34.1', why: toOther('openstack-scs', 'openstack') },
    { to: 'openstack-scs2-1-35-v1', version: 'v1.35.0', why: toOther('openstack-scs2', 'openstack') },
  ])('$to is refused, whatever its version', async ({ to, version, why }) => {
    const refused = await refusalOf(at(to, version), treeAfter('1-34-v1'))
    const stack = to.replace(/-1-\d\d-v1$/, '')
    expect(refused.map(({ code, message, hint }) => `${code} ${message} | ${hint ?? ''}`)).toEqual([
      `UPGRADE_CHANGES_STACK team-a/web is at docker-scs-1-34-v1 and cannot change to stack ${stack} in place: ${why}`,
    ])
  })

  test('is nothing for a frozen cluster, a new one, or one that goes back to its own stack', () => {
    const frozen = { ...at('docker-ferrol-1-34-v1'), options: { isSuspended: false, isFrozen: true } }
    expect(renderStep(frozen, treeAfter('1-34-v1')).plan.due.action).toBe('freeze')
    expect(renderStep(at('docker-ferrol-1-34-v1'), new Map()).plan.due.action).toBe('create')
  })
})

describe('refused', () => {
  it.each(refusals)('$name', async ({ wanted, committed, want, ...rest }) => {
    const found = await refusalOf(wanted, treeAfter(committed), { advance: true, ...rest })
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual(want)
  })

  test('a lower version, with what to write', async () => {
    const [found] = await refusalOf(sampleCluster('1-32-v2'), treeAfter('1-33-v1'), { advance: true })
    expect(found?.hint).toBe(
      'Write v1.33.1, or a newer version, and a class of it. No cluster goes back: docs/36-rolling-back.md has what can be done instead.',
    )
  })

  test('a freeze of what no tree holds: there is nothing that could stay', async () => {
    const at = { source: { name: 'clusters/team-a/web/options.yaml', text: 'freeze' }, start: 0, end: 6 }
    const frozen = sampleCluster('1-33-v1', { isFrozen: true, frozenAt: at })
    for (const advance of [true, false])
      expect(await refusalOf(frozen, new Map(), { advance })).toEqual([
        {
          code: 'FREEZE_NOTHING',
          severity: 'error',
          message: 'team-a/web is frozen, but the committed tree holds nothing of it that could stay as it is',
          at,
          hint: 'Remove `freeze` from clusters/team-a/web/options.yaml, render and commit; then freeze it.',
        },
      ])
    const { plan } = renderStep(frozen, treeAfter('1-32-v1'))
    expect([plan.due.action, plan.content]).toEqual(['freeze', 'committed'])
  })

  test.each([
    { isLocked: true, end: '; then run `stackmason update`.' },
    { isLocked: false, end: '.' },
  ])('a hint says what to add for each missing minor version, locked: $isLocked', async ({ isLocked, end }) => {
    const options = { advance: true, offered: [], isLocked }
    const [found] = await refusalOf(sampleCluster('1-35-v1'), treeAfter('1-32-v1'), options)
    expect(found?.hint).toBe(
      'Add to stacks/ a ClusterStack in namespace platform with provider docker, name scs and kubernetesVersion "1.33", one with "1.34" that lists a version' +
        end,
    )
  })

  test('a tree whose Cluster cannot be read: to take it for a new cluster would change everything at once', async () => {
    const tree = new Map([['clusters/team-a/web/cluster/cluster-web.yaml', '<<<<<<< ours\nkind: Cluster\n']])
    const found = await refusalOf(sampleCluster('1-33-v1'), tree)
    expect(found.map(({ code, file }) => [code, file])).toEqual([
      ['OBJECT_INVALID', 'clusters/team-a/web/cluster/cluster-web.yaml'],
    ])
  })
})

describe('the tree itself as what counts (--check, or no repository)', () => {
  const begun = treeAfter('1-32-v2', '1-34-v1')
  const between = treeAfter('1-32-v2', '1-34-v1', '1-34-v1')

  it.each([
    {
      name: 'after the addons',
      tree: begun,
      state: '1-32-v2@v1.32.2 addons 1-33-v3',
      summary: 'addons of docker-scs-1-33-v3; the Cluster stays at docker-scs-1-32-v2 v1.32.2',
      last: 'Then render again; if this step is in no commit, write `addonsApplied: docker-scs-1-33-v3` under spec.upgrade in clusters/team-a/web/options.yaml first.',
    },
    {
      name: 'between two minor versions',
      tree: between,
      state: '1-33-v3@v1.33.3 addons 1-33-v3',
      summary: 'class docker-scs-1-33-v3, version v1.33.3',
      last: 'Then render again; if this step is in no commit, write `clusterRolledOut: docker-scs-1-33-v3` under spec.upgrade in clusters/team-a/web/options.yaml first.',
    },
  ])('a written step stays, byte for byte, and says how to go on: $name', ({ tree, state, summary, last }) => {
    const { plan, tree: again } = renderStep(sampleCluster('1-34-v1'), tree, { advance: false })
    expect([plan.due.action, plan.due.summary, plan.due.before.at(-1)]).toEqual(['wait', summary, last])
    expect(plan.then.length).toBeGreaterThan(0)
    expect(stateIn(again)).toBe(state)
    expect([...again]).toEqual([...tree])
  })

  test('inputs that the tree was not written for are stale', () => {
    expect(renderStep(sampleCluster('1-33-v1'), treeAfter('1-32-v1'), { advance: false }).plan.due.action).toBe(
      'addons',
    )
    expect(renderStep(sampleCluster('1-33-v1'), begun, { advance: false }).plan.due.action).toBe('addons')
  })

  test('a tree at rest is what it is', () => {
    const tree = treeAfter('1-32-v1')
    const { plan, tree: again } = renderStep(sampleCluster('1-32-v1'), tree, { advance: false })
    expect([plan.due.action, [...again]]).toEqual(['keep', [...tree]])
  })
})

describe('a step that options.yaml acknowledges', () => {
  const at = { source: { name: 'clusters/team-a/web/options.yaml', text: '' }, start: 0, end: 0 }
  const says = (step: 'addons' | 'class', short: string): Pick<ClusterOptions, 'acknowledged'> => ({
    acknowledged: { step, release: classOf(short), at },
  })

  /** Renders without a repository, with what the owner says in turn; `action: state`, and the warnings. */
  function withoutCommits(wanted: string, said: readonly (Partial<ClusterOptions> | undefined)[]): readonly string[] {
    let tree = renderStep(sampleCluster('1-32-v2'), new Map(), { advance: false }).tree
    return said.map((options) => {
      const cluster = sampleCluster(wanted, options)
      const past = findPastAcknowledgement(cluster, committedIn(tree))
      const next = renderStep(cluster, tree, { advance: false })
      tree = next.tree
      return [`${next.plan.due.action}: ${stateIn(tree)}`, ...(past === undefined ? [] : [past.message])].join(' | ')
    })
  }

  test('where nothing is committed, each step waits for it, and none is skipped', () => {
    expect(
      withoutCommits('1-34-v1', [
        undefined,
        undefined,
        says('addons', '1-33-v3'),
        says('addons', '1-33-v3'),
        says('class', '1-33-v3'),
        says('class', '1-33-v3'),
        undefined,
        says('addons', '1-34-v1'),
        says('addons', '1-34-v1'),
        undefined,
      ]),
    ).toEqual([
      'addons: 1-32-v2@v1.32.2 addons 1-33-v3',
      'wait: 1-32-v2@v1.32.2 addons 1-33-v3',
      'class: 1-33-v3@v1.33.3 addons 1-33-v3',
      'wait: 1-33-v3@v1.33.3 addons 1-33-v3 | options.yaml says that the addons of docker-scs-1-33-v3 were applied; team-a/web has left that step behind',
      'addons: 1-33-v3@v1.33.3 addons 1-34-v1',
      'wait: 1-33-v3@v1.33.3 addons 1-34-v1 | options.yaml says that the Cluster has rolled out at docker-scs-1-33-v3; team-a/web has left that step behind',
      'wait: 1-33-v3@v1.33.3 addons 1-34-v1',
      'class: 1-34-v1@v1.34.1 addons 1-34-v1',
      'keep: 1-34-v1@v1.34.1 addons 1-34-v1 | options.yaml says that the addons of docker-scs-1-34-v1 were applied; team-a/web has left that step behind',
      'keep: 1-34-v1@v1.34.1 addons 1-34-v1',
    ])
  })

  test('changes nothing where a commit says the same', () => {
    const tree = treeAfter('1-32-v2', '1-34-v1')
    const said = renderStep(sampleCluster('1-34-v1', says('addons', '1-33-v3')), tree)
    expect([...said.tree]).toEqual([...renderStep(sampleCluster('1-34-v1'), tree).tree])
    expect(said.plan.due.action).toBe('class')
  })

  test('with another wish, the addons of that come first all the same', () => {
    const tree = treeAfter('1-32-v2', '1-33-v1')
    const { plan, tree: next } = renderStep(sampleCluster('1-33-v3', says('addons', '1-33-v1')), tree, {
      advance: false,
    })
    expect([plan.due.action, stateIn(next)]).toEqual(['addons', '1-32-v2@v1.32.2 addons 1-33-v3'])
  })

  const remove = 'Remove spec.upgrade, or write `'
  const applied = '` there when that step was applied and checked.'
  it.each<{
    readonly name: string
    readonly tree: Tree
    readonly said: Pick<ClusterOptions, 'acknowledged'>
    readonly advance: boolean
    readonly message: string
    readonly hint: string
  }>([
    {
      name: 'addons that the committed tree does not hold yet',
      tree: treeAfter('1-32-v2'),
      said: says('addons', '1-33-v3'),
      advance: true,
      message:
        'options.yaml says that the addons of docker-scs-1-33-v3 were applied, but the tree holds the addons of docker-scs-1-32-v2 and the Cluster at docker-scs-1-32-v2',
      hint: 'Remove spec.upgrade and render: that writes the step. Then commit it; where the output is in no commit, acknowledge it once it is applied and checked.',
    },
    {
      name: 'addons of the release after the one that is under way',
      tree: treeAfter('1-32-v2', '1-34-v1'),
      said: says('addons', '1-34-v1'),
      advance: false,
      message:
        'options.yaml says that the addons of docker-scs-1-34-v1 were applied, but the tree holds the addons of docker-scs-1-33-v3 and the Cluster at docker-scs-1-32-v2',
      hint: `${remove}addonsApplied: docker-scs-1-33-v3${applied}`,
    },
    {
      name: 'another release of the same minor version',
      tree: treeAfter('1-32-v2', '1-33-v3'),
      said: says('addons', '1-33-v1'),
      advance: false,
      message:
        'options.yaml says that the addons of docker-scs-1-33-v1 were applied, but the tree holds the addons of docker-scs-1-33-v3 and the Cluster at docker-scs-1-32-v2',
      hint: `${remove}addonsApplied: docker-scs-1-33-v3${applied}`,
    },
    {
      name: 'machines of a class that the Cluster does not have yet',
      tree: treeAfter('1-32-v2', '1-34-v1'),
      said: says('class', '1-33-v3'),
      advance: false,
      message:
        'options.yaml says that the Cluster has rolled out at docker-scs-1-33-v3, but the tree holds the addons of docker-scs-1-33-v3 and the Cluster at docker-scs-1-32-v2',
      hint: `${remove}addonsApplied: docker-scs-1-33-v3${applied}`,
    },
    {
      name: 'addons, when machines are what is waited for',
      tree: treeAfter('1-32-v2', '1-34-v1', '1-34-v1'),
      said: says('addons', '1-34-v1'),
      advance: false,
      message:
        'options.yaml says that the addons of docker-scs-1-34-v1 were applied, but the tree holds the addons of docker-scs-1-33-v3 and the Cluster at docker-scs-1-33-v3',
      hint: `${remove}clusterRolledOut: docker-scs-1-33-v3${applied}`,
    },
    {
      name: 'a cluster that is not in the tree',
      tree: new Map(),
      said: says('addons', '1-34-v1'),
      advance: true,
      message:
        'options.yaml says that the addons of docker-scs-1-34-v1 were applied, but the tree holds nothing of the cluster',
      hint: 'Remove spec.upgrade: a new cluster is written at once, without steps.',
    },
    {
      name: 'addons of a cluster that is at rest',
      tree: treeAfter('1-34-v1'),
      said: says('addons', '1-35-v1'),
      advance: true,
      message:
        'options.yaml says that the addons of docker-scs-1-35-v1 were applied, but the tree holds the addons of docker-scs-1-34-v1 and the Cluster at docker-scs-1-34-v1',
      hint: 'Remove spec.upgrade: no upgrade is under way.',
    },
    {
      name: 'what is not a release at all',
      tree: treeAfter('1-32-v2'),
      said: says('addons', 'next'),
      advance: true,
      message:
        'options.yaml says that the addons of docker-scs-next were applied, but the tree holds the addons of docker-scs-1-32-v2 and the Cluster at docker-scs-1-32-v2',
      hint: 'Remove spec.upgrade and render: that writes the step. Then commit it; where the output is in no commit, acknowledge it once it is applied and checked.',
    },
  ])('is refused: $name', async ({ tree, said, advance, message, hint }) => {
    const found = await refusalOf(sampleCluster('1-34-v1', said), tree, { advance })
    expect(found).toEqual([{ code: 'UPGRADE_NOT_UNDER_WAY', severity: 'error', at, message, hint }])
  })

  test('is not judged while the cluster is frozen: no step is written', () => {
    const cluster = sampleCluster('1-34-v1', { ...says('addons', '1-34-v1'), isFrozen: true })
    const tree = treeAfter('1-32-v2')
    expect(renderStep(cluster, tree).plan.due.action).toBe('freeze')
    expect(findPastAcknowledgement(cluster, committedIn(tree))).toBeUndefined()
  })

  test('one of an earlier minor version is only in the way', () => {
    const cluster = sampleCluster('1-34-v1', says('class', '1-32-v2'))
    const found = findPastAcknowledgement(cluster, committedIn(treeAfter('1-33-v3')))
    expect([found?.code, found?.severity, found?.at]).toEqual(['UPGRADE_STEP_PAST', 'warning', at])
    expect(findPastAcknowledgement(sampleCluster('1-34-v1'), committedIn(treeAfter('1-33-v3')))).toBeUndefined()
  })
})

describe('property', () => {
  const release = fc.constantFrom(...offered)

  /** Minor and stack version as one number. */
  const rank = (version: string): number => {
    const [minor = '0', patch = '0'] = version.split('.').slice(1)
    return Number(minor) * 100 + Number(patch)
  }

  test('whatever is wanted in turn, a version is never ahead of its addons, no minor version is skipped, and every wish comes true', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(release, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 6 }),
        (wishes) => {
          let tree: Tree = new Map()
          const commit = (cluster: Cluster): void => {
            const before = committedIn(tree)
            const { tree: next } = renderStep(cluster, tree)
            expect([...renderStep(cluster, tree).tree]).toEqual([...next])
            expect([...renderStep(cluster, next, { advance: false }).tree]).toEqual([...next])
            tree = next
            const after = committedIn(tree)
            const addons = versionOf((after?.addons ?? '').slice('docker-scs-'.length))
            expect(rank(after?.version ?? '')).toBeLessThanOrEqual(rank(addons))
            const isNew = before === undefined
            const minors = Math.floor(rank(after?.version ?? '') / 100) - Math.floor(rank(before?.version ?? '') / 100)
            expect(isNew || minors === 0 || minors === 1).toBe(true)
            // the addons of a version were there one commit before the version
            expect(isNew || before.version === after?.version || before.addons === after?.addons).toBe(true)
          }
          for (const [short, commits] of wishes) {
            const at = committedIn(tree)?.version
            if (at !== undefined && rank(at) > rank(versionOf(short))) continue
            for (let count = 0; count < commits; count++) commit(sampleCluster(short))
          }
          const last = sampleCluster('1-34-v1')
          for (let count = 0; count < 8; count++) commit(last)
          expect(stateIn(tree)).toBe('1-34-v1@v1.34.1 addons 1-34-v1')
          expect([...tree.values()].join('')).not.toContain('stackmason.dev/')
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })
})
