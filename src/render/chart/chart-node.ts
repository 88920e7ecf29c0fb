import type { Chart, ChartDependency } from '../../model/chart.ts'
import type { Dict } from '../../model/value.ts'

/**
 * A chart in the tree of one render: what Helm changes on its chart objects while it processes dependencies is kept
 * here.
 */
export interface ChartNode {
  readonly chart: Chart
  /** The alias where there is one, else the chart's own name. */
  readonly name: string
  /** Default values, with what was imported from dependencies; never changed in place. */
  readonly values: Dict
  /** The declarations of enabled dependencies, named by their alias. */
  readonly declared: readonly ChartDependency[]
  readonly dependencies: readonly ChartNode[]
}

/** Makes the tree of a chart as loaded: nothing disabled, renamed or imported. */
export function createChartNode(chart: Chart): ChartNode {
  return {
    chart,
    name: chart.metadata.name,
    values: chart.values,
    declared: chart.metadata.dependencies,
    dependencies: chart.dependencies.map(createChartNode),
  }
}
