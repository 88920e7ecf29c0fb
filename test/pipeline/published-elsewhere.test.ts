import { describe, expect, test } from 'vitest'
import { diff, type TreeChoice } from '../../src/pipeline/commands/diff.ts'
import { type HandoffFleet, handoffFleet, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

test.each(['flux', 'argocd'] as const)(
  'a tree that has gone to another branch is asked for there: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool)
    const moved = fleet.git('commit-tree', '-m', 'Move the tree', 'HEAD:rendered').trim()
    fleet.edit('stackmason.yaml', /^spec:\n/m, 'spec:\n  publish: { into: branch, branch: env/x, path: . }\n')
    fleet.edit('stackmason.yaml', /path: (\.\/)?rendered/, 'path: .')
    fleet.git('rm', '-rq', 'rendered')
    fleet.write('.gitignore', '/rendered/\n')
    fleet.commit()
    wantNext(fleet)
    fleet.commit()
    // nothing was fetched that shows where it is
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([expect.stringMatching(/^CLUSTER_ORPHANED /)])

    fleet.git('update-ref', 'refs/remotes/origin/env/x', moved)
    for (const base of [undefined, 'HEAD', 'HEAD~1']) {
      const { findings } = await fleet.render({ check: true, ...(base !== undefined && { base }) })
      expect(findings.filter(({ code }) => code === 'BASE_UNUSED' || code === 'CLUSTER_ORPHANED')).toMatchObject([
        {
          code: 'BASE_UNUSED',
          severity: 'warning',
          message: `${base ?? 'the last commit'} has no tree of this fleet, which spec.publish puts into branch "env/x": compared with it every cluster is new, and no step is missed`,
          hint: expect.stringContaining('`--base origin/env/x`') as unknown,
        },
      ])
    }
    const followed = await fleet.render({ base: 'origin/env/x' })
    expect(fleet.steps(followed)).toEqual(['addons class'])
    expect(followed.findings).toEqual([])
  },
)

describe('a difference from a commit', () => {
  const of = (revision: string): TreeChoice => ({ kind: 'revision', revision })
  const between = async (fleet: HandoffFleet, before: TreeChoice, after: TreeChoice): Promise<readonly string[]> => {
    const compared = { before, after }
    const { change, findings } = await diff({ start: fleet.folder, compared }, fleet.ports, () => undefined)
    const { added, removed } = change.facts.clusters
    const told = findings.map(({ code, severity, message, hint }) => `${severity} ${code} ${message} | ${hint ?? ''}`)
    return [`${String(added.length)} new, ${String(removed.length)} gone`, ...told]
  }

  /** A fleet whose tree is on env/x, and on env/y that of another. */
  const twoBranches = async (publish: string): Promise<HandoffFleet> => {
    const fleet = await handoffFleet('flux')
    const x = fleet.git('commit-tree', '-m', 'x', 'HEAD:rendered').trim()
    fleet.edit('rendered/.stackmason-tree', /^fleet: .*$/m, 'fleet: other')
    fleet.commit()
    const y = fleet.git('commit-tree', '-m', 'y', 'HEAD:rendered').trim()
    fleet.git('update-ref', 'refs/remotes/origin/env/x', x)
    fleet.git('update-ref', 'refs/remotes/origin/env/y', y)
    fleet.git('rm', '-rq', 'rendered')
    fleet.edit('stackmason.yaml', /^spec:\n/m, `spec:\n  publish: { into: branch, ${publish} }\n`)
    fleet.edit('stackmason.yaml', /path: (\.\/)?rendered/, 'path: .')
    fleet.commit()
    return fleet
  }

  test('that has no tree, which another branch has, says so', async () => {
    const fleet = await twoBranches('branch: env/x, path: .')
    const warning =
      'warning BASE_UNUSED HEAD has no tree of this fleet, which spec.publish puts into branch "env/x": all of it counts as new, or as gone | Compare with what is published: `stackmason diff origin/env/x render`.'
    const published = of('origin/env/x')
    expect(await between(fleet, published, of('HEAD'))).toEqual(['0 new, 1 gone', warning])
    const rendered = expect.stringMatching(/^warning BASE_UNUSED the last commit has no tree of this fleet/) as unknown
    expect(await between(fleet, of('HEAD'), { kind: 'render' })).toEqual(['1 new, 0 gone', warning, rendered])
    expect(await between(fleet, published, { kind: 'render' })).toEqual(['0 new, 0 gone'])
    // as the next run would publish it: step by step
    wantNext(fleet)
    const compared = { before: published, after: { kind: 'render' } } as const
    const { change } = await diff({ start: fleet.folder, compared }, fleet.ports, () => undefined)
    const fields = change.changes.flatMap((one) => (one.after?.kind === 'Cluster' ? one.fields : []))
    expect(fields.map(({ path }) => path)).toEqual([
      ['metadata', 'annotations', 'stackmason.dev/addons-release'],
      ['metadata', 'annotations', 'stackmason.dev/upgrade-to'],
    ])
    // neither has one: the report says that
    fleet.git('commit', '-q', '--allow-empty', '-m', 'nothing')
    expect(await between(fleet, of('HEAD'), of('HEAD~1'))).toEqual(['0 new, 0 gone'])
  })

  test('that has no tree, which another repository has, says so', async () => {
    const fleet = await twoBranches('repository: "https://git.example.com/other.git", path: .')
    expect(await between(fleet, of('HEAD'), { kind: 'render' })).toEqual([
      '1 new, 0 gone',
      'warning BASE_UNUSED HEAD has no tree of this fleet, which spec.publish puts into another repository: all of it counts as new, or as gone | Compare with a checkout of that: a word that begins with ../ is the folder of a tree.',
    ])
  })

  test('that has the tree of another fleet is refused', async () => {
    const fleet = await twoBranches('branch: env/x, path: .')
    const name = /name: ([\w-]+)/.exec(fleet.read('stackmason.yaml'))?.[1] ?? ''
    const refused = between(fleet, of('origin/env/x'), of('origin/env/y'))
    expect(await problemsOf(refused, fleet.folder)).toEqual([
      `USAGE - origin/env/y holds the tree of fleet other, not of ${name} | To compare two fleets, name two folders: \`git worktree add ../other origin/env/y\` makes one of a commit, and \`stackmason diff ../${name} ../other\` compares.`,
    ])
  })
})
