import { describe, expect, test } from 'vitest'
import { bothClusters, type HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

const names = { flux: 'Flux', argocd: 'Argo CD' } as const
const other = { flux: 'argocd', argocd: 'flux' } as const

async function refusalsOf(
  fleet: HandoffFleet,
  given: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  return problemsOf(fleet.render(given), fleet.folder)
}

const setUp = { flux: 'docs/15-flux.md, "Point Flux at it"', argocd: 'docs/18-argocd.md, "Set it up"' }

describe.each(['flux', 'argocd'] as const)('a tree that is handed over to %s', (before) => {
  const way =
    `Take the objects of ${names[before]} out of the management cluster first, which deletes nothing that they applied, then write \`retiredTool: ${before}\` ` +
    `under spec in stackmason.yaml: docs/19-life-of-a-cluster.md, "Another GitOps tool". To keep ${names[before]}, put spec.handoff.${before} back.`
  const refusal = (asks: string, place: string): string =>
    `HANDOFF_TOOL_CHANGES ${place} the committed tree is handed over to ${names[before]}, but ${asks}: its objects would lose what keeps ${names[before]} from deleting Clusters, Namespaces and volumes, ` +
    `while ${names[before]} may still be applying them | ${way}`
  const toOther = refusal(`spec.handoff asks for ${names[other[before]]}`, 'stackmason.yaml:17:3')
  const toNone = refusal('stackmason.yaml has no spec.handoff', 'stackmason.yaml')

  test('is handed over to the other tool only when the owner has retired this one', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.handTo(other[before])
    expect(await refusalsOf(fleet)).toEqual([toOther])
    expect(await refusalsOf(fleet, { check: true })).toEqual([toOther])
    expect(await refusalsOf(fleet, { clusters: ['web'] })).toEqual([toOther])
    expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')

    fleet.handTo(other[before], `retiredTool: ${before}`)
    const changed = await fleet.render()
    expect(changed.findings.map(({ code }) => code)).not.toContain('HANDOFF_TOOL_RETIRED')
    expect(await fleet.render()).toMatchObject({ files: { written: 0, pruned: 0 } })
    expect((await fleet.render({ check: true, base: 'HEAD' })).changes).toEqual([])
    fleet.commit()

    const later = await fleet.render({ check: true })
    expect(later.changes).toEqual([])
    expect(later.findings.filter(({ code }) => code === 'HANDOFF_TOOL_RETIRED')).toMatchObject([
      {
        severity: 'warning',
        message: `spec.retiredTool says that ${names[before]} is retired; the tree is handed over to ${names[other[before]]} already`,
        hint: `Point ${names[other[before]]} at the tree if nothing does yet (${setUp[other[before]]}). Remove the line when the commit that changed the tool is merged and ${names[other[before]]} has applied it${before === 'flux' ? ', so that each Application has synced it once: as long as the line is there they prune nothing, and one with something to prune stays OutOfSync' : ''}. Before that, make ${names[before]} give up its fields, or what you remove from git stays in the clusters: docs/19-life-of-a-cluster.md, "Fields of the old tool".`,
      },
    ])
    fleet.handTo(other[before])
    // Argo CD prunes from then on
    const { changes } = await fleet.render({ check: true })
    expect(changes.filter(({ path }) => !/^handoff\/.*\/application-[^/]+\.(?:addons|stack)[^/]*$/.test(path))).toEqual(
      [],
    )
    expect(changes.length > 0).toBe(before === 'flux')
    expect(await refusalsOf(fleet, { check: true, base: 'HEAD~1' })).toEqual([toOther])
  })

  test('goes back to a tool that was retired, but not by a revert', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    const to = async (tool: typeof before, retired?: typeof before): Promise<void> => {
      fleet.handTo(tool, ...(retired === undefined ? [] : [`retiredTool: ${retired}`]))
      await fleet.render()
      fleet.commit()
    }
    await to(other[before], before)
    await to(other[before])
    // by the book, but for the line, which stays
    await to(before, other[before])
    fleet.git('commit', '--allow-empty', '-qm', 'other work')
    fleet.git('revert', '--no-edit', 'HEAD~1')
    // the line was removed before the commit that is reverted
    expect(await refusalsOf(fleet, { check: true, base: 'HEAD~1' })).toEqual([toOther])
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
    fleet.handTo(other[before], `retiredTool: ${before}`)
    const left =
      `HANDOFF_TOOL_CHANGES stackmason.yaml:19:3 spec.retiredTool says that ${names[before]} is retired, in place of \`${other[before]}\`, which was left there from an earlier change: ` +
      `so does a revert of that change, while ${names[before]} applies the tree | If the change of the tool is not meant, restore stackmason.yaml. Otherwise take \`retiredTool\` out in a commit of its own, ` +
      'with spec.handoff as it was, and merge that. Then change the tool: docs/19-life-of-a-cluster.md, "Another GitOps tool".'
    expect(await refusalsOf(fleet)).toEqual([left])
    fleet.commit()
    expect(await refusalsOf(fleet, { check: true, base: 'HEAD~1' })).toEqual([left])
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
    await to(before)
    // who has the inputs in a commit of their own says it before the tree is written
    fleet.handTo(other[before], `retiredTool: ${before}`)
    fleet.commit()
    expect((await fleet.render()).files).toMatchObject({ pruned: expect.any(Number) as unknown })
  })

  test('gets other names for what hooks run, and runs it once more under the other tool', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    const job = 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: seed, annotations: {helm.sh/hook: post-install}}\n'
    const spec = 'spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a:1}]}}}\n'
    fleet.write('clusters/team-b/batch/quotas/job.yaml', job + spec)
    await fleet.render()
    fleet.commit()
    const jobs = (): readonly string[] =>
      fleet.filesBelow('rendered/clusters/team-b/batch').flatMap((path) => /job-.*\.yaml$/.exec(path) ?? [])
    const hashed = 'job-seed-59cfc392.yaml'
    expect(jobs()).toEqual([before === 'flux' ? 'job-seed.yaml' : hashed])
    fleet.handTo(other[before], `retiredTool: ${before}`)
    await fleet.render()
    expect(jobs()).toEqual([before === 'flux' ? hashed : 'job-seed.yaml'])
  })

  test('is left without a tool only when the owner has retired this one', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.handTo(undefined)
    expect(await refusalsOf(fleet)).toEqual([toNone])
    expect(await refusalsOf(fleet, { check: true })).toEqual([toNone])
    fleet.handTo(undefined, `retiredTool: ${before}`)
    await fleet.render()
    fleet.commit()
    const { changes, findings } = await fleet.render({ check: true })
    expect(changes).toEqual([])
    expect(findings.filter(({ code }) => code === 'HANDOFF_TOOL_RETIRED').map(({ message }) => message)).toEqual([
      `spec.retiredTool says that ${names[before]} is retired; the tree is handed over to no tool already`,
    ])
  })

  test('that no commit holds is still what a tool may have applied', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.remove('.git')
    fleet.handTo(other[before])
    expect(await refusalsOf(fleet)).toEqual([toOther])
  })

  test.each(['{freeze: true}', '{decommission: {}}'])('changes the tool of no cluster with %s', async (spec) => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options(spec))
    await fleet.render()
    fleet.commit()
    fleet.handTo(other[before], `retiredTool: ${before}`)
    const [refused] = await refusalsOf(fleet)
    const field = spec.includes('freeze') ? 'freeze' : 'decommission'
    expect(refused).toBe(
      `HANDOFF_TOOL_CHANGES clusters/team-a/web/options.yaml:3:8 spec.${field} keeps what is committed of team-a/web, which is made for ${names[before]}, but the tree changes to ${names[other[before]]} | ` +
        (field === 'freeze'
          ? `Put spec.handoff.${before} back and remove \`freeze\`, render and commit; or leave the tool as it is until then.`
          : `Put spec.handoff.${before} back, and end the decommission or take it back; then change the tool.`),
    )
  })

  test.each([
    { suspended: ['team-a/web'], who: 'team-a/web is', them: 'it' },
    { suspended: bothClusters, who: 'team-a/web, team-b/batch are', them: 'them' },
  ])('names what the other tool does not take over, as it is suspended: $who', async ({ suspended, who, them }) => {
    const after = other[before]
    const fleet = await handoffFleet(before, bothClusters)
    for (const name of suspended) fleet.write(`clusters/${name}/options.yaml`, options('{suspend: true}'))
    await fleet.render()
    fleet.commit()
    const found = async (given: Parameters<HandoffFleet['render']>[0] = {}): Promise<readonly string[]> =>
      (await fleet.render(given)).findings.flatMap((finding) =>
        finding.code === 'HANDOFF_TOOL_RETIRED' && finding.message.includes('suspended')
          ? `${finding.severity} ${told(finding, fleet.folder)}`
          : [],
      )
    const until =
      `until \`suspend\` is gone from options.yaml and ${names[after]} has applied ${them}` +
      (after === 'argocd' ? ': each Application must have synced once before it prunes' : '') +
      `. Then make ${names[before]} give up its fields there, too: docs/19-life-of-a-cluster.md, "Fields of the old tool".`
    const what = `${who} suspended: ${names[after]} takes over nothing of ${them}, and ${names[before]} stays an owner of the fields there`
    const there = [
      `warning HANDOFF_TOOL_RETIRED stackmason.yaml:19:3 ${what} | Leave \`retiredTool: ${before}\` there ${until}`,
    ]
    const gone = [
      `warning HANDOFF_TOOL_RETIRED stackmason.yaml:17:3 ${what}, but \`retiredTool: ${before}\` goes | Put \`retiredTool: ${before}\` back ${until}`,
    ]
    expect(await found()).toEqual([])

    fleet.handTo(after, `retiredTool: ${before}`)
    expect(await found()).toEqual(there)
    fleet.commit()
    expect(await found({ check: true })).toEqual(there)
    expect(await found({ check: true, base: 'HEAD~1' })).toEqual(there)

    fleet.handTo(after)
    expect(await found()).toEqual(gone)
    fleet.commit()
    expect(await found({ check: true, base: 'HEAD~1' })).toEqual(gone)
    expect(await found()).toEqual([])
    fleet.git('reset', '-q', '--hard', 'HEAD~1')

    for (const name of suspended) fleet.remove(`clusters/${name}/options.yaml`)
    expect(await found()).toEqual([])
    fleet.commit()
    fleet.handTo(after)
    expect(await found()).toEqual([])
  })

  test('is left without a tool, which takes over nothing, suspended or not', async () => {
    const fleet = await handoffFleet(before, bothClusters)
    fleet.write('clusters/team-a/web/options.yaml', options('{suspend: true}'))
    await fleet.render()
    fleet.commit()
    fleet.handTo(undefined, `retiredTool: ${before}`)
    const { findings } = await fleet.render()
    expect(findings.filter(({ code }) => code === 'HANDOFF_TOOL_RETIRED')).toEqual([])
  })
})

test('a tree that was only rendered, over one that is committed for the tool of the fleet, stops nothing', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.handTo('argocd', 'retiredTool: flux')
  await fleet.render()
  fleet.handTo('flux')
  await fleet.render()
  expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')
})

test('Argo CD prunes nothing while it takes over, also what it applied in an earlier life', async () => {
  const fleet = await handoffFleet('argocd', bothClusters)
  const prunes = (): readonly (string | undefined)[] =>
    ['team-a.web', 'team-b.batch'].flatMap((cluster) =>
      ['addons', 'cluster'].map((unit) => {
        const [namespace = ''] = cluster.split('.')
        const path = `rendered/handoff/${namespace}/${cluster.slice(namespace.length + 1)}/application-${cluster}.${unit}.yaml`
        return fleet.has(path) ? /prune: (\w+)/.exec(fleet.read(path))?.[1] : undefined
      }),
    )
  const always = ['true', 'false', 'true', 'false']
  expect(prunes()).toEqual(always)
  const to = async (tool: 'argocd' | 'flux', ...lines: readonly string[]): Promise<void> => {
    fleet.handTo(tool, ...lines)
    await fleet.render()
    fleet.commit()
  }
  await to('flux', 'retiredTool: argocd')
  await to('flux')
  await to('argocd', 'retiredTool: flux')
  expect(prunes()).toEqual(['false', 'false', 'false', 'false'])
  // but for what a decommission deletes on purpose
  const file = 'clusters/team-b/batch/options.yaml'
  fleet.write(file, options('{decommission: {}}'))
  await to('argocd', 'retiredTool: flux')
  fleet.write(file, options('{decommission: {step: delete}}'))
  await to('argocd', 'retiredTool: flux')
  expect(prunes()).toEqual(['false', 'false', undefined, 'true'])
  fleet.git('reset', '-q', '--hard', 'HEAD~2')
  await to('argocd')
  expect(prunes()).toEqual(always)
})
