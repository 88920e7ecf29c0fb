/** Reference to the Flux source that holds the output folder. */
export interface FluxSourceReference {
  readonly kind: 'GitRepository' | 'OCIRepository' | 'ExternalArtifact'
  readonly name: string
  /** The namespace of the units when absent, as multi-tenancy lockdown demands. */
  readonly namespace?: string
}

/** The settings of a handoff that all tools share. */
interface CommonHandoff {
  /** The controller runs, and migrates objects whose definitions change their storage version. */
  readonly storageMigrations?: true
}

/** `spec.handoff.flux` of stackmason.yaml. Durations are Go durations (`10m`). */
export interface FluxHandoff extends CommonHandoff {
  readonly tool: 'flux'
  readonly source: FluxSourceReference
  /** Where the output folder lies in the source, e.g. `./rendered`. */
  readonly path: string
  /** Each cluster and stack is applied from an artifact of its own; only `handoff/` itself from the source. */
  readonly fromArtifacts?: true
  readonly interval: string
  readonly retryInterval: string
  readonly timeout: string
  readonly serviceAccountName?: string
  readonly decryption?: { readonly provider: string; readonly secretName?: string }
  /** Value of the label `sharding.fluxcd.io/key`. */
  readonly shard?: string
  /** Write a Namespace for every namespace with stacks or clusters. */
  readonly createNamespaces?: true
}

/** `spec.handoff.argocd` of stackmason.yaml. */
export interface ArgoHandoff extends CommonHandoff {
  readonly tool: 'argocd'
  /** Namespace of Argo CD's own objects. */
  readonly namespace: string
  /** The AppProject of the Applications that hold Applications: of this fleet alone. */
  readonly project: string
  readonly repoURL: string
  readonly targetRevision: string
  /** Where the output folder lies in the repository, e.g. `rendered`. */
  readonly path: string
  /** The controller makes the cluster Secrets: each cluster asks it to. */
  readonly clusterSecrets?: true
  /**
   * Argo CD takes over what another tool has applied, and prunes nothing yet: objects that it applied in an earlier
   * life name the Applications of that time, and it would prune those that have moved since.
   */
  readonly takesOver?: true
}

/** Which GitOps tool applies the tree; without one no handoff objects are written. */
export type HandoffConfig = FluxHandoff | ArgoHandoff

/** How addons are divided among units: one for those of the release and one for the cluster's own, or one for each. */
export type AddonUnits = 'perOwner' | 'perAddon'
