import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFleet } from '../../bench/support/make-fleet.ts'
import { render, type RenderOptions, type RenderResult } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
const ports = createNodePorts()
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stackmason-reuse-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(fleet: string, options: Partial<RenderOptions>): Promise<RenderResult> {
  const defaults = { start: fleet, clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
  return render({ ...defaults, ...options }, ports, () => undefined)
}

/**
 * Renders with reuse, then compares what each chart renders to by itself. Returns how many charts were rendered then
 * and then.
 */
async function expectSame(fleet: string): Promise<readonly number[]> {
  const reused = await run(fleet, {})
  const alone = await run(fleet, { reuse: 'off', check: true })
  expect([...alone.changes]).toEqual([])
  expect(alone.findings).toEqual(reused.findings)
  expect(alone.objects).toBe(reused.objects)
  return [reused.charts, alone.charts]
}

describe('what is reused is what would have been rendered', () => {
  test('in the example fleet', async () => {
    cpSync(join(import.meta.dirname, '../..'), folder, {
      recursive: true,
      filter: (path) => !/[/\\](?:node_modules|\.git|\.cache|dist|src|test|coverage)(?:$|[/\\])/.test(path),
    })
    expect(await expectSame(join(folder, 'examples/fleet'))).toEqual([7, 7])
  })

  test.runIf(shared !== undefined)('in a fleet of openstack/scs', { timeout: 60_000 }, async () => {
    makeFleet(folder, {
      providerDirectory: join(shared ?? '', 'cluster-stacks/providers/openstack/scs'),
      provider: 'openstack',
      stack: 'scs',
      kubernetesVersion: 'v1.32.5',
      clusters: 4,
    })
    // one class; of four addons only cni does not know its cluster
    expect(await expectSame(folder)).toEqual([1 + 1 + 3 * 4, 1 + 4 * 4])
  })
})
if (shared === undefined) console.warn('reuse.test.ts: no shared data, the fleet of openstack/scs is not rendered')
