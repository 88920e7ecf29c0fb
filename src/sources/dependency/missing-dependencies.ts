import type { Chart, ChartDependency } from '../../model/chart.ts'

/** The dependencies that a chart declares and does not vendor. */
export function missingDependencies(_chart: Chart): readonly ChartDependency[] {
  return []
}
