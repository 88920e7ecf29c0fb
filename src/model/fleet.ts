import type { Source, Span } from './source.ts'
import type { Dict, Value } from './value.ts'

/** Where releases come from. Members are told apart by `type`. */
export type SourceConfig =
  | { readonly name: string; readonly type: 'directory'; readonly path: string; readonly at: Span }
  | {
      readonly name: string
      readonly type: 'providerDirectory'
      readonly path: string
      readonly version?: string
      readonly at: Span
    }

/** Scope of a kind that is in no built-in table and has no CRD in the tree. */
export interface KindScope {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
}

/** stackmason.yaml. Paths are absolute after reading. */
export interface Fleet {
  readonly name: string
  /** The folder of stackmason.yaml. */
  readonly root: string
  readonly sources: readonly SourceConfig[]
  /** Which source serves which stack; a stack without an entry is looked up in every source. */
  readonly stackSources: readonly {
    readonly provider: string
    readonly stack: string
    readonly source: string
    readonly at: Span
  }[]
  /** Output folder, relative to `root` (it may lead out: `../rendered`). */
  readonly output: string
  readonly helmVersion: 3 | 4
  /** Whether `clusterstack.x-k8s.io/instance: owned` is set as CSO does. */
  readonly instanceLabel: boolean
  readonly scopes: readonly KindScope[]
}

/** A ClusterStack document (clusterstack.x-k8s.io/v1alpha1). */
export interface ClusterStack {
  readonly name: string
  readonly namespace: string
  readonly provider: string
  readonly stack: string
  /** `major.minor`, e.g. `1.32`. */
  readonly kubernetesVersion: string
  readonly channel: 'stable' | 'custom'
  /** Versions in dot form, as written. */
  readonly versions: readonly { readonly version: string; readonly at: Span }[]
  /** Never true off the stable channel: other versions have no order. */
  readonly autoSubscribe: boolean
  readonly at: Span
}

/** A value as written in a values file of the fleet. */
export interface ValuesFile {
  readonly source: Source
  readonly values: Dict
}

/** An entry of addons.yaml. */
export interface AddonEntry {
  readonly name: string
  readonly enabled: boolean
  /** Absolute folder or .tgz of a chart that the fleet brings. */
  readonly chart?: string
  /** Absolute folder of Handlebars templates that the fleet brings. */
  readonly templates?: string
  readonly namespace?: string
  readonly releaseName?: string
  readonly at: Span
}

/** A patch document of the fleet. Exactly one of `jsonPatch` and `mergePatch` is set. */
export interface Patch {
  readonly target: {
    readonly group?: string
    readonly version?: string
    readonly kind?: string
    readonly name?: string
    readonly namespace?: string
    readonly addon?: string
  }
  readonly jsonPatch?: readonly JsonPatchOperation[]
  readonly mergePatch?: Dict
  readonly optional: boolean
  readonly at: Span
}

/** RFC 6902. `value` is set for add, replace and test; `from` for move and copy. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: Value
  readonly at: Span
}

/** A Cluster document and all that the fleet says about it, farthest folder first where order matters. */
export interface Cluster {
  readonly name: string
  readonly namespace: string
  /** Folder of cluster.yaml, absolute. */
  readonly folder: string
  /** The Cluster object as written (integers GoInt), its namespace filled in. */
  readonly object: Dict
  readonly apiVersion: string
  /** `topology.class` (v1beta1) or `topology.classRef.name` (v1beta2). */
  readonly className: string
  readonly classAt: Span
  /** `topology.classNamespace` or `classRef.namespace`, else the Cluster's own. */
  readonly classNamespace: string
  /** `topology.version`. */
  readonly version: string
  readonly versionAt: Span
  readonly source: Source
  /** Further objects that lie beside cluster.yaml (other documents of the file), as written. */
  readonly beside: readonly Dict[]
  readonly addons: readonly AddonEntry[]
  /** By addon name, farthest first. */
  readonly values: ReadonlyMap<string, readonly ValuesFile[]>
  /** Farthest folder first, then file name order. */
  readonly patches: readonly Patch[]
  /** `Cluster.spec.controlPlaneEndpoint.host` and the like, supplied by the fleet. */
  readonly runtimeValues: ReadonlyMap<string, { readonly value: string; readonly at: Span }>
}

/** A fleet repository, read and validated. */
export interface FleetRepository {
  readonly fleet: Fleet
  readonly clusterStacks: readonly ClusterStack[]
  readonly clusters: readonly Cluster[]
}
