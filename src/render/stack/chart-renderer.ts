import { formatGoJson } from '../../codec/go-json.ts'
import type { Chart } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Crypto } from '../../model/ports.ts'
import { createTokenTable } from '../../model/token.ts'
import type { Dict } from '../../model/value.ts'
import { renderChart } from '../chart/render-chart.ts'
import { parseManifests } from './parse-manifests.ts'

/** One chart render: everything that its objects depend on. */
export interface ChartRun {
  readonly chart: Chart
  /** Merged values of overwrite.yaml and the fleet. */
  readonly values: Dict
  readonly release: { readonly name: string; readonly namespace: string }
  /** With `v`; absent = Helm's default, as CSO renders the class. */
  readonly kubeVersion?: string
  readonly includeCrds: boolean
  readonly helmVersion: 3 | 4
  /** For messages and the inventory: release tag or path, and the unit's name. */
  readonly from: string
  readonly unit: string
}

/** What a run gave; shared by every caller with equal inputs, so never change it. */
export interface ChartObjects {
  readonly manifests: readonly Manifest[]
  readonly findings: readonly Diagnostic[]
}

/** Renders charts to objects; equal inputs are rendered once. `runs` counts what was really rendered. */
export interface ChartRenderer {
  readonly render: (run: ChartRun) => ChartObjects
  readonly runs: () => number
}

/** Makes a renderer whose memory lasts as long as it does. */
export function createChartRenderer(crypto: Crypto, elapsed: () => number): ChartRenderer {
  const known = new Map<Chart, Map<string, ChartObjects>>()
  let runs = 0
  return {
    runs: () => runs,
    render(run) {
      const key = [
        run.from,
        run.unit,
        run.release.name,
        run.release.namespace,
        run.kubeVersion ?? '',
        run.helmVersion,
        run.includeCrds,
        formatGoJson(run.values),
      ].join('\n')
      const ofChart = known.get(run.chart) ?? new Map<string, ChartObjects>()
      known.set(run.chart, ofChart)
      const before = ofChart.get(key)
      if (before !== undefined) return before
      runs++
      const objects = renderObjects(run, crypto, elapsed)
      ofChart.set(key, objects)
      return objects
    },
  }
}

function renderObjects(run: ChartRun, crypto: Crypto, elapsed: () => number): ChartObjects {
  const findings: Diagnostic[] = []
  const rendered = renderChart(run.chart, {
    release: { ...run.release, isUpgrade: false, revision: 1 },
    values: run.values,
    ...(run.kubeVersion === undefined ? {} : { kubeVersion: run.kubeVersion }),
    helmVersion: run.helmVersion,
    includeCrds: run.includeCrds,
    hooks: 'all',
    skipTests: false,
    skipSchemaValidation: false,
    generate: 'placeholder',
    crypto,
    tokens: createTokenTable(),
    onFinding: (finding) => findings.push(finding),
    elapsed,
  })
  const documents = [...rendered.crds, ...rendered.manifests, ...rendered.hooks]
  const manifests = documents.flatMap(({ path, text }) =>
    parseManifests(text, { from: run.from, unit: run.unit, template: path }),
  )
  return { manifests, findings }
}
