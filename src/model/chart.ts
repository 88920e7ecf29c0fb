import type { Source } from './source.ts'
import type { Dict } from './value.ts'

/** A file of a chart. `path` is relative to the chart's root, with `/`. */
export interface ChartFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** One entry of `dependencies` in Chart.yaml (or requirements.yaml of a v1 chart). */
export interface ChartDependency {
  readonly name: string
  readonly version: string
  readonly repository: string
  readonly condition: string
  readonly tags: readonly string[]
  readonly enabled: boolean
  readonly importValues: readonly (string | { readonly child: string; readonly parent: string })[]
  readonly alias: string
}

/** Chart.yaml with the fields that rendering needs; `raw` is the whole document. */
export interface ChartMetadata {
  readonly name: string
  readonly version: string
  readonly apiVersion: string
  readonly appVersion: string
  readonly type: string
  readonly kubeVersion: string
  readonly dependencies: readonly ChartDependency[]
  readonly raw: Dict
}

/** Chart.lock, or requirements.lock: what the dependencies resolved to when the chart was made. */
export interface ChartLock {
  readonly source: Source
  /** In the order of the declarations. */
  readonly dependencies: readonly Pick<ChartDependency, 'name' | 'version' | 'repository'>[]
  /** `sha256:<hex>` over declarations and dependencies, as the file says it. */
  readonly digest: string
  /**
   * The lock fits the declarations when one of these texts has the digest (Helm internal/resolver, HashReq and
   * HashV2Req).
   */
  readonly digestOf: readonly string[]
}

/**
 * A chart as loaded: nothing merged, nothing rendered, no dependency removed. Immutable, so it can be shared and
 * cached.
 */
export interface Chart {
  readonly metadata: ChartMetadata
  /** Where it was read, for messages: a path, or `archive.tgz!/cilium`. */
  readonly origin: string
  /** values.yaml as parsed; empty when there is none. Never change it: copy first. */
  readonly values: Dict
  /** values.yaml as text. */
  readonly valuesFile?: Source
  readonly lock?: ChartLock
  /** values.schema.json, if any. */
  readonly schema?: Source
  /** Everything below templates/, in path order. */
  readonly templates: readonly Source[]
  /** Everything below crds/, in path order. */
  readonly crds: readonly ChartFile[]
  /** The files behind `.Files` (crds/ included, see Helm's loader). */
  readonly files: readonly ChartFile[]
  /** The charts in charts/, whether declared or not. */
  readonly dependencies: readonly Chart[]
}
