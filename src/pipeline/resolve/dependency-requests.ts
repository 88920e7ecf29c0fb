import { joinPath } from '../../codec/path.ts'
import type { Chart, ChartDependency } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import { lockedVersions } from '../../sources/dependency/locked-versions.ts'
import { missingDependencies } from '../../sources/dependency/missing-dependencies.ts'

/** A chart that another one requests from a repository. */
export interface WantedDependency {
  readonly dependency: ChartDependency
  readonly name: string
  readonly repository: string
  /** The version or range of Chart.yaml; the exact version where the chart's own Chart.lock says one. */
  readonly request: string
  /** The file that asks. */
  readonly file: string
}

/** The dependencies that a chart declares and does not vendor, and warnings about its own lock. */
export function dependencyRequests(
  chart: Chart,
  crypto: Crypto,
): { readonly wanted: readonly WantedDependency[]; readonly findings: readonly Diagnostic[] } {
  const missing = missingDependencies(chart)
  if (missing.length === 0) return { wanted: [], findings: [] }
  const { versions, findings } = lockedVersions(chart, crypto)
  const wanted = missing.map((dependency) => ({
    dependency,
    name: dependency.name,
    repository: dependency.repository,
    request: versions.get(dependency) ?? dependency.version,
    file: joinPath(chart.origin, 'Chart.yaml'),
  }))
  return { wanted, findings }
}
