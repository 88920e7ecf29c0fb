import type { Chart, ChartFile } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { formatVersion } from '../../model/release-name.ts'
import type { ReleaseName, ReleaseVersion } from '../../model/release.ts'
import { readChartArchive } from '../chart/build-chart.ts'
import { chartNameFor, type NamedChart } from './check-chart.ts'
import { originPath } from './origin-path.ts'
import type { AssetReading, ReleaseAssets } from './release-assets.ts'

/** Which chart of a release is looked for. */
export interface WantedArchive {
  readonly release: ReleaseName
  readonly kind: NamedChart
  /** The version in its file name. */
  readonly version: ReleaseVersion
}

/** A chart archive of a release. */
export interface FoundChart extends ChartFile {
  readonly chart: Chart
}

/** The file name a release must have for this archive. */
export function archiveNameFor({ release, kind, version }: WantedArchive): string {
  return `${chartNameFor(release, kind)}-${formatVersion(version, 'dot')}.tgz`
}

/** The archive of that exact name, its version in dot or dash form. */
export function findByName(assets: ReleaseAssets, wanted: WantedArchive): string | undefined {
  const dashed = `${chartNameFor(wanted.release, wanted.kind)}-${formatVersion(wanted.version, 'dash')}.tgz`
  return [archiveNameFor(wanted), dashed].find((name) => assets.names.includes(name))
}

/**
 * The chart by its file name, else by what the charts in the archives call themselves: the one that ends in
 * `-cluster-class` or `-cluster-addon`, of several the one with the wanted version. Undefined when there is none.
 * @throws StackmasonError RELEASE_MISMATCH when several fit; ARCHIVE_*, CHART_* of the file with the right name, or of
 * those that could have been it
 */
export async function findChart(
  assets: ReleaseAssets,
  wanted: WantedArchive,
  ports: Pick<Ports, 'compression'>,
): Promise<FoundChart | undefined> {
  const read = async (path: string): Promise<FoundChart> => {
    const bytes = await assets.read(path)
    return { path, bytes, chart: readChartArchive(bytes, originPath(assets.origin, path), ports) }
  }
  const named = findByName(assets, wanted)
  if (named !== undefined) return read(named)
  const problems: Diagnostic[] = []
  const found: FoundChart[] = []
  for (const file of assets.names.filter((name) => isCandidate(name, wanted.kind))) {
    try {
      found.push(await read(file))
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      problems.push(...error.diagnostics)
    }
  }
  const fitting = found.filter(({ chart }) => chart.metadata.name.endsWith(`-${wanted.kind}`))
  const version = formatVersion(wanted.version, 'dot')
  const exact = fitting.filter(({ chart }) => chart.metadata.version === version)
  const best = exact.length > 0 ? exact : fitting
  if (best.length > 1) throw severalCharts(assets, wanted, best)
  if (best.length === 0 && problems.length > 0) throw new StackmasonError(problems)
  return best[0]
}

/** Notes when the archive was found, but not under the name that the cluster stack operator looks for. */
export function checkArchiveName(
  { assets, findings, misnamed }: AssetReading,
  wanted: WantedArchive,
  path: string,
): void {
  const name = archiveNameFor(wanted)
  if (path === name) return
  // dashes in the version are another spelling, and no other release
  const list = path === findByName(assets, wanted) ? findings : misnamed
  list.push({
    code: 'RELEASE_MISMATCH',
    severity: 'warning',
    message: `the ${wanted.kind} archive is called ${path} instead of ${name}`,
    file: originPath(assets.origin, path),
    hint: 'Rename it; the cluster stack operator does not find it otherwise.',
  })
}

/** Node images and the other kind's archive are large, or no charts at all. */
function isCandidate(file: string, kind: NamedChart): boolean {
  const other = kind === 'cluster-class' ? '-cluster-addon-' : '-cluster-class-'
  return file.endsWith('.tgz') && !file.includes('-node-image-') && !file.includes(other)
}

function severalCharts(assets: ReleaseAssets, wanted: WantedArchive, found: readonly FoundChart[]): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_MISMATCH',
    severity: 'error',
    message: `${assets.origin} has no ${archiveNameFor(wanted)}, and several others could be it: ${found.map(({ path }) => path).join(', ')}`,
    file: assets.origin,
    hint: 'Remove those that belong to other releases, or rename the right one.',
  })
}
