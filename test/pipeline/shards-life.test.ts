import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Diagnostic, StackmasonError } from '../../src/model/diagnostic.ts'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { renderShard } from '../../src/pipeline/commands/render-shard.ts'
import { RandomFleet, type Step } from '../../tools/fleets/random-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What a run came to: all that it tells but how long it took, and the tree. */
interface Told {
  readonly told: unknown
  /** Messages of what stopped it. */
  readonly problems: readonly string[]
  /** What the steps of clusters are about. */
  readonly actions: readonly string[]
  readonly tree: ReadonlyMap<string, string>
}

async function outcomeOf(fleet: RandomFleet, options: Partial<RenderOptions>): Promise<Told> {
  let told: unknown
  let actions: readonly string[] = []
  let problems: readonly string[] = []
  try {
    const { duration: _, changes, ...result } = await fleet.render({ allowEmpty: true, ...options })
    told = { ...result, changes: [...changes] }
    actions = (result.steps ?? []).map(({ due }) => due.action)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    told = error.diagnostics
    problems = error.diagnostics.map(({ message }) => message)
  }
  return {
    told,
    actions,
    problems,
    tree: new Map(fleet.filesBelow('rendered').map((path) => [path, fleet.read(`rendered/${path}`)])),
  }
}

/** Renders the shards of a fleet; what stopped them, if anything did. */
async function shardsOf(
  fleet: RandomFleet,
  { of, into, check }: { readonly of: number; readonly into: string; readonly check: boolean },
): Promise<readonly Diagnostic[]> {
  const stopped: Diagnostic[] = []
  for (let index = 1; index <= of; index++) {
    const options = { start: fleet.folder, into, check, shard: { index, of }, program: 'test', isClean: () => true }
    try {
      await renderShard(options, fleet.ports, () => undefined)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      stopped.push(...error.diagnostics)
    }
  }
  return stopped
}

/** Values, upgrades, a freeze, addons that leave, a decommission, and the way back. */
const life: readonly Step[] = [
  { does: 'value', cluster: 'web', value: 1 },
  { does: 'class', cluster: 'web', release: 1 },
  { does: 'nothing' },
  { does: 'nothing' },
  { does: 'options', cluster: 'web', options: 1 },
  { does: 'value', cluster: 'web', value: 2 },
  { does: 'class', cluster: 'edge', release: 2 },
  { does: 'nothing' },
  { does: 'options', cluster: 'web', options: 0 },
  { does: 'addons', cluster: 'web', list: 3 },
  { does: 'addons', cluster: 'web', list: 1 },
  { does: 'nothing' },
  { does: 'options', cluster: 'edge', options: 3 },
  { does: 'options', cluster: 'edge', options: 4 },
  { does: 'options', cluster: 'edge', options: 5 },
  { does: 'nothing' },
  { does: 'folder', cluster: 'edge' },
  { does: 'revert' },
]

test.each(['flux', 'argocd', 'none'] as const)(
  'at every step of a life with %s shards come to what one run comes to',
  { timeout: 300_000 },
  async (tool) => {
    const fleet = await RandomFleet.open(await tempFolder(), tool)
    const place = await tempFolder()
    const [into, before] = [join(place, 'shards'), join(place, 'before')]
    const seen = new Set<string>()
    for (const [at, step] of life.entries()) {
      const start = fleet.git('rev-parse', 'HEAD')
      await fleet.take(step)
      let isWritten = false
      // a check of shards differs between tools in nothing but what they check
      const isChecked = tool === 'flux' || at % 3 === 0
      for (const check of isChecked ? [true, false] : [false]) {
        const stopped = await shardsOf(fleet, { of: 1 + (at % 3), into, check })
        if (fleet.has('rendered')) cpSync(fleet.path('rendered'), before, { recursive: true })
        const plain = await outcomeOf(fleet, { check })
        rmSync(fleet.path('rendered'), { recursive: true, force: true })
        expect(stopped.filter(({ message }) => !plain.problems.includes(message))).toEqual([])
        fleet.copy(before, 'rendered')
        const joined = await outcomeOf(fleet, { check, join: { folders: [into], program: 'test' } })
        expect({ at, ...joined }).toEqual({ at, ...plain })
        for (const folder of [into, before]) rmSync(folder, { recursive: true, force: true })
        isWritten = !Array.isArray(plain.told)
        for (const action of plain.actions) seen.add(action)
      }
      if (isWritten) fleet.commit()
      else {
        fleet.git('reset', '-q', '--hard', start)
        fleet.git('clean', '-fdq')
      }
    }
    const all = ['addons', 'class', 'delete', 'freeze', 'gone', 'prepare', 'release', 'remove', 'wait']
    expect([...seen].sort()).toEqual(tool === 'none' ? [] : all)
  },
)
