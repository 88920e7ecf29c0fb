import type { Fleet } from '../../model/fleet.ts'
import type { Crypto } from '../../model/ports.ts'
import { createPlaceMemory } from '../../render/explain/place-memory.ts'
import { createTraceMemory } from '../../render/explain/trace-memory.ts'
import { type ChartRendererOptions, createChartRenderer } from '../../render/stack/chart-renderer.ts'
import { createFinisher } from '../../render/stack/create-finisher.ts'
import type { ClusterOptions } from '../../render/stack/render-cluster.ts'
import { judgeClusterFields } from '../../sources/fleet/judge-cluster-fields.ts'

/** How the clusters of a fleet are rendered, with what this thread remembers of them. */
export function renderOptions(
  fleet: Fleet,
  { crypto, ...options }: ChartRendererOptions & { readonly crypto: Crypto },
): ClusterOptions {
  return {
    helmVersion: fleet.helmVersion,
    instanceLabel: fleet.instanceLabel,
    scopes: fleet.scopes,
    charts: createChartRenderer(crypto, options),
    finish: createFinisher(),
    traceMemory: createTraceMemory(),
    placeMemory: createPlaceMemory(),
    crypto,
    judgeCluster: judgeClusterFields,
    runtimeFields: fleet.handoff === undefined ? 'refuse' : 'bind',
  }
}
