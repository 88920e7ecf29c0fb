import { describe, expect, it, test } from 'vitest'
import { applyLifecycle } from '../../../src/handoff/steps/apply-lifecycle.ts'
import { findOrphans } from '../../../src/handoff/steps/find-orphans.ts'
import { holdBack } from '../../../src/handoff/steps/hold-back.ts'
import { findPastAcknowledgement } from '../../../src/handoff/steps/acknowledgement-state.ts'
import { planSteps } from '../../../src/handoff/steps/plan-steps.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Cluster } from '../../../src/model/fleet.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import type { CommittedCluster, DecommissionStep, StepPlan } from '../../../src/model/steps.ts'
import { committedIn, renderStep, type Tree } from './run-steps.ts'
import { filesOf, manifestOf, renderSample, sampleCluster } from './sample-cluster.ts'

function diagnosticsOf(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message, hint }) => `${code} ${message} | ${hint ?? ''}`)
  }
  return []
}

const at = { source: { name: 'options.yaml', text: '' }, start: 0, end: 0 }

function leaving(step: DecommissionStep, short = '1-33-v1'): Cluster {
  return sampleCluster(short, { decommission: { step, at } })
}

const running = renderStep(sampleCluster('1-33-v1'), new Map()).tree

const unit: Unit = {
  kind: 'cluster',
  name: 'web',
  namespace: 'team-a',
  path: 'clusters/team-a/web/cluster',
  manifests: [],
  cluster: { name: 'web', namespace: 'team-a' },
  target: 'management',
  gate: 'bootstrap',
  dependsOn: [],
  release: 'docker-scs-1-33-v1',
  isSuspended: false,
}

/** What a step means for the tool: what it must leave alone, and may delete. */
function lifeOf(plan: StepPlan): string {
  return applyLifecycle([unit, { ...unit, kind: 'addons', name: 'web-addons' }], [plan])
    .map(
      ({ name, isSuspended, mayDelete }) =>
        `${name}${isSuspended ? ' suspended' : ''}${mayDelete === undefined ? '' : ` may delete ${mayDelete}`}`,
    )
    .join(', ')
}

/** The files of a tree that are there, without what their paths share. */
function filesIn(tree: Tree): string {
  return [...tree.keys()].map((path) => path.slice('clusters/team-a/web/'.length)).join(' ')
}

describe('a decommission', () => {
  test('takes one step per commit, each when the owner allows it', () => {
    const seen: string[] = []
    let tree: Tree = running
    for (const limit of ['prepare', 'prepare', 'delete', 'delete', 'finish', 'finish', 'finish'] as const) {
      const next = renderStep(leaving(limit), tree)
      seen.push(`${limit} → ${next.plan.due.action}: ${filesIn(next.tree)} | ${lifeOf(next.plan)}`)
      tree = next.tree
    }
    const all = 'cluster/cluster-web.yaml cluster/secret-web-cloud.yaml addons/01-cni/configmap-cni.yaml'
    const without = 'cluster/configmap-web-decommission.yaml cluster/secret-web-cloud.yaml'
    expect(seen.map((line) => line.replace(all, 'ALL').replace(without, 'REST'))).toEqual([
      'prepare → prepare: ALL | web may delete cluster, web-addons suspended',
      'prepare → wait: ALL | web may delete cluster, web-addons suspended',
      'delete → delete: REST addons/01-cni/configmap-cni.yaml | web may delete cluster, web-addons suspended',
      'delete → wait: REST addons/01-cni/configmap-cni.yaml | web may delete cluster, web-addons suspended',
      'finish → release: REST | web may delete everything, web-addons',
      'finish → remove:  | web, web-addons',
      'finish → gone:  | web, web-addons',
    ])
  })

  test.each<{ readonly limits: readonly DecommissionStep[]; readonly actions: readonly string[] }>([
    { limits: ['finish', 'finish', 'finish'], actions: ['prepare', 'wait', 'wait'] },
    { limits: ['delete', 'delete'], actions: ['prepare', 'wait'] },
    { limits: ['finish', 'prepare', 'delete'], actions: ['prepare', 'wait', 'delete'] },
    { limits: ['prepare', 'finish', 'finish', 'delete'], actions: ['prepare', 'delete', 'wait', 'wait'] },
    {
      limits: ['prepare', 'finish', 'delete', 'finish', 'finish', 'finish'],
      actions: ['prepare', 'delete', 'wait', 'release', 'remove', 'gone'],
    },
  ])('takes no step that options.yaml allowed before the one before it: $limits', ({ limits, actions }) => {
    const seen: string[] = []
    let tree: Tree = running
    for (const limit of limits) {
      const next = renderStep(leaving(limit), tree)
      seen.push(next.plan.due.action)
      tree = next.tree
    }
    expect(seen).toEqual(actions)
  })

  test.each<readonly [DecommissionStep, DecommissionStep, string]>([
    ['prepare', 'prepare', 'Then write `step: delete` under spec.decommission in clusters/team-a/web/options.yaml.'],
    [
      'prepare',
      'finish',
      'clusters/team-a/web/options.yaml is ahead: `step: finish` confirms nothing that comes after this step. Write `step: delete` there, render and commit; when all of this holds, write `step: finish`.',
    ],
    [
      'finish',
      'finish',
      'clusters/team-a/web/options.yaml is ahead: `step: finish` confirms nothing that comes after this step. Write `step: prepare` there, render and commit; when all of this holds, write `step: delete`.',
    ],
    [
      'delete',
      'delete',
      'clusters/team-a/web/options.yaml is ahead: `step: delete` confirms nothing that comes after this step. Write `step: prepare` there, render and commit; when all of this holds, write `step: delete`.',
    ],
  ])('says what comes next: %s, then %s', (first, second, want) => {
    const { tree } = renderStep(leaving(first), running)
    expect(renderStep(leaving(second), tree).plan.due.before.at(-1)).toBe(want)
  })

  test('writes the same step until it is committed, and a check accepts each step as it is written', () => {
    let tree: Tree = running
    for (const limit of ['prepare', 'delete', 'finish', 'finish'] as const) {
      const next = renderStep(leaving(limit), tree)
      expect([...renderStep(leaving(limit), tree).tree]).toEqual([...next.tree])
      expect([...renderStep(leaving(limit), next.tree, { advance: false }).tree]).toEqual([...next.tree])
      tree = next.tree
    }
  })

  test('a check finds stale what the owner allowed but nobody rendered', () => {
    const prepared = renderStep(leaving('prepare'), running).tree
    expect(renderStep(leaving('delete'), prepared, { advance: false }).plan.due.action).toBe('delete')
  })

  test('keeps what is committed of the cluster, also in the middle of an upgrade', () => {
    const upgrading = renderStep(sampleCluster('1-34-v1'), running).tree
    const { tree } = renderStep(leaving('prepare', '1-34-v1'), upgrading)
    const { object: before } = committedIn(upgrading) ?? {}
    const { object: after } = committedIn(tree) ?? {}
    expect(after?.get('spec')).toEqual(before?.get('spec'))
    expect(tree.get('clusters/team-a/web/addons/01-cni/configmap-cni.yaml')).toBe(
      upgrading.get('clusters/team-a/web/addons/01-cni/configmap-cni.yaml'),
    )
  })

  test('keeps the class until the cluster is gone', () => {
    const prepared = renderStep(leaving('prepare'), running)
    const deleted = renderStep(leaving('delete'), prepared.tree)
    const released = renderStep(leaving('finish'), deleted.tree)
    const classes = [prepared, deleted, released].map(({ plan }) => plan.classes)
    expect(classes).toEqual([['docker-scs-1-33-v1'], ['docker-scs-1-33-v1'], ['docker-scs-1-33-v1']])
  })

  test('can be taken back while the Cluster is there; no new one is made before the end', () => {
    const prepared = renderStep(leaving('prepare'), running).tree
    const back = renderStep(sampleCluster('1-33-v1'), prepared)
    expect([back.plan.due.action, [...back.tree]]).toEqual(['keep', [...running]])
    const deleted = renderStep(leaving('delete'), prepared).tree
    const released = renderStep(leaving('finish'), deleted).tree
    const ended = renderStep(leaving('finish'), released).tree
    for (const tree of [deleted, released]) {
      expect(diagnosticsOf(() => renderStep(sampleCluster('1-33-v1'), tree))).toEqual([refusal('')])
      expect(diagnosticsOf(() => renderStep(sampleCluster('1-34-v1', { isFrozen: true }), tree))).toEqual([
        refusal(', and there is nothing left to freeze'),
      ])
    }
    expect(renderStep(sampleCluster('1-33-v1'), ended).plan.due.action).toBe('create')
  })

  const refusal = (more: string): string =>
    'DECOMMISSION_UNDER_WAY team-a/web cannot be recreated: its decommission has taken the Cluster out of the tree and has not ended' +
    `${more} | Write \`decommission: {step: finish}\` into clusters/team-a/web/options.yaml and render to its end, each step committed and applied. ` +
    'Then remove it: the next render makes a new cluster. What is deleted does not come back.'

  test('between the steps of an upgrade keeps to the release of the addons while they are there', () => {
    const between = renderStep(sampleCluster('1-34-v1'), running).tree
    const prepared = renderStep(leaving('prepare', '1-34-v1'), between).tree
    const deleted = renderStep(leaving('delete', '1-34-v1'), prepared)
    const again = renderStep(leaving('delete', '1-34-v1'), deleted.tree, { advance: false })
    const committed = renderStep(leaving('delete', '1-34-v1'), deleted.tree)
    for (const { plan } of [deleted, again, committed])
      expect([plan.due.addons, plan.classes]).toEqual(['docker-scs-1-34-v1', ['docker-scs-1-33-v1']])
    expect([...again.tree]).toEqual([...deleted.tree])
    const released = renderStep(leaving('finish', '1-34-v1'), deleted.tree)
    expect(released.plan.due.addons).toBeUndefined()
  })

  test('is not held up by an acknowledgement of an upgrade that it ends', () => {
    const acknowledged = { step: 'addons', release: 'docker-scs-1-34-v1', at } as const
    const cluster = sampleCluster('1-33-v1', { acknowledged, decommission: { step: 'delete', at } })
    for (const tree of [running, renderStep(leaving('delete'), renderStep(leaving('prepare'), running).tree).tree])
      expect(findPastAcknowledgement(cluster, committedIn(tree))).toBeUndefined()
  })

  test('takes the protection of both engines off the Cluster, and nothing else', () => {
    const protectedCluster = manifestOf(`apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: web
  namespace: team-a
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
    kustomize.toolkit.fluxcd.io/substitute: disabled
    argocd.argoproj.io/sync-options: Prune=confirm,Delete=confirm,ServerSideApply=true
spec: {topology: {classRef: {name: docker-scs-1-33-v1}, version: v1.33.1}}
`)
    const [folder] = renderSample(sampleCluster('1-33-v1'), '')
    const folders = [{ path: folder?.path ?? '', manifests: [protectedCluster] }]
    const committed: CommittedCluster = committedIn(filesOf(folders)) ?? {}
    const plan = planSteps(leaving('prepare'), committed, { offered: [], advance: true })
    const [text] = filesOf(holdBack(folders, plan, committed)).values()
    expect(text).toContain(`  annotations:
    argocd.argoproj.io/sync-options: ServerSideApply=true
    kustomize.toolkit.fluxcd.io/substitute: disabled
    stackmason.dev/decommission: prepare
`)
  })

  test('says before each commit what must be so', () => {
    const { plan } = renderStep(leaving('prepare'), running)
    expect([plan.due, ...plan.then].map(({ action, before }) => `${action}: ${before.at(-1) ?? ''}`)).toEqual([
      'prepare: Then write `step: delete` under spec.decommission in clusters/team-a/web/options.yaml.',
      'delete: Then write `step: finish` under spec.decommission in clusters/team-a/web/options.yaml.',
      "release: The GitOps tool has applied this commit to the cluster's own unit.",
      'remove: Then delete the folder clusters/team-a/web.',
    ])
  })
})

describe('a folder that is gone', () => {
  it.each<{ readonly name: string; readonly committed: CommittedCluster; readonly want: readonly string[] }>([
    {
      name: 'of a running cluster',
      committed: committedIn(running) ?? {},
      want: [
        'CLUSTER_ORPHANED clusters/team-a/web is gone, but the cluster was never decommissioned: the Cluster, its machines and its addons stay as they are, with nothing to manage them',
      ],
    },
    {
      name: 'of a cluster whose decommission is prepared',
      committed: committedIn(renderStep(leaving('prepare'), running).tree) ?? {},
      want: [
        'CLUSTER_ORPHANED clusters/team-a/web is gone, but the decommission of the cluster was only prepared: the Cluster, its machines and its addons stay as they are, with nothing to manage them; its addons were suspended before, and the Cluster carries no protection against being pruned any more',
      ],
    },
    {
      name: 'while the cluster is deleted',
      committed: { decommission: { step: 'delete', limit: 'delete' } },
      want: [
        'CLUSTER_ORPHANED clusters/team-a/web is gone before the decommission of the cluster has ended: objects that lay beside its Cluster stay in the management cluster, with nothing to manage them',
      ],
    },
    { name: 'after the last step', committed: { decommission: { step: 'release', limit: 'finish' } }, want: [] },
  ])('$name', ({ committed, want }) => {
    const tree = [{ name: 'web', namespace: 'team-a', committed }]
    expect(findOrphans(tree, []).map(({ code, message }) => `${code} ${message}`)).toEqual(want)
    for (const { hint = '' } of findOrphans(tree, []))
      expect(hint.split('. ').slice(-1)).toEqual([
        'If this branch is behind (behind main, for example), the next steps may be there: merge it or rebase first, and render again.',
      ])
    expect(findOrphans(tree, []).map(({ about }) => about)).toEqual(want.map(() => ({ cluster: 'team-a/web' })))
    const named = { name: 'web', className: committed.className ?? '' }
    expect(findOrphans(tree, [{ ...named, namespace: 'team-a' }])).toEqual([])
    expect(findOrphans(tree, [{ ...named, namespace: 'team-b' }])).toHaveLength(want.length)
  })

  test('may have been renamed, which no cluster can be', () => {
    const committed = committedIn(running) ?? {}
    const { className = '' } = committed
    const other = { name: 'other', namespace: 'team-a', committed }
    const hints = (...clusters: Parameters<typeof findOrphans>[1]): readonly string[] =>
      findOrphans(
        [{ name: 'web', namespace: 'team-a', committed }, other],
        [other, ...clusters].map((one) => ({ className, ...one })),
      ).map(({ hint = '' }) => hint.slice(0, hint.indexOf('Restore the folder')))
    const store = { name: 'store', namespace: 'team-a', className }
    expect(hints(store)).toEqual([
      'team-a/store is new and of the same class: if that is meant to be this cluster, rename the folder back. A cluster cannot be renamed: the new one gets machines of its own. ',
    ])
    for (const clusters of [
      [],
      [{ ...store, namespace: 'team-b' }],
      [{ ...store, className: 'docker-other-1-34-v1' }],
      [store, { ...store, name: 'another' }],
    ])
      expect(hints(...clusters)).toEqual([''])
  })
})
