import { expect, test } from 'vitest'
import { handoffFleet, wantNext } from './handoff-fleet.ts'
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
