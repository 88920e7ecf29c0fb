import type { Chart } from './chart.ts'
import type { Source, Span } from './source.ts'

/** A release version: `major` and, off the stable channel, a channel word and patch (`v0-sha.abc1234`). */
export interface ReleaseVersion {
  readonly major: number
  /** `stable`, or the suffix's word (`sha`, `git`, `alpha` …). */
  readonly channel: string
  readonly patch: string
}

/** Identity of a release: `<provider>-<stack>-<major>-<minor>-<version>`. */
export interface ReleaseName {
  readonly provider: string
  readonly stack: string
  readonly kubernetes: { readonly major: number; readonly minor: number }
  readonly version: ReleaseVersion
}

/** One addon of a release. */
export interface ReleaseAddon {
  /** Folder name in the addon archive (`cni`); `cluster-addon` for a release of the old form. */
  readonly name: string
  readonly chart: Chart
  /** `overwrite.yaml` (multi-stage form) or `cluster-addon-values.yaml` (old form), as written. */
  readonly overwrite?: Source
}

/** A condition on objects of the workload cluster (clusteraddon.yaml). */
export interface StageCondition {
  readonly objects: readonly {
    readonly key: string
    readonly apiVersion: string
    readonly kind: string
    readonly name: string
    readonly namespace: string
  }[]
  readonly conditions: string
  /** The expression. */
  readonly at: Span
}

/** One stage of a hook in clusteraddon.yaml, in list order. */
export interface Stage {
  readonly addon: string
  readonly action: 'apply' | 'delete'
  readonly preCondition?: StageCondition
  readonly postCondition?: StageCondition
  readonly at: Span
}

/** The hooks of Cluster API that stages can be listed under. */
export type StageHook = 'AfterControlPlaneInitialized' | 'BeforeClusterUpgrade' | 'AfterClusterUpgrade'

/** A release, read and verified, whatever source it came from. */
export interface Release {
  readonly name: ReleaseName
  /** Full Kubernetes version with `v`, e.g. `v1.32.5`. */
  readonly kubernetesVersion: string
  /** Component versions of metadata.yaml in dot form. */
  readonly components: { readonly clusterAddon: string; readonly nodeImage: string }
  readonly clusterClass: Chart
  /** `single`: one addon chart of the old form, no stages. */
  readonly form: 'single' | 'multi-stage'
  readonly addons: readonly ReleaseAddon[]
  readonly stages: Readonly<Partial<Record<StageHook, readonly Stage[]>>>
  /** image.yaml, kubernetes.yaml and node-images.yaml, as far as they lie beside the rest; absent when none does. */
  readonly imageFiles?: readonly Source[]
  /** Where it was read, for messages. */
  readonly origin: string
  /** Lower-case hex sha256 over all of the release's content; equal content, equal digest. */
  readonly digest: string
}
