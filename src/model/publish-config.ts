import type { ServerAccess } from './credentials.ts'
import type { FindingsForm, ForgeKind, MergeMethod } from './forge.ts'
import type { Span } from './source.ts'
import type { TimeWindow } from './time-window.ts'

/** The scope of one pull request. */
export type Grouping = 'fleet' | 'namespace' | 'cluster'

/** The settings of new pull requests. */
export interface PullRequestConfig {
  readonly title?: string | undefined
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
  readonly teams: readonly string[]
  readonly assignees: readonly string[]
  readonly isDraft: boolean
  readonly grouping: Grouping
  /** Absent: people merge. */
  readonly autoMerge?: MergeMethod | undefined
}

/** The forge as the fleet names it. */
export interface PublishForge extends ServerAccess {
  readonly kind?: ForgeKind | undefined
  /** Without a slash at the end. */
  readonly url?: string | undefined
}

/** Names of the commit statuses that are awaited after each kind of step, with placeholders. */
export interface StatusNames {
  readonly addons: readonly string[]
  readonly class: readonly string[]
}

/** The key that artifacts are signed with; it is never in the fleet itself. */
export interface ArtifactSigning {
  /** Absolute; or else the variable that holds the key. */
  readonly keyFile?: string | undefined
  readonly keyVariable?: string | undefined
  /** The variable that holds the password of an encrypted key. */
  readonly passwordVariable: string
}

/** `spec.publish.oci` of stackmason.yaml: artifacts of the tree in a registry. */
export interface ArtifactConfig extends ServerAccess {
  /** `host[:port]`. */
  readonly host: string
  /** Path without host. */
  readonly repository: string
  /** One of the whole tree, or one of each cluster and stack, which the tree pins. */
  readonly artifacts: 'fleet' | 'units'
  readonly tags: readonly ('branch' | 'commit')[]
  readonly signing?: ArtifactSigning | undefined
  /** How Flux gets artifacts of units. */
  readonly flux: {
    readonly secretName?: string | undefined
    readonly verifySecretName?: string | undefined
    readonly interval: string
  }
  readonly at: Span
}

/** `spec.publish` of stackmason.yaml, and what holds where it says nothing. */
export interface PublishConfig {
  readonly into: 'pullRequest' | 'branch'
  readonly base?: string
  readonly repository?: string
  readonly branch?: string
  /** From the root of the repository; '' for the root itself. */
  readonly path?: string | undefined
  readonly branchPrefix: string
  readonly forge: PublishForge
  readonly pullRequest: PullRequestConfig
  /** How findings are shown beside a pull request. */
  readonly findings: FindingsForm | 'none'
  /** Absent: a step of an upgrade follows as soon as the one before is on the branch. */
  readonly statuses?: StatusNames
  /** Absent: no artifacts. */
  readonly oci?: ArtifactConfig | undefined
  /** When pull requests are opened; none: at any time. */
  readonly schedule: readonly TimeWindow[]
  readonly limits: {
    /** As many may be open when another one is opened. */
    readonly openPullRequests?: number
  }
  /** Where stackmason.yaml says so, if it does. */
  readonly at?: Span | undefined
}
