import { describe, expect, it, test } from 'vitest'
import { findStepsTogether } from '../../../src/handoff/steps/find-steps-together.ts'
import type { DecommissionStep } from '../../../src/model/steps.ts'
import { committedIn, renderStep, type Tree } from './run-steps.ts'
import { sampleCluster } from './sample-cluster.ts'

const at = { source: { name: 'options.yaml', text: '' }, start: 0, end: 0 }

/** Trees after each of these commits, the newest last. */
function commits(...shorts: readonly string[]): readonly Tree[] {
  const trees: Tree[] = [new Map()]
  for (const short of shorts) trees.push(renderStep(sampleCluster(short), trees.at(-1) ?? new Map()).tree)
  return trees
}

/** nothing, 1.32, addons of 1.33, 1.33, addons of 1.34, 1.34 */
const upgrade = commits('1-32-v2', '1-34-v1', '1-34-v1', '1-34-v1', '1-34-v1')

const leaving = (step: DecommissionStep): ReturnType<typeof sampleCluster> =>
  sampleCluster('1-33-v1', { decommission: { step, at } })
/** running, prepared, deleted, released, gone */
const decommission = ['prepare', 'delete', 'finish', 'finish'].reduce<readonly Tree[]>(
  (trees, step) => [...trees, renderStep(leaving(step as DecommissionStep), trees.at(-1) ?? new Map()).tree],
  commits('1-33-v1').slice(1),
)

const isTogether = (trees: readonly Tree[], from: number, to: number, cluster = sampleCluster('1-34-v1')): boolean => {
  const [before, after] = [committedIn(trees[from] ?? new Map()), committedIn(trees[to] ?? new Map())]
  return findStepsTogether(cluster, { before, after }, 'main') !== undefined
}

describe('two steps at once', () => {
  it.each(
    upgrade.flatMap((_, from) => upgrade.map((_tree, to) => ({ from, to }))).filter(({ from, to }) => to >= from),
  )('upgrade: from commit $from to commit $to', ({ from, to }) => {
    // a new cluster is made of everything at once
    expect(isTogether(upgrade, from, to)).toBe(from > 0 && to - from > 1)
  })

  it.each(
    decommission
      .flatMap((_, from) => decommission.map((_tree, to) => ({ from, to })))
      .filter(({ from, to }) => to >= from),
  )('decommission: from commit $from to commit $to', ({ from, to }) => {
    expect(isTogether(decommission, from, to, leaving('finish'))).toBe(to - from > 1)
  })

  test('a cluster that leaves the tree without a decommission takes none', () => {
    expect(isTogether(commits('1-33-v1'), 1, 0)).toBe(false)
  })

  test('says which, and what to do', () => {
    const cluster = sampleCluster('1-33-v3')
    const trees = commits('1-32-v2', '1-33-v3', '1-33-v3')
    const [before, after] = [committedIn(trees[1] ?? new Map()), committedIn(trees[3] ?? new Map())]
    expect(findStepsTogether(cluster, { before, after }, 'origin/main')).toEqual({
      code: 'STEPS_TOGETHER',
      severity: 'error',
      message:
        'compared with origin/main, the tree of team-a/web takes two steps at once: addons from docker-scs-1-32-v2 to docker-scs-1-33-v3, and the Cluster from docker-scs-1-32-v2 to docker-scs-1-33-v3',
      at: cluster.classAt,
      hint: 'Write the first step with `stackmason render --base origin/main`, and the next one when that is merged and applied. If origin/main is only ahead of this branch, bring the branch up to date.',
    })
  })

  test.each([
    { from: 0, to: 2, names: 'prepare, delete', first: 'prepare' },
    { from: 0, to: 4, names: 'prepare, delete, release, remove', first: 'prepare' },
    { from: 1, to: 3, names: 'delete, release', first: 'delete' },
    { from: 2, to: 4, names: 'release, remove', first: 'finish' },
  ])('of a decommission: points to options.yaml, from $from to $to', ({ from, to, names, first }) => {
    const [before, after] = [from, to].map((index) => committedIn(decommission[index] ?? new Map()))
    expect(findStepsTogether(leaving('finish'), { before, after }, 'origin/main')).toEqual({
      code: 'STEPS_TOGETHER',
      severity: 'error',
      message: `compared with origin/main, the tree of team-a/web takes two steps at once: ${names} of its decommission`,
      at,
      hint: `Write \`step: ${first}\` under spec.decommission in clusters/team-a/web/options.yaml, run \`stackmason render --base origin/main\` and commit what it writes. The next step follows when that is merged and applied.`,
    })
  })
})
