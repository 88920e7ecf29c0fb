import type { Span } from './source.ts'

/** The operators of Kubernetes' label selectors. */
export const labelOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** A LabelSelector, as Kubernetes has it: all of it must hold. */
export interface LabelSelector {
  readonly matchLabels: ReadonlyMap<string, string>
  readonly matchExpressions: readonly {
    readonly key: string
    readonly operator: (typeof labelOperators)[number]
    readonly values: readonly string[]
  }[]
}

/** Clusters that are upgraded together. */
export interface WaveConfig {
  readonly name: string
  /** By the labels in cluster.yaml. */
  readonly clusters: LabelSelector
  /** Milliseconds that the wave stays at a release before the next wave gets it. */
  readonly rest: number
  /** Why nothing goes on here. */
  readonly hold?: string | undefined
}

/** An entry of `spec.rollouts`: how releases reach clusters. */
export interface RolloutConfig {
  /** Absent: each stack that no other entry names. */
  readonly stack?: { readonly provider: string; readonly stack: string } | undefined
  /** The newest minor that clusters go to, `1.35`; absent: the newest on offer. */
  readonly kubernetesVersion?: string | undefined
  readonly waves: readonly WaveConfig[]
  readonly at: Span
}
