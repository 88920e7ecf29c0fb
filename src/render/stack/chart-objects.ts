import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { RuntimeAssumption } from '../../model/token.ts'
import type { ApiQuery } from '../chart/capabilities.ts'

/** The result of a render; shared by every caller with equal inputs, so never change it. */
export interface ChartObjects {
  readonly manifests: readonly Manifest[]
  readonly findings: readonly Diagnostic[]
  /** The assumptions of the templates about values of the running cluster. */
  readonly assumptions: readonly RuntimeAssumption[]
  /** The questions of its templates about API versions, each once. */
  readonly apiQueries: readonly ApiQuery[]
}
