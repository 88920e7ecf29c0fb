import { describe, expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { cluster, type HandoffFleet, handoffFleet, options, renderedCluster, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const HANDOFF = 'rendered/handoff/team-a/web'
const optionsFile = 'clusters/team-a/web/options.yaml'

const damages: Readonly<Record<string, { readonly spec?: string; readonly damage: (fleet: HandoffFleet) => void }>> = {
  'the Cluster is gone': { damage: (fleet) => fleet.remove(renderedCluster) },
  'a file of a frozen cluster is gone': {
    spec: '{freeze: true}',
    damage: (fleet) => fleet.remove(`${TREE}/addons/01-dns-cache/daemonset-dns-cache.yaml`),
  },
  'a list of a decommissioned cluster is gone': {
    spec: '{decommission: {}}',
    damage: (fleet) => fleet.remove(`${TREE}/addons/kustomization.yaml`),
  },
  'the Cluster has conflict markers': {
    damage: (fleet) => fleet.edit(renderedCluster, /^spec:$/m, '<<<<<<< HEAD\nspec:\n=======\nspec:\n>>>>>>> other'),
  },
}

/** A fleet whose main is damaged; `main~1` is the last commit that is whole, and a branch is checked out. */
async function damaged(what: string): Promise<HandoffFleet> {
  const { spec, damage } = damages[what] ?? {}
  const fleet = await handoffFleet('flux')
  fleet.git('branch', '-M', 'main')
  if (spec !== undefined) {
    fleet.write(optionsFile, options(spec))
    await fleet.render()
    fleet.commit()
  }
  damage?.(fleet)
  fleet.commit()
  fleet.git('switch', '-q', '-c', 'pr')
  return fleet
}

/** The codes of the errors by which a pull request is judged. */
async function judged(fleet: HandoffFleet): Promise<readonly string[]> {
  const problems = await problemsOf(fleet.render({ check: true, base: 'main' }), fleet.folder)
  const checked = await check(
    { start: fleet.folder, clusters: [], stacks: [], base: 'main', needs: 'whole' },
    fleet.ports,
    () => undefined,
  ).then(
    ({ findings }) => findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    async (error: unknown) => (await problemsOf(Promise.reject(error), fleet.folder)).map((text) => text.split(' ')[0]),
  )
  return [...problems.map((text) => text.split(' ')[0] ?? ''), ...checked.map((code) => code ?? '')]
}

describe('a base that does not have a cluster whole', () => {
  test.each(Object.keys(damages))('is mended by its last whole commit, and by nothing else: %s', async (what) => {
    const fleet = await damaged(what)
    expect(await judged(fleet)).not.toEqual([])
    fleet.git('restore', '--source=main~1', '--staged', '--worktree', '--', TREE, HANDOFF)
    // before the commit, too
    expect(await problemsOf(fleet.render({ base: 'main' }), fleet.folder)).toEqual([])
    fleet.commit()
    expect(await judged(fleet)).toEqual([])
    fleet.edit(renderedCluster, 'replicas: 3', 'replicas: 5')
    fleet.commit()
    expect(await judged(fleet)).not.toEqual([])
  })

  test('is not mended by a commit from before the version that the Cluster had last', async () => {
    const fleet = await handoffFleet('flux')
    fleet.git('branch', '-M', 'main')
    const old = fleet.git('rev-parse', 'HEAD').trim()
    wantNext(fleet)
    for (let count = 0; count < 2; count++) {
      await fleet.render()
      if (count === 1) fleet.remove(`${TREE}/addons/kustomization.yaml`)
      fleet.commit()
    }
    fleet.remove(renderedCluster)
    fleet.commit()
    fleet.git('switch', '-q', '-c', 'pr')
    fleet.git('checkout', '-q', old, '--', '.')
    fleet.commit()
    expect(fleet.read(cluster)).toContain('docker-demo-1-34-v3')
    expect(await judged(fleet)).not.toEqual([])
  })
})
