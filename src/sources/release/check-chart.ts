import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import type { Chart } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { formatTag, formatVersion, releasePrefix } from '../../model/release-name.ts'
import type { ReleaseName, ReleaseVersion } from '../../model/release.ts'
import type { Source, Span } from '../../model/source.ts'

/**
 * Where a chart's name is written: in the text of Chart.yaml, or in an archive that only the file's name can stand for.
 */
export type ChartPlace = { readonly at: Span } | { readonly file: string }

/** The two charts that carry the release's name. */
export type NamedChart = 'cluster-class' | 'cluster-addon'

/** The name a chart of the release must have: `<provider>-<stack>-<major>-<minor>-cluster-class`. */
export function chartNameFor(name: ReleaseName, kind: NamedChart): string {
  return `${releasePrefix(name)}-${kind}`
}

/** Where Chart.yaml says the name. */
export function chartNamePlace(chartYaml: Source): ChartPlace {
  const at = parsePositionedYaml(chartYaml).documents[0]?.spanOf(['name'])
  return at === undefined ? { file: chartYaml.name } : { at }
}

/**
 * Checks that the chart is named as its release wants it. Another name changes nothing in what is rendered here (the
 * Helm release name comes from the tag), but the cluster stack operator looks the chart up by that name, so it is a
 * warning.
 */
export function checkChartName(
  chart: Chart,
  release: ReleaseName,
  { kind, place }: { readonly kind: NamedChart; readonly place: ChartPlace },
): readonly Diagnostic[] {
  const wanted = chartNameFor(release, kind)
  if (chart.metadata.name === wanted) return []
  return [
    {
      code: 'RELEASE_MISMATCH',
      severity: 'warning',
      message: `the ${kind} chart of ${formatTag(release)} is called ${chart.metadata.name} instead of ${wanted}`,
      ...place,
      hint: `Set name: ${wanted} in ${kind}/Chart.yaml and build the release again; the cluster stack operator does not find the chart otherwise.`,
    },
  ]
}

/**
 * Refuses a packaged class chart that does not carry the release's version: class and template names end in the chart's
 * version, so clusters would ask for a class that nobody makes.
 * @throws StackmasonError RELEASE_MISMATCH
 */
export function checkClassVersion(chart: Chart, release: ReleaseName, file: string): void {
  const wanted = formatVersion(release.version, 'dot')
  if (chart.metadata.version === wanted) return
  throw new StackmasonError({
    code: 'RELEASE_MISMATCH',
    severity: 'error',
    message: `the cluster-class chart of ${formatTag(release)} has version ${chart.metadata.version} instead of ${wanted}`,
    file,
    hint: `Set version: ${wanted} in cluster-class/Chart.yaml and build the release again, or give the release the tag that fits.`,
  })
}

/** Checks that the addon chart of the old form carries the addon version of metadata.yaml; only labels depend on it. */
export function checkAddonVersion(chart: Chart, version: ReleaseVersion, file: string): readonly Diagnostic[] {
  const wanted = formatVersion(version, 'dot')
  if (chart.metadata.version === wanted) return []
  return [
    {
      code: 'RELEASE_MISMATCH',
      severity: 'warning',
      message: `the cluster-addon chart has version ${chart.metadata.version}, but metadata.yaml says ${wanted}`,
      file,
      hint: `Set version: ${wanted} in cluster-addon/Chart.yaml and build the release again.`,
    },
  ]
}
