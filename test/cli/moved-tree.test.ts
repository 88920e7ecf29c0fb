import { describe, expect, test } from 'vitest'
import { bothClusters, type HandoffFleet, handoffFleet } from '../pipeline/handoff-fleet.ts'
import { runCli } from './run-cli.ts'

const MOVED = '(its tree was in rendered and has moved to deploy)'

/** A fleet on a branch that moves its tree, as the advice of OUTPUT_MOVED says. */
async function movedFleet(): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.git('branch', '-M', 'main')
  fleet.git('checkout', '-qb', 'move')
  fleet.git('mv', 'rendered', 'deploy')
  fleet.handTo('flux', 'output: {path: deploy}')
  fleet.edit('stackmason.yaml', 'path: ./rendered', 'path: ./deploy')
  await fleet.render()
  fleet.commit()
  return fleet
}

const firstLine = async (words: readonly string[], cwd: string): Promise<string | undefined> =>
  (await runCli(words, { cwd })).stdout.split('\n')[0]

describe('an output folder that has moved', () => {
  test.each([['main', 'HEAD'], ['main'], ['main', 'render']])(
    'is compared with where it was: diff %s',
    async (...states) => {
      const fleet = await movedFleet()
      const after = { HEAD: 'HEAD', render: 'render' }[states[1] ?? ''] ?? 'files on disk'
      // the units, which name the folder
      expect(await firstLine(['diff', ...states], fleet.folder)).toBe(
        `main ${MOVED} -> ${after}: 2 clusters changed, 7 objects`,
      )
    },
  )

  test('is compared with where it was in a report, and by check', async () => {
    const fleet = await movedFleet()
    const { stdout } = await runCli(['report', '--base', 'main', '-o', 'text'], { cwd: fleet.folder })
    expect(stdout).toContain(`main ${MOVED} -> render: 2 clusters changed`)
    // the second report reuses the first
    fleet.edit('clusters/team-a/web/cluster.yaml', 'replicas: 4', 'replicas: 1')
    const again = await runCli(['report', '--base', 'main', '-o', 'text'], { cwd: fleet.folder })
    expect(again.stdout).toContain(`main ${MOVED} -> render: 2 clusters changed`)
  })

  test('has not moved where a branch holds it at a path of its own', async () => {
    const fleet = await handoffFleet('flux', bothClusters)
    fleet.git('branch', '-M', 'main')
    fleet.git('checkout', '-qb', 'env/prod')
    fleet.git('mv', 'rendered', 'tree')
    fleet.git('commit', '-qam', 'the tree alone')
    fleet.git('checkout', '-qf', 'main')
    fleet.git('rm', '-rq', 'rendered')
    fleet.edit('stackmason.yaml', 'spec:\n', 'spec:\n  publish: {into: branch, branch: env/prod, path: tree}\n')
    fleet.commit()
    expect(await firstLine(['diff', 'env/prod', 'render'], fleet.folder)).toBe(
      'No differences between env/prod (its tree is in tree there) and render.',
    )
  })

  test('and a tree of another fleet is none of it', async () => {
    const fleet = await handoffFleet('flux')
    fleet.write('other/stackmason.yaml', fleet.read('stackmason.yaml'))
    fleet.write('rendered/.stackmason-tree', fleet.read('rendered/.stackmason-tree').replace('../', '../other/'))
    fleet.commit()
    fleet.git('branch', '-M', 'main')
    fleet.edit('stackmason.yaml', 'spec:\n', 'spec:\n  output: {path: deploy}\n')
    fleet.copy(fleet.path('rendered'), 'deploy')
    expect(await firstLine(['diff', 'main'], fleet.folder)).toMatch(/^main -> files on disk: 1 new/)
  })
})
