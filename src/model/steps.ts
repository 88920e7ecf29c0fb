import type { Span } from './source.ts'
import type { Dict } from './value.ts'

/**
 * How far a decommission may go; the owner moves it on by hand, because each step destroys more than the one before.
 */
export type DecommissionStep = 'prepare' | 'delete' | 'finish'

/** A step of an upgrade that somebody has looked at in the running cluster. */
export interface AcknowledgedStep {
  /**
   * `addons`: those of the release were applied; `class`: the Cluster has rolled out at the class and version of the
   * release.
   */
  readonly step: 'addons' | 'class'
  /** Class name of the release. */
  readonly release: string
  readonly at: Span
}

/** `spec` of a cluster's options.yaml. */
export interface ClusterOptions {
  /** The tool leaves the cluster's units alone. */
  readonly isSuspended: boolean
  /** The committed files of the cluster stay, whatever its inputs say. */
  readonly isFrozen: boolean
  /** Where options.yaml says so. */
  readonly frozenAt?: Span
  /** Why no pull request may change the cluster for now. */
  readonly hold?: string
  /** The owner says that the step of an upgrade that the tree holds was applied, and checked. */
  readonly acknowledged?: AcknowledgedStep
  /**
   * A release by its class name: the owner says that no GitOps tool has applied a commit in which the Cluster was at
   * it.
   */
  readonly neverApplied?: { readonly release: string; readonly at: Span }
  /**
   * The class of a Cluster that earlier commits have, and that the tree lost: the owner says that nothing of it runs,
   * or that it runs as cluster.yaml says.
   */
  readonly startOver?: { readonly release: string; readonly at: Span }
  /** Present: the cluster is to go. */
  readonly decommission?: { readonly step: DecommissionStep; readonly at: Span }
}

/**
 * The state of a cluster in the tree that the tool applies. Releases go by their class names (`openstack-scs2-1-34-v3`,
 * the dot form).
 */
export interface CommittedCluster {
  /** The Cluster object; absent when a decommission has taken it out. */
  readonly object?: Dict
  /** `topology.class` of `object`, or what it was when a decommission took it out. */
  readonly className?: string
  /** `topology.version` of `object`. */
  readonly version?: string
  /** The release that the addons are of; that of `className` unless an upgrade is under way. */
  readonly addons?: string
  /** Where the upgrade that is under way leads. */
  readonly target?: string
  /** The step of a decommission that is written, and how far it was allowed to go then. */
  readonly decommission?: { readonly step: 'prepare' | 'delete' | 'release'; readonly limit: DecommissionStep }
}

/** A cluster as an earlier commit has it. */
export interface EarlierCluster {
  /** The commit as people can name it: a revision that they gave, or an id. */
  readonly commit: string
  /** How many commits of the line come after that one; absent for one that was given. */
  readonly age?: number
  readonly committed: CommittedCluster | undefined
}

/** The start that options.yaml of a cluster names in a commit, and in those before it until the next older one. */
export interface EarlierStart {
  /** How many commits of the line come after that one. */
  readonly age: number
  /** The class that `startOver` names; undefined for none. */
  readonly release: string | undefined
}

/** A cluster that the tree has lost: no decommission has taken it out. */
export interface LostCluster {
  /** The newest commit that has it, as people can name it. */
  readonly commit: string
  /** The command that brings back what the commit has of it. */
  readonly restore: string
}

/** The change that a step makes to the tree. */
export type StepAction =
  /** The cluster is new: everything is written. */
  | 'create'
  /** The tree is what the inputs say: everything is written, nothing is held back. */
  | 'keep'
  /** The addons of the next release are written; the Cluster stays at its class and version. */
  | 'addons'
  /** The Cluster gets the class and the version of the release that its addons are of. */
  | 'class'
  /** A step is written already, and nothing says that it was applied or that the next one may follow. */
  | 'wait'
  /** options.yaml freezes the cluster. */
  | 'freeze'
  /** Decommission: the tool lets go of the addons, and may delete the Cluster from now on. */
  | 'prepare'
  /** Decommission: the Cluster leaves the tree, so that the tool deletes it. */
  | 'delete'
  /** Decommission: the addons leave the tree; the cluster's unit takes along what it holds when it goes. */
  | 'release'
  /** Decommission: the cluster's units leave the tree. */
  | 'remove'
  /** Decommission: nothing is left but the inputs, which may be deleted. */
  | 'gone'

/** One commit of a cluster's life. */
export interface ClusterStep {
  readonly action: StepAction
  /** Class of the Cluster in the tree after this step; absent when there is none. */
  readonly className?: string
  /** Class name of the release whose addons the tree holds after this step; absent when there are none. */
  readonly addons?: string
  /** One clause: what this step writes. */
  readonly summary: string
  /** The conditions that must hold before the next step is committed, one sentence each; read by people. */
  readonly before: readonly string[]
  /**
   * The units that those sentences are about, by the names that the GitOps tool has for them; absent where they are
   * about none, or not known yet.
   */
  readonly units?: readonly string[]
}

/** The steps of one cluster. */
export interface StepPlan {
  readonly cluster: { readonly name: string; readonly namespace: string }
  /** The step that this run writes. */
  readonly due: ClusterStep
  /** The steps that follow, each after the previous one was committed and applied. */
  readonly then: readonly ClusterStep[]
  /**
   * Where the folders of this cluster come from: rendered from its inputs at release `due.addons`; or as they are
   * committed; or there are none any more.
   */
  readonly content: 'rendered' | 'committed' | 'none'
  /** The treatment of the Cluster object: it stays; or it gets the committed specification; or it is taken out. */
  readonly clusterObject: 'as-is' | 'held' | 'out'
  /** Class that the upgrade leads to, when steps follow. */
  readonly target?: string
  /** The decommission as the tree records it after this step. */
  readonly decommission?: CommittedCluster['decommission']
  /** Names of every class that the tool may still be using: their stacks must stay in the tree. */
  readonly classes: readonly string[]
  /** Units that the tool leaves alone. */
  readonly suspends: 'none' | 'addons' | 'all'
  /** The objects of this cluster that the tool may delete; none when absent. */
  readonly mayDelete?: MayDelete
}

/**
 * The objects that a GitOps tool may delete of a cluster that is decommissioned: `cluster` = its unit's Cluster when
 * that leaves the tree, so it carries no protection; `everything` = all objects that the unit still has when the unit
 * itself is removed.
 */
export type MayDelete = 'cluster' | 'everything'
