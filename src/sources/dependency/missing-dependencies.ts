import type { Chart, ChartDependency } from '../../model/chart.ts'
import { isInRange } from './choose-version.ts'

/**
 * The dependencies that `helm template --dependency-update` would fetch for a chart. As in Helm (pkg/action,
 * CheckDependencies) only the chart's own declarations count, whether switched on or not, and nothing is fetched as
 * long as charts/ has a chart of each declared name. When one is missing Helm fetches all of them; here those are taken
 * as fetched already that charts/ has in a version that fits.
 */
export function missingDependencies(chart: Chart): readonly ChartDependency[] {
  const { dependencies: declared } = chart.metadata
  const vendors = ({ name }: ChartDependency): boolean =>
    chart.dependencies.some(({ metadata }) => metadata.name === name)
  if (declared.every(vendors)) return []
  return declared.filter((dependency) => {
    if (!vendors(dependency)) return true
    // Helm assumes without a look that what names no repository is there.
    return dependency.repository !== '' && !chart.dependencies.some((vendored) => fits(vendored, dependency))
  })
}

/** True if a chart is what a declaration asks for: name and version. */
export function fits({ metadata }: Chart, { name, version }: ChartDependency): boolean {
  return metadata.name === name && isInRange(version, metadata.version)
}
