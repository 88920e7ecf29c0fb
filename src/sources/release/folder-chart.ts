import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart, ChartFile } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { withField } from '../../model/field.ts'
import type { Ports } from '../../model/ports.ts'
import type { ReleaseAddon } from '../../model/release.ts'
import { buildChart } from '../chart/build-chart.ts'
import { applyHelmIgnore } from '../chart/helm-ignore.ts'

type Unpacking = Pick<Ports, 'compression'>

/** The charts of a multi-stage addon archive or folder. */
export interface AddonCharts {
  readonly addons: readonly ReleaseAddon[]
  readonly foldersWithoutChart: readonly string[]
}

/** The files below `folder`, their paths relative to it. */
export function filesBelow(files: readonly ChartFile[], folder: string): readonly ChartFile[] {
  const prefix = `${folder}/`
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, bytes }) => ({ path: path.slice(prefix.length), bytes }))
}

/**
 * Makes a chart of files that Helm would read from a folder: .helmignore applies, and the order (which decides that of
 * CRDs) is folder by folder.
 * @throws StackmasonError CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*
 */
export function buildFolderChart(files: readonly ChartFile[], origin: string, ports: Unpacking): Chart {
  const kept = applyHelmIgnore(files, origin).map((file) => ({ file, steps: file.path.split('/') }))
  kept.sort((a, b) => compareSteps(a.steps, b.steps))
  return buildChart(
    kept.map(({ file }) => file),
    origin,
    ports,
  )
}

/**
 * Makes the addons of a multi-stage release: each folder with a Chart.yaml is one, and its overwrite.yaml, if any, its
 * runtime values template. The operator unpacks the archive and lets Helm read folders, so .helmignore applies here as
 * well.
 * @throws StackmasonError CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*, with the problems of every addon
 */
export function buildAddons(files: readonly ChartFile[], origin: string, ports: Unpacking): AddonCharts {
  const folders = new Map<string, ChartFile[]>()
  for (const { path, bytes } of files) {
    const slash = path.indexOf('/')
    if (slash === -1) continue
    const folder = path.slice(0, slash)
    const own = folders.get(folder) ?? []
    folders.set(folder, own)
    own.push({ path: path.slice(slash + 1), bytes })
  }
  const problems: Diagnostic[] = []
  const addons: ReleaseAddon[] = []
  const foldersWithoutChart: string[] = []
  for (const [name, own] of [...folders].toSorted(([a], [b]) => compareBytes(a, b))) {
    if (!own.some(({ path }) => path === 'Chart.yaml')) {
      foldersWithoutChart.push(name)
      continue
    }
    const place = `${origin}/${name}`
    try {
      const overwrite = own.find(({ path }) => path === 'overwrite.yaml')
      addons.push({
        name,
        chart: buildFolderChart(own, place, ports),
        ...(overwrite && { overwrite: { name: `${place}/overwrite.yaml`, text: decodeUtf8(overwrite.bytes) } }),
      })
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      problems.push(...error.diagnostics)
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  return { addons, foldersWithoutChart }
}

/** The chart with another version, as csctl writes it into Chart.yaml before packaging. */
export function withChartVersion(chart: Chart, version: string): Chart {
  const { metadata } = chart
  return { ...chart, metadata: { ...metadata, version, raw: withField(metadata.raw, ['version'], version) } }
}

function compareSteps(a: readonly string[], b: readonly string[]): number {
  for (const [index, step] of a.entries()) {
    const difference = compareBytes(step, b[index] ?? '')
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
