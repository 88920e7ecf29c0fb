import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines, type Handed, handedFleet, options } from './handed-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const names = { flux: 'Flux', argocd: 'Argo CD' } as const
type Tool = keyof typeof names
const other = { flux: 'argocd', argocd: 'flux' } as const

/** Writes `spec.handoff` for this tool, or none, and what else `spec` is to say. */
async function handTo(fleet: Handed, tool: Tool | undefined, more = ''): Promise<void> {
  const handoff = tool === undefined ? '' : `  handoff:\n${engines[tool]}`
  await fleet.edit(
    'stackmason.yaml',
    /^ {2}(?:handoff:\n(?: {4}.*\n)+|requiredVersion: .*\n)(?: {2}retiredTool: .*\n)?/m,
    `${handoff}${more}`,
  )
}

async function refusalsOf(fleet: Handed, given: Parameters<Handed['render']>[0] = {}): Promise<readonly string[]> {
  return problemsOf(fleet.render(given), fleet.folder)
}

describe.each(['flux', 'argocd'] as const)('a tree that is handed over to %s', (before) => {
  const way =
    `Take the objects of ${names[before]} out of the management cluster first, which deletes nothing that they applied, then write \`retiredTool: ${before}\` ` +
    `under spec in stackmason.yaml: docs/19-life-of-a-cluster.md, "Another GitOps tool". To keep ${names[before]}, put spec.handoff.${before} back.`
  const refusal = (asks: string, place: string): string =>
    `HANDOFF_TOOL_CHANGES ${place} the committed tree is handed over to ${names[before]}, but ${asks}: its objects would lose what keeps ${names[before]} from deleting Clusters, Namespaces and volumes, ` +
    `while ${names[before]} may still be applying them | ${way}`
  const toOther = refusal(`spec.handoff asks for ${names[other[before]]}`, 'stackmason.yaml:25:3')
  const toNone = refusal('stackmason.yaml has no spec.handoff', 'stackmason.yaml')

  test('is handed over to the other tool only when the owner has retired this one', async () => {
    const fleet = await handedFleet(before)
    await handTo(fleet, other[before])
    expect(await refusalsOf(fleet)).toEqual([toOther])
    expect(await refusalsOf(fleet, { check: true })).toEqual([toOther])
    expect(await refusalsOf(fleet, { clusters: ['web'] })).toEqual([toOther])
    expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')

    await handTo(fleet, other[before], `  retiredTool: ${before}\n`)
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
        hint: `Remove the line when the commit that changed the tool is merged and ${names[other[before]]} has applied it.`,
      },
    ])
    await handTo(fleet, other[before])
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    expect(await refusalsOf(fleet, { check: true, base: 'HEAD~1' })).toEqual([toOther])
  })

  test('is left without a tool only when the owner has retired this one', async () => {
    const fleet = await handedFleet(before)
    await handTo(fleet, undefined)
    expect(await refusalsOf(fleet)).toEqual([toNone])
    expect(await refusalsOf(fleet, { check: true })).toEqual([toNone])
    await fleet.edit('stackmason.yaml', /^spec:\n/m, `spec:\n  retiredTool: ${before}\n`)
    await fleet.render()
    fleet.commit()
    const { changes, findings } = await fleet.render({ check: true })
    expect(changes).toEqual([])
    expect(findings.filter(({ code }) => code === 'HANDOFF_TOOL_RETIRED').map(({ message }) => message)).toEqual([
      `spec.retiredTool says that ${names[before]} is retired; the tree is handed over to no tool already`,
    ])
  })

  test('that no commit holds is still what a tool may have applied', async () => {
    const fleet = await handedFleet(before)
    await rm(join(fleet.folder, '.git'), { recursive: true })
    await handTo(fleet, other[before])
    expect(await refusalsOf(fleet)).toEqual([toOther])
  })

  test.each(['{freeze: true}', '{decommission: {}}'])('changes the tool of no cluster with %s', async (spec) => {
    const fleet = await handedFleet(before)
    await fleet.write('clusters/team-a/web/options.yaml', options(spec))
    await fleet.render()
    fleet.commit()
    await handTo(fleet, other[before], `  retiredTool: ${before}\n`)
    const [refused] = await refusalsOf(fleet)
    const field = spec.includes('freeze') ? 'freeze' : 'decommission'
    expect(refused).toBe(
      `HANDOFF_TOOL_CHANGES clusters/team-a/web/options.yaml:3:8 spec.${field} keeps what is committed of team-a/web, which is made for ${names[before]}, but the tree changes to ${names[other[before]]} | ` +
        (field === 'freeze'
          ? `Put spec.handoff.${before} back and remove \`freeze\`, render and commit; or leave the tool as it is until then.`
          : `Put spec.handoff.${before} back, and end the decommission or take it back; then change the tool.`),
    )
  })
})

test('a tree that was only rendered, over one that is committed for the tool of the fleet, stops nothing', async () => {
  const fleet = await handedFleet('flux')
  await handTo(fleet, 'argocd', '  retiredTool: flux\n')
  await fleet.render()
  await handTo(fleet, 'flux')
  await fleet.render()
  expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')
})
