import { baseName } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { Chart, ChartDependency } from '../../model/chart.ts'
import { fits } from './missing-dependencies.ts'

/**
 * Gives the chart as it would be read after its dependencies were fetched into charts/ (Helm pkg/downloader,
 * downloadAll and safeMoveDeps): one archive `<name>-<version>.tgz` for each chart, several declarations may share one;
 * packaged charts that no declaration asks for are gone, folders stay. The order is that of the names in charts/, as
 * everywhere.
 */
export function attachDependencies(chart: Chart, archives: ReadonlyMap<ChartDependency, Chart>): Chart {
  if (archives.size === 0) return chart
  const entries = new Map<string, Chart>()
  for (const vendored of chart.dependencies) {
    if (staysVendored(vendored, chart, archives))
      entries.set(baseName(archiveOf(vendored) ?? vendored.origin), vendored)
  }
  for (const attached of archives.values()) {
    const { name, version } = attached.metadata
    entries.set(`${name}-${version}.tgz`, attached)
  }
  const dependencies = [...entries].sort(([a], [b]) => compareBytes(a, b)).map(([, dependency]) => dependency)
  return { ...chart, dependencies }
}

/** Path of the archive that a packaged chart was read from. */
function archiveOf({ origin }: Chart): string | undefined {
  return /^(.+\.tgz)!\/[^/]*$/s.exec(origin)?.[1]
}

function staysVendored(vendored: Chart, chart: Chart, archives: ReadonlyMap<ChartDependency, Chart>): boolean {
  if (archiveOf(vendored) === undefined) return true
  return chart.metadata.dependencies.some((declared) => {
    if (archives.has(declared)) return false
    return fits(vendored, declared) || (declared.repository === '' && declared.name === vendored.metadata.name)
  })
}
