import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { readPlain, writePlain } from '../../../src/codec/plain-text.ts'
import type { ClusterUnit } from '../../../src/pipeline/expand/cluster-unit.ts'
import { fixedEndpoint } from '../../../tools/fleets/example-fleet.ts'
import { bothClusters, cluster, handoffFleet, type HandoffFleet, options } from '../handoff-fleet.ts'
import { gatherUnits } from './gather-units.ts'

/** A unit as it is sent to threads and hashed: equal units give the same text. */
const encodeUnit = (unit: ClusterUnit): string => writePlain(unit)
const decodeUnit = (text: string): ClusterUnit => readPlain(text) as ClusterUnit

/** Paths of functions in a value; of what stands in several places, one. */
function functionsIn(value: unknown, path = '', seen = new Set<unknown>()): readonly string[] {
  if (typeof value === 'function') return [path]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const entries: readonly (readonly [string, unknown])[] =
    value instanceof Map
      ? [...value].flatMap(([key, entry], index) => [
          [`key ${String(index)}`, key],
          [typeof key === 'string' ? key : String(index), entry],
        ])
      : Object.entries(value)
  return entries.flatMap(([name, entry]) => functionsIn(entry, `${path}.${name}`, seen))
}

/** A fleet of one cluster that is rendered, and one that is frozen. */
async function frozenFleet(tool: 'flux' | 'argocd'): Promise<HandoffFleet> {
  const fleet = await handoffFleet(tool, bothClusters)
  fleet.write('clusters/team-b/batch/options.yaml', options('{freeze: true}'))
  return fleet
}

/** Changes of a fleet, and the kinds of its units then. */
const changes: readonly {
  readonly name: string
  readonly change: (fleet: HandoffFleet) => void
  readonly kinds: readonly ClusterUnit['kind'][]
}[] = [
  { name: 'patches, values, and an addon of its own', change: () => undefined, kinds: ['rendered', 'rendered'] },
  {
    name: 'values of the running cluster',
    change(fleet) {
      fleet.edit(cluster, fixedEndpoint, '')
    },
    kinds: ['rendered', 'rendered'],
  },
  {
    name: 'a release to upgrade to',
    change(fleet) {
      fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
      fleet.edit('stacks/demo.yaml', '- v3', '- v4')
      fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    },
    kinds: ['rendered', 'rendered'],
  },
  {
    name: 'a freeze, and a decommission',
    change(fleet) {
      fleet.write(cluster.replace('cluster.yaml', 'options.yaml'), options('{decommission: {}}'))
      fleet.write('clusters/team-b/batch/options.yaml', options('{freeze: true}'))
    },
    kinds: ['committed', 'committed'],
  },
  {
    name: 'a patch that does not apply',
    change(fleet) {
      fleet.write(
        'clusters/team-a/web/patches/broken.yaml',
        'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  jsonPatch:\n    - {op: remove, path: /spec/none}\n',
      )
    },
    kinds: ['rendered', 'rendered'],
  },
]

describe.each(['flux', 'argocd'] as const)('the clusters of a fleet for %s', (tool) => {
  test('are values: no ports, no functions', async () => {
    const { units } = await gatherUnits(await frozenFleet(tool))
    expect(units.map(({ kind }) => kind)).toEqual(['rendered', 'committed'])
    expect(functionsIn({ a: [new Map([['b', () => 0]])] })).toEqual(['.a.0.b'])
    expect(units.flatMap((unit) => functionsIn(unit))).toEqual([])
  })

  test('are expanded the same in any order, whatever was expanded before', async () => {
    const { units, expander, write } = await gatherUnits(await frozenFleet(tool))
    const expand = (ordered: readonly ClusterUnit[]): ReadonlyMap<string, string> => {
      const { cluster } = expander()
      return new Map(
        ordered.flatMap((unit) => cluster(unit).folders.map((folder) => [folder.path, write(folder)] as const)),
      )
    }
    const there = expand(units)
    const back = expand(units.toReversed())
    expect([...there.keys()].filter((path) => path.startsWith('handoff/'))).toEqual([
      'handoff/team-a/web',
      'handoff/team-b/batch',
    ])
    expect(back).toEqual(there)
  })

  test.each(changes)('are expanded the same when they were sent as text: $name', async ({ change, kinds }) => {
    const fleet = await handoffFleet(tool, bothClusters)
    change(fleet)
    const { units, expander, write } = await gatherUnits(fleet)
    expect(units.map(({ kind }) => kind)).toEqual(kinds)
    expect(units.flatMap((unit) => functionsIn(unit))).toEqual([])
    const expand = (unit: ClusterUnit): unknown => {
      const { summary, units: made, folders, rendered, locator } = expander().cluster(unit)
      return {
        summary,
        units: made.map(({ name, path, dependsOn }) => ({ name, path, dependsOn })),
        folders: folders.map((folder) => [folder.path, write(folder)]),
        places: rendered.flatMap(({ manifests }) =>
          manifests.map((manifest) =>
            [['metadata', 'name'], ['spec'], ['data']].map((path) => locator?.locate(manifest, path)),
          ),
        ),
      }
    }
    for (const unit of units) {
      const text = encodeUnit(unit)
      expect(encodeUnit(decodeUnit(text))).toBe(text)
      expect(expand(decodeUnit(text))).toEqual(expand(unit))
    }
    const again = await gatherUnits(fleet)
    expect(again.units.map(encodeUnit)).toEqual(units.map(encodeUnit))
  })
})

test('the text of a unit changes with each file that it is made of', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  const texts = async (): Promise<readonly string[]> => (await gatherUnits(fleet)).units.map(encodeUnit)
  const before = await texts()
  const files = ['clusters', 'providers'].flatMap((folder) =>
    fleet.filesBelow(folder).map((path) => `${folder}/${path}`),
  )
  const unseen: string[] = []
  for (const path of files) {
    const content = fleet.read(path)
    fleet.write(path, `${content}\n`)
    if ((await texts()).every((text, index) => text === before[index])) unseen.push(path)
    fleet.write(path, content)
  }
  expect(files.length).toBeGreaterThan(20)
  expect(unseen).toEqual([])
})

test('a unit comes back whole from another thread', async () => {
  const { units } = await gatherUnits(await frozenFleet('flux'))
  const worker = new Worker(
    "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (text) => parentPort.postMessage(text))",
    { eval: true },
  )
  try {
    for (const unit of units) {
      worker.postMessage(encodeUnit(unit))
      const [text]: readonly unknown[] = await once(worker, 'message')
      expect(decodeUnit(String(text))).toEqual(unit)
    }
  } finally {
    await worker.terminate()
  }
})
