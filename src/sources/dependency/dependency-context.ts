import type { ChartRepository } from '../../model/fleet.ts'
import type { Span } from '../../model/source.ts'
import type { SourceContext } from '../source-context.ts'
import type { OfferedCharts } from './offered-charts.ts'

/** The context for fetching charts. */
export interface DependencyContext extends SourceContext {
  /** How repositories are reached that need more than their address. */
  readonly repositories: readonly ChartRepository[]
  /** The indexes read so far, by repository: one run reads each once. */
  readonly indexes: Map<string, Promise<OfferedCharts>>
}

/** Makes the context of one run. */
export function createDependencyContext(
  context: SourceContext,
  repositories: readonly ChartRepository[],
): DependencyContext {
  return { ...context, repositories, indexes: new Map() }
}

/** A dependency as Chart.yaml asks for it. */
export interface DependencyRequest {
  readonly name: string
  readonly repository: string
  /** A version or a range. */
  readonly request: string
  /** The version that Chart.lock pins; the request is ignored then. */
  readonly version?: string
  /** The position that errors point at, or else the file that asks. */
  readonly at?: Span
  readonly file?: string
}

/** A dependency with its archive. */
export interface ResolvedDependency {
  readonly version: string
  /** Where the archive is, without credentials, query and mirror. */
  readonly url: string
  /** Digest of the manifest that was signed; only where the fleet asks for signatures. */
  readonly revision?: string
  /** `sha256:<hex>` of `bytes`. */
  readonly digest: string
  readonly bytes: Uint8Array
}

/** Where errors about a dependency point. */
export type DependencyPlace = Pick<DependencyRequest, 'at' | 'file'>

/** The fields of a diagnostic that say where. */
export function placeOf({ at, file }: DependencyPlace): { readonly at?: Span; readonly file?: string } {
  return at !== undefined ? { at } : file !== undefined ? { file } : {}
}
