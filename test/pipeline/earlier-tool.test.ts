import { describe, expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bothClusters, HandoffFleet, handoffFleet, preparedFleet, type Tool } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const other = { flux: 'argocd', argocd: 'flux' } as const
const names = { flux: 'Flux', argocd: 'Argo CD' } as const

/** The fleet as it was handed to a tool, with a retirement or without, in a commit of its own. */
async function to(fleet: HandoffFleet, tool: Tool, retired?: Tool): Promise<void> {
  fleet.handTo(tool, ...(retired === undefined ? [] : [`retiredTool: ${retired}`]))
  await fleet.render()
  fleet.commit()
}

/** A fleet that went from one tool to the other by the book, in two commits. */
function switched(before: Tool): Promise<HandoffFleet> {
  return preparedFleet(`switched from ${before}`, async () => {
    const fleet = await handoffFleet(before, bothClusters)
    await to(fleet, other[before], before)
    await to(fleet, other[before])
    return fleet
  })
}

/** The codes of errors of `render --check`, and of `render`. */
async function errorsOf(fleet: HandoffFleet): Promise<readonly string[]> {
  const code = (problem: string): string => problem.split(' ', 1)[0] ?? ''
  const checked = await problemsOf(fleet.render({ check: true }), fleet.folder)
  const rendered = await problemsOf(fleet.render(), fleet.folder)
  expect(rendered.map(code)).toEqual(checked.map(code))
  return checked.map(code)
}

const refused = ['HANDOFF_TOOL_CHANGES']

describe.each(['flux', 'argocd'] as const)('a switch from %s', (before) => {
  const now = other[before]

  test('is not taken back by a revert, also one that is committed', async () => {
    const fleet = await switched(before)
    const last = fleet.git('rev-parse', '--short=12', 'HEAD').trim()
    fleet.git('revert', '--no-commit', 'HEAD', 'HEAD~1')
    expect(await errorsOf(fleet)).toEqual(refused)
    fleet.git('commit', '-qm', 'revert')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `HANDOFF_TOOL_CHANGES stackmason.yaml:17:3 the commit after ${last} handed the tree over from ${names[now]} to ${names[before]}, and \`retiredTool: ${now}\` was not set for that: ` +
        `so does a revert of an earlier change, by which objects lose what keeps ${names[now]} from deleting Clusters, Namespaces and volumes, while ${names[now]} may still be applying them | ` +
        `If ${names[now]} still applies the tree, revert that commit (after a revert: revert the revert), inputs and tree together. ` +
        `If the objects of ${names[now]} are really gone from the management cluster (docs/19-life-of-a-cluster.md, "Another GitOps tool"), write \`retiredTool: ${now}\` ` +
        `under spec in stackmason.yaml, commit that, and remove it when ${names[before]} has applied the tree.`,
    ])
    expect(await errorsOf(fleet)).toEqual(refused)
    fleet.git('commit', '--allow-empty', '-qm', 'other work')
    expect(await errorsOf(fleet)).toEqual(refused)
    // what the hint says: one way
    fleet.git('revert', '--no-edit', 'HEAD~1')
    expect(await errorsOf(fleet)).toEqual([])
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
    // and the other
    await to(fleet, before, now)
    expect(await errorsOf(fleet)).toEqual([])
    await to(fleet, before)
    expect(await errorsOf(fleet)).toEqual([])
  })

  test('is not taken back by a revert of each commit', async () => {
    const fleet = await switched(before)
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    expect(await errorsOf(fleet)).toEqual(refused)
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    expect(await errorsOf(fleet)).toEqual([])
  })

  test('is not taken back by a revert on a branch that is merged', async () => {
    const fleet = await switched(before)
    const main = fleet.git('branch', '--show-current').trim()
    fleet.git('switch', '-qc', 'undo')
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    fleet.git('switch', '-q', main)
    fleet.git('merge', '-q', '--no-ff', '-m', 'merge', 'undo')
    expect(await errorsOf(fleet)).toEqual(refused)
  })

  test('is not taken back by a revert of the second of two', async () => {
    const fleet = await switched(before)
    await to(fleet, before, now)
    await to(fleet, before)
    expect(await errorsOf(fleet)).toEqual([])
    fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    expect(await errorsOf(fleet)).toEqual(refused)
  })

  test('is not taken back where its retirement was left', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    await to(fleet, now, before)
    await to(fleet, now)
    await to(fleet, before, now)
    fleet.git('revert', '--no-edit', 'HEAD')
    expect(await errorsOf(fleet)).toEqual(refused)
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
    // it exchanges the two
    fleet.handTo(now, `retiredTool: ${before}`)
    fleet.remove('rendered')
    fleet.git('checkout', '-q', 'HEAD~2', '--', 'rendered')
    fleet.commit()
    expect(await errorsOf(fleet)).toEqual(refused)
  })

  test('by the book stays right in each later commit, and so does one back', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    const steps: readonly (readonly [Tool, Tool?])[] = [[now, before], [now], [before, now], [before], [now, before]]
    for (const [tool, retired] of steps) {
      await to(fleet, tool, retired)
      expect(await errorsOf(fleet)).toEqual([])
      fleet.git('commit', '--allow-empty', '-qm', 'other work')
      expect(await errorsOf(fleet)).toEqual([])
    }
  })

  test('has its inputs in a commit before that of the tree, also where the line goes with them', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.handTo(now, `retiredTool: ${before}`)
    fleet.commit()
    await fleet.render()
    fleet.commit()
    expect(await errorsOf(fleet)).toEqual([])
    await to(fleet, now)
    expect(await errorsOf(fleet)).toEqual([])
  })

  test.each(['--no-ff', '--squash'])('stays right in a history of merges with %s', async (how) => {
    const fleet = await handoffFleet(before, bothClusters)
    const main = fleet.git('branch', '--show-current').trim()
    for (const retired of [before, undefined]) {
      fleet.git('switch', '-qc', `to-${String(retired)}`)
      fleet.git('commit', '--allow-empty', '-qm', 'other work')
      await to(fleet, now, retired)
      fleet.git('switch', '-q', main)
      if (how === '--squash') {
        fleet.git('merge', '-q', how, `to-${String(retired)}`)
        fleet.git('commit', '-qm', 'squashed')
      } else fleet.git('merge', '-q', how, '-m', 'merge', `to-${String(retired)}`)
      expect(await errorsOf(fleet)).toEqual([])
    }
  })

  test('stays right where one merge brings it and its end, and where a stale branch pulls it', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    const main = fleet.git('branch', '--show-current').trim()
    fleet.git('branch', 'stale')
    fleet.git('switch', '-qc', 'both')
    await to(fleet, now, before)
    await to(fleet, now)
    fleet.git('switch', '-q', main)
    fleet.git('merge', '-q', '--no-ff', '-m', 'merge', 'both')
    expect(await errorsOf(fleet)).toEqual([])
    fleet.git('switch', '-q', 'stale')
    fleet.write('notes.txt', 'mine\n')
    fleet.commit()
    fleet.git('merge', '-q', '--no-commit', main)
    expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual([])
    fleet.git('commit', '-qm', 'pull')
    expect(await errorsOf(fleet)).toEqual([])
    fleet.git('commit', '--allow-empty', '-qm', 'other work')
    expect(await errorsOf(fleet)).toEqual([])
  })

  test.each([1, 2, 3, 4])('stays right in a shallow clone with %i commits', async (depth) => {
    const fleet = await switched(before)
    fleet.git('commit', '--allow-empty', '-qm', 'other work')
    const folder = await tempFolder()
    new FleetFolder(folder).git('clone', '-q', `--depth=${String(depth)}`, `file://${fleet.folder}`, 'clone')
    expect(await errorsOf(new HandoffFleet(`${folder}/clone`))).toEqual([])
  })

  test('stays right where the tree moves after it', async () => {
    const fleet = await switched(before)
    fleet.edit('stackmason.yaml', /^spec:$/m, 'spec:\n  output: {path: out/tree}')
    fleet.write('out/notes.txt', 'mine\n')
    fleet.git('mv', 'rendered', 'out/tree')
    await fleet.render()
    fleet.commit()
    expect(await errorsOf(fleet)).toEqual([])
  })
})

test('a tree that gets its first tool, or none for a while, needs no word', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.handTo(undefined, 'retiredTool: flux')
  await fleet.render()
  fleet.commit()
  await to(fleet, 'argocd')
  expect(await errorsOf(fleet)).toEqual([])
})
