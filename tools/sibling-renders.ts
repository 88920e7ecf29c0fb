import { encodeUtf8 } from '../src/codec/bytes/utf8.ts'
import type { Chart } from '../src/model/chart.ts'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { fileOf } from '../src/model/manifest.ts'
import type { Deadline } from '../src/model/ports.ts'
import { positionAt } from '../src/model/source.ts'
import { createTokenTable } from '../src/model/token.ts'
import { identifyTokens } from '../src/model/token-identity.ts'
import type { Dict } from '../src/model/value.ts'
import { type ChartRenderer, type ChartRun, createChartRenderer } from '../src/render/stack/chart-renderer.ts'
import { buildChart } from '../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../src/system/node-ports.ts'

const ports = createNodePorts()
/** The charts are ours, and end; a watch for each costs more than they do. */
const untimed: Deadline = { within: (_, work) => work(), together: (_, work) => work() }

/** A chart of these files; `Chart.yaml` is added. */
export function chartOf(files: Readonly<Record<string, string>>): Chart {
  const all = { 'Chart.yaml': 'apiVersion: v2\nname: sample\nversion: 1.0.0\n', ...files }
  const list = Object.entries(all).map(([path, text]) => ({ path, bytes: encodeUtf8(text) }))
  return buildChart(list, 'sample', ports)
}

/** A renderer of charts. */
export function rendererOf(reuse: 'on' | 'off'): ChartRenderer {
  return createChartRenderer(ports.crypto, { elapsed: () => 0, deadline: untimed, reuse })
}

/** A render of a chart with values, as an addon. */
export function runOf(chart: Chart, values: Dict, more: Partial<ChartRun> = {}): ChartRun {
  return {
    chart,
    values,
    tokens: createTokenTable(),
    release: { name: 'addon', namespace: 'kube-system' },
    kubeVersion: 'v1.34.1',
    apiVersions: [],
    includeCrds: true,
    helmVersion: 4,
    from: 'release',
    unit: 'addon',
    ...more,
  }
}

/** All that a render gives, or the problems that it ends with, as plain data. */
export function outcomeOf(charts: ChartRenderer, run: ChartRun): unknown {
  try {
    const { manifests, findings, assumptions, apiQueries } = charts.render(run)
    return {
      manifests: manifests.map(({ object, deferred = [], ...head }) => ({
        ...head,
        object: [...orderOf(object)],
        deferred: deferred.map(({ tokens, text, ...rest }) => ({ ...rest, text: identifyTokens(text, tokens) })),
      })),
      findings,
      assumptions,
      apiQueries,
    }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ at, on, ...rest }) => ({
      ...rest,
      ...(at !== undefined && { place: [at.source.name, positionAt(at.source, at.start)] }),
      ...(on !== undefined && { on: fileOf(on.manifest.origin) }),
    }))
  }
}

/** Keys in their order, so that this counts too, with the values beside them. */
function orderOf(object: Dict): readonly unknown[] {
  const order = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(order)
    return value instanceof Map ? [...value].map(([key, child]: readonly unknown[]) => [key, order(child)]) : value
  }
  return [...object].map(([key, child]) => [key, order(child)])
}
