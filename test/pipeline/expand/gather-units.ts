import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import { clusterStates } from '../../../src/pipeline/expand/cluster-state.ts'
import type { ClusterUnit } from '../../../src/pipeline/expand/cluster-unit.ts'
import { createExpander, type Expander } from '../../../src/pipeline/expand/create-expander.ts'
import { gatherClusters } from '../../../src/pipeline/expand/gather-clusters.ts'
import { openFleet } from '../../../src/pipeline/fleet/open-fleet.ts'
import { renderStacks } from '../../../src/pipeline/expand/render-stacks.ts'
import { readHandoffSources } from '../../../src/pipeline/deliver/handoff-templates.ts'
import { createImageChoice } from '../../../src/pipeline/deliver/image-variables.ts'
import { loadReleases } from '../../../src/pipeline/resolve/load-releases.ts'
import { selectPart } from '../../../src/pipeline/fleet/fleet-part.ts'
import { openInputs } from '../../../src/pipeline/resolve/open-inputs.ts'
import { createChartRenderer } from '../../../src/render/stack/chart-renderer.ts'
import { createFinisher } from '../../../src/render/stack/create-finisher.ts'
import type { ClusterOptions } from '../../../src/render/stack/render-cluster.ts'
import { serializeFolder } from '../../../src/write/serialize-folder.ts'
import type { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'

/** The units of a fleet, and what expands them. */
export interface Gathered {
  readonly units: readonly ClusterUnit[]
  /** A new one each time, which has seen nothing. */
  readonly expander: () => Expander
  /** The files of a folder as one text. */
  readonly write: (folder: RenderedFolder) => string
}

/** Gathers the units of all clusters of a fleet, as a run does. */
export async function gatherUnits(folder: FleetFolder): Promise<Gathered> {
  const { ports } = folder
  const { repository } = await openFleet({ start: folder.folder }, ports)
  const { fleet } = repository
  const part = selectPart(repository, { clusters: [], stacks: [] })
  const inputs = await openInputs(fleet, { network: 'offline' }, ports)
  const loaded = await loadReleases(repository, part, inputs, { from: 'commit' })
  const render = (): ClusterOptions => ({
    helmVersion: fleet.helmVersion,
    instanceLabel: fleet.instanceLabel,
    scopes: fleet.scopes,
    charts: createChartRenderer(ports.crypto, { elapsed: () => 0, deadline: ports.deadline }),
    finish: createFinisher(),
    crypto: ports.crypto,
    runtimeFields: 'bind',
  })
  const rendered = await renderStacks({ repository, part, loaded, render: render(), onStack: () => undefined })
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
