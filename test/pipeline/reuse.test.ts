import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFleet } from '../../bench/support/make-fleet.ts'
import { type Diagnostic, StackmasonError } from '../../src/model/diagnostic.ts'
import { render, type RenderOptions, type RenderResult } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
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

  test.runIf(shared !== undefined).each([
    {
      object: 'kind: Service\nmetadata: {name: "{{ .Values.id }}_svc"}\nspec: {ports: [{port: 1}]}',
      said: 'Service kube-system/NAME_svc: no API server takes this name',
    },
    {
      object: 'kind: Secret\nmetadata: {name: "{{ .Values.id }}"}\nstringData: {p: "{{ randAlphaNum 8 }}"}',
      said: 'randAlphaNum makes a secret; placeholders stand at Secret NAME /stringData/p',
    },
    {
      object: 'kind: ConfigMap\nmetadata: {name: "{{ .Values.id }}"}\ndata: {p: "{{ randAlphaNum 8 }}"}',
      said: '/data/p of ConfigMap NAME (own/templates/a.yaml) holds what',
    },
  ])('in what is said of each cluster: $said', { timeout: 60_000 }, async ({ object, said }) => {
    const names = ['kube-1', 'kube-2', 'prod-3', 'true']
    makeFleet(folder, {
      providerDirectory: join(shared ?? '', 'cluster-stacks/providers/docker/scs'),
      provider: 'docker',
      stack: 'scs',
      kubernetesVersion: 'v1.30.10',
      clusters: 4,
    })
    const fleet = new FleetFolder(folder)
    fleet.write('charts/own/Chart.yaml', 'apiVersion: v2\nname: own\nversion: 1.0.0\n')
    fleet.write('charts/own/templates/a.yaml', `apiVersion: v1\n${object}\n`)
    fleet.write(
      'clusters/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - {name: own, chart: {path: ../charts/own}}\n',
    )
    for (const [index, id] of names.entries())
      fleet.write(`clusters/fleet/cluster-00${String(index + 1)}/values/own.yaml`, `id: "${id}"\n`)
    const outcomes: (readonly Diagnostic[])[] = []
    for (const reuse of ['on', 'off'] as const) {
      try {
        outcomes.push((await run(folder, { reuse, check: true })).findings)
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        outcomes.push(error.diagnostics)
      }
    }
    expect(outcomes[1]).toEqual(outcomes[0])
    const own = outcomes[0]?.filter(({ about }) => about?.addon === 'own').map(({ message }) => message.slice(0, 40))
    expect(own).toEqual(names.map((name) => said.replace('NAME', name).slice(0, 40)))
  })
})
if (shared === undefined) console.warn('reuse.test.ts: no shared data, the fleet of openstack/scs is not rendered')
