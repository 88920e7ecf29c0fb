import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { type HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const HANDOFF = 'rendered/handoff/team-a/web'
const OWN = `${TREE}/cluster`
const optionsFile = 'clusters/team-a/web/options.yaml'

const decommission = ['{decommission: {}}', '{decommission: {step: delete}}', '{decommission: {step: finish}}']

/** What is rendered and committed, one after the other, before the damage; each has the one before. */
const states: Readonly<Record<string, readonly string[]>> = {
  frozen: ['{suspend: true}', '{freeze: true}'],
  'prepared for its end': decommission.slice(0, 1),
  deleted: decommission.slice(0, 2),
  released: decommission,
}

/** What somebody commits. `commits` are those before, newest first. */
const mutations: Readonly<Record<string, (fleet: HandoffFleet, commits: readonly string[]) => void>> = {
  'every file of the Cluster removed': (fleet) => {
    for (const file of fleet.filesBelow(OWN)) if (file !== 'kustomization.yaml') fleet.remove(`${OWN}/${file}`)
  },
  'the list of the Cluster removed': (fleet) => fleet.remove(`${OWN}/kustomization.yaml`),
  'the list of the Cluster emptied': (fleet) =>
    fleet.edit(`${OWN}/kustomization.yaml`, /resources:[^]*/, 'resources: []\n'),
  'addons removed': (fleet) => removeIfThere(fleet, `${TREE}/addons`),
  'the list of addons removed': (fleet) => removeIfThere(fleet, `${TREE}/addons/kustomization.yaml`),
  'the list of units removed': (fleet) => fleet.remove(`${HANDOFF}/kustomization.yaml`),
  'two files, one commit after the other': (fleet) => {
    fleet.remove(`${OWN}/kustomization.yaml`)
    fleet.commit()
    fleet.remove(`${HANDOFF}/kustomization.yaml`)
  },
  'the list of the Cluster before': (fleet, commits) => takeOlder(fleet, commits, `${OWN}/kustomization.yaml`),
  'the folder of the Cluster before': (fleet, commits) => takeOlder(fleet, commits, OWN),
  'all of the cluster before': (fleet, commits) => takeOlder(fleet, commits, TREE),
  'the units before': (fleet, commits) => takeOlder(fleet, commits, HANDOFF),
  'the list of units before': (fleet, commits) => takeOlder(fleet, commits, `${HANDOFF}/kustomization.yaml`),
}

function removeIfThere(fleet: HandoffFleet, path: string): void {
  if (fleet.has(path)) fleet.remove(path)
}

function takeOlder(fleet: HandoffFleet, [, , older, oldest]: readonly string[], path: string): void {
  fleet.git('checkout', '-q', oldest ?? older ?? 'HEAD', '--', path)
}

/** Follows what a render says, by the letter, until it says nothing: how many times that took. */
async function follow(fleet: HandoffFleet, whenCommitted: () => void): Promise<string> {
  for (let round = 0; round < 5; round++) {
    const problem = await problemOf(fleet)
    if (problem === undefined) return `ends after ${String(round)}`
    const command = /git (?:restore|checkout) [^)`]*/.exec(problem.hint ?? '')?.[0]
    if (command === undefined) return `${problem.code}: ${problem.hint ?? ''}`
    fleet.git(...command.split(' ').slice(1))
    fleet.commit()
    whenCommitted()
  }
  return 'does not end'
}

async function problemOf(fleet: HandoffFleet): Promise<StackmasonError['diagnostics'][number] | undefined> {
  try {
    await fleet.render()
    return undefined
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics[0]
    throw error
  }
}

function treeOf(fleet: HandoffFleet): Readonly<Record<string, string>> {
  const files = fleet.filesBelow('rendered').filter((path) => !path.startsWith('.stackmason/'))
  return Object.fromEntries(files.map((path) => [path, fleet.read(`rendered/${path}`)]))
}

describe.each(['flux', 'argocd'] as const)('the hints for what somebody damaged in the tree under %s', (tool) => {
  test.each(Object.entries(states))('end it in one step, for a cluster that is %s', async (_, specs) => {
    const fleet = await handoffFleet(tool)
    const commits = [fleet.git('rev-parse', 'HEAD')]
    for (const spec of specs) {
      fleet.write(optionsFile, options(spec))
      await fleet.render()
      commits.unshift(fleet.commit())
    }
    const isOut = !fleet.has(`${OWN}/cluster-web.yaml`)
    const whole = fleet.git('rev-parse', 'HEAD:rendered')
    const found: Record<string, string> = {}
    for (const [name, mutate] of Object.entries(mutations)) {
      mutate(fleet, commits)
      fleet.commit()
      const alive: string[] = []
      found[name] = await follow(fleet, () => {
        if (isOut && fleet.has(`${OWN}/cluster-web.yaml`)) alive.push('Cluster')
      })
      if (alive.length > 0) found[name] += ', and commits the Cluster again'
      if (found[name] === 'ends after 1' && fleet.git('rev-parse', 'HEAD:rendered') !== whole)
        found[name] += ', with another tree'
      fleet.git('reset', '--hard', '-q', commits[0] ?? '')
      fleet.git('clean', '-fdq')
    }
    expect(Object.entries(found).filter(([, end]) => !/^ends after [01]$/.test(end))).toEqual([])
  })
  test('bring no Cluster back where the commit that took it out was not whole', async () => {
    const fleet = await handoffFleet(tool)
    const advance = async (spec: string): Promise<void> => {
      fleet.write(optionsFile, options(spec))
      await fleet.render()
    }
    await advance('{decommission: {}}')
    const prepared = fleet.commit()
    await advance('{decommission: {step: delete}}')
    const whole = treeOf(fleet)
    fleet.remove(`${OWN}/kustomization.yaml`)
    fleet.commit()
    const problem = await problemOf(fleet)
    expect(problem?.hint).toBe(
      `No commit has it whole since a decommission took its Cluster out. Run \`stackmason render --base ${prepared.slice(0, 12)} --cluster team-a/web\`, ` +
        'which takes the Cluster out once more, and commit what it writes. The Cluster itself must not come back.',
    )
    await fleet.render({ base: prepared.slice(0, 12), clusters: ['team-a/web'] })
    expect(treeOf(fleet)).toEqual(whole)
    fleet.commit()
    expect(await problemOf(fleet)).toBeUndefined()
    expect(treeOf(fleet)).toEqual(whole)
  })
})
