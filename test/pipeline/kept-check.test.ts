import { describe, expect, test } from 'vitest'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { type HandoffFleet, handoffFleet, options, renderedCluster } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const HANDOFF = 'rendered/handoff/team-a/web'
const STACK = 'rendered/stacks/platform/docker-demo-1-34-v3'
const optionsFile = 'clusters/team-a/web/options.yaml'

/** How a cluster comes to keep what is committed of it. */
const lives: Readonly<Record<string, readonly string[]>> = {
  frozen: ['{freeze: true}'],
  'prepared for its end': ['{decommission: {}}'],
  deleted: ['{decommission: {}}', '{decommission: {step: delete}}'],
}

/** What somebody does to the tree on disk. */
const edits: Readonly<Record<string, (fleet: HandoffFleet) => void>> = {
  nothing: () => undefined,
  'another class': (fleet) => edit(fleet, renderedCluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v2'),
  'a file of the Cluster removed': (fleet) => remove(fleet, `${TREE}/cluster`),
  'the list of addons removed': (fleet) => remove(fleet, `${TREE}/addons/kustomization.yaml`),
  'the list of addons shorter': (fleet) => edit(fleet, `${TREE}/addons/kustomization.yaml`, '- 01-dns-cache\n', ''),
  'addons removed': (fleet) => remove(fleet, `${TREE}/addons`),
  'units removed': (fleet) => remove(fleet, HANDOFF),
  'units of the commit before': (fleet) => fleet.git('checkout', '-q', 'HEAD~1', '--', HANDOFF),
  'everything of the commit before': (fleet) => fleet.git('checkout', '-q', 'HEAD~1', '--', 'rendered'),
  'all of it removed': (fleet) => {
    remove(fleet, TREE)
    remove(fleet, HANDOFF)
  },
  'the class removed': (fleet) => remove(fleet, STACK),
}

function edit(fleet: HandoffFleet, path: string, from: string, to: string): void {
  if (fleet.has(path)) fleet.edit(path, from, to)
}

function remove(fleet: HandoffFleet, path: string): void {
  if (fleet.has(path)) fleet.remove(path)
}

/** What a run lists or is refused with. */
async function listed(fleet: HandoffFleet, given: Partial<RenderOptions>): Promise<readonly string[]> {
  const run = fleet.render({ ...given, overwriteEdited: true })
  const problems = await problemsOf(run, fleet.folder)
  if (problems.length > 0) return problems.map((text) => text.split(' ')[0] ?? '')
  return (await run).changes.map(({ path, change }) => `${change} ${path}`)
}

describe.each(['flux', 'argocd'] as const)('a check of what stays as it is committed, handed to %s,', (tool) => {
  test.each(Object.entries(lives))('lists what a render writes: %s', { timeout: 300_000 }, async (_, specs) => {
    const fleet = await handoffFleet(tool)
    for (const spec of specs) {
      fleet.write(optionsFile, options(spec))
      await fleet.render()
      fleet.commit()
    }
    const found: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const [name, change] of Object.entries(edits)) {
      change(fleet)
      found[name] = await listed(fleet, { check: true })
      // what a decommission took out and lies there again is an error of its own
      const isBack = specs.length > 1 && name === 'everything of the commit before'
      expected[name] = isBack ? ['DECOMMISSION_UNDER_WAY'] : await listed(fleet, {})
      fleet.git('reset', '--hard', '-q', 'HEAD')
      fleet.git('clean', '-fdq')
    }
    expect(found).toEqual(expected)
  })
})
