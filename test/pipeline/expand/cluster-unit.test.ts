import { describe, expect, test } from 'vitest'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import { clusterStates } from '../../../src/pipeline/expand/cluster-state.ts'
import type { ClusterUnit } from '../../../src/pipeline/expand/cluster-unit.ts'
import { createExpander, type Expander } from '../../../src/pipeline/expand/create-expander.ts'
import { gatherClusters } from '../../../src/pipeline/expand/gather-clusters.ts'
import { openFleet } from '../../../src/pipeline/fleet/open-fleet.ts'
import { renderStacks } from '../../../src/pipeline/expand/render-stacks.ts'
import { stacksOf } from '../../../src/pipeline/expand/stack-state.ts'
import { readHandoffSources } from '../../../src/pipeline/deliver/handoff-templates.ts'
import { createImageChoice } from '../../../src/pipeline/deliver/image-variables.ts'
import { loadReleases } from '../../../src/pipeline/resolve/load-releases.ts'
import { selectPart } from '../../../src/pipeline/fleet/fleet-part.ts'
import { openInputs } from '../../../src/pipeline/resolve/open-inputs.ts'
import { createChartRenderer } from '../../../src/render/stack/chart-renderer.ts'
import { createPlacer } from '../../../src/render/stack/place.ts'
import type { ClusterOptions } from '../../../src/render/stack/render-cluster.ts'
import { serializeFolder } from '../../../src/write/serialize-folder.ts'
import { handoffFleet, options } from '../handoff-fleet.ts'

interface Gathered {
  readonly units: readonly ClusterUnit[]
  /** A new one each time, which has seen nothing. */
  readonly expander: () => Expander
  /** The files of a folder as one text. */
  readonly write: (folder: RenderedFolder) => string
}

/** The units of a fleet: one that is rendered, one that is frozen. */
async function gatherUnits(tool: 'flux' | 'argocd'): Promise<Gathered> {
  const folder = await handoffFleet(tool)
  folder.write('clusters/team-b/batch/options.yaml', options('{freeze: true}'))
  const { ports } = folder
  const { repository } = await openFleet({ start: folder.folder }, ports)
  const { fleet } = repository
  const part = selectPart(repository, { clusters: [], stacks: [] })
  const inputs = await openInputs(fleet, 'offline', ports)
  const loaded = await loadReleases(repository, part, inputs, { from: 'commit' })
  const render = (): ClusterOptions => ({
    helmVersion: fleet.helmVersion,
    instanceLabel: fleet.instanceLabel,
    scopes: fleet.scopes,
    charts: createChartRenderer(ports.crypto, { elapsed: () => 0, deadline: ports.deadline }),
    place: createPlacer(),
    crypto: ports.crypto,
    runtimeFields: 'bind',
  })
  const rendered = await renderStacks({ repository, part, loaded, render: render(), onStack: () => undefined })
  expect(stacksOf(rendered.stacks, 'rendered').map(({ stack }) => stack.namespace)).toEqual(['platform', 'platform'])
  const states = clusterStates(part, loaded)
  const gather = await gatherClusters(states, {
    fleet,
    stacks: rendered.byNeed,
    imagesFrom: new Map(),
    chooseImages: createImageChoice(fleet),
    tree: loaded.lifecycle?.tree,
    complete: inputs.complete,
    ports,
  })
  const units: ClusterUnit[] = []
  for (const state of states) units.push(await gather(state))
  const sources = await readHandoffSources(fleet, ports)
  return {
    units,
    expander: () => createExpander({ fleet, render: render(), sources, until: 'handoff' }),
    write: (folder) =>
      [...serializeFolder(folder, ports.crypto).files]
        .map(([name, { bytes }]) => `${name}\n${decodeUtf8(bytes)}`)
        .join(''),
  }
}

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

describe.each(['flux', 'argocd'] as const)('the clusters of a fleet for %s', (tool) => {
  test('are values: no ports, no functions', async () => {
    const { units } = await gatherUnits(tool)
    expect(units.map(({ kind }) => kind)).toEqual(['rendered', 'committed'])
    expect(functionsIn({ a: [new Map([['b', () => 0]])] })).toEqual(['.a.0.b'])
    expect(units.flatMap((unit) => functionsIn(unit))).toEqual([])
  })

  test('are expanded the same in any order, whatever was expanded before', async () => {
    const { units, expander, write } = await gatherUnits(tool)
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
})
