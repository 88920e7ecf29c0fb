import type { StepOptions } from '../../handoff/steps/plan-steps.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedAddons, StoredDefinitions, UnitRelease } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { CommittedCluster, StepPlan } from '../../model/steps.ts'
import type { ClusterInputs } from '../../render/stack/render-cluster.ts'
import type { CommittedContent } from '../../sources/committed/committed-folders.ts'
import type { HeldContent } from '../../sources/committed/committed-tree.ts'

/** The fields that every cluster of a run has. */
interface UnitOfCluster {
  readonly cluster: Cluster
  /** Namespace of its class. */
  readonly stackNamespace: string
  /** Its committed state. */
  readonly committed: CommittedCluster | undefined
  /** Tags of stacks of its own namespace that hold its node images, where its class lies elsewhere. */
  readonly imagesFrom: readonly string[]
}

/** A cluster that is rendered from its inputs. */
export interface RenderedUnit extends UnitOfCluster {
  readonly kind: 'rendered'
  /** The step that this run writes, and those that follow; undefined without a GitOps tool. */
  readonly plan: StepPlan | undefined
  readonly inputs: ClusterInputs
  /** Its addons in the tree, as far as their folders matter. */
  readonly committedAddons: CommittedAddons
  /** The definitions that the tree has of it. */
  readonly storedDefinitions: StoredDefinitions
  /** `applied` where its GitOps tool may have done so: the tree comes from a commit, which does not suspend it. */
  readonly addonsState: 'applied' | 'suspended' | 'uncommitted'
  /**
   * Where the class is due: what the tree must hold of addons and units for that, and what else decides about steps.
   */
  readonly classDue?: { readonly held: HeldContent; readonly units: readonly Manifest[]; readonly options: StepOptions }
}

/** A cluster that stays as it is committed, but for what its step says. */
export interface CommittedUnit extends UnitOfCluster {
  readonly kind: 'committed'
  readonly plan: StepPlan
  readonly release: UnitRelease
  readonly content: CommittedContent
  /** The GitOps tool's objects. */
  readonly objects: readonly Manifest[]
  /** The unit of each folder of its addons. */
  readonly addonUnits: CommittedAddons['units']
}

/** A cluster of which nothing is written any more. */
export interface EndedUnit extends Pick<UnitOfCluster, 'cluster'> {
  readonly kind: 'none'
  readonly plan: StepPlan
}

/**
 * One cluster of a run: everything that its files depend on besides what the whole fleet shares. A plain value, without
 * functions, so that it can be hashed, and expanded anywhere.
 */
export type ClusterUnit = RenderedUnit | CommittedUnit | EndedUnit
