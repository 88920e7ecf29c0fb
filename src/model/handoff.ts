import type { Cluster } from './fleet.ts'
import type { AddonUnits } from './handoff-config.ts'
import type { Manifest, RenderedFolder } from './manifest.ts'
import type { Release, StageCondition } from './release.ts'
import type { MayDelete } from './steps.ts'

/** A unit that another one waits for before it is applied. */
export interface UnitDependency {
  /** Name of a unit in the same namespace, or in `namespace`. */
  readonly unit: string
  readonly namespace?: string
}

/**
 * The health that a unit must reach before others follow: `objects` = its objects exist and are current by kstatus;
 * `images` = its node images are available; `bootstrap` = the control plane of its cluster answers; `none` = being
 * applied is enough.
 */
export type UnitGate = 'none' | 'objects' | 'images' | 'bootstrap'

/**
 * An object of the target that must be as a CEL expression over its own top-level fields says (`status.replicas == 1`)
 * before a unit counts as ready. All checks of one unit and kind have the same expression, since Flux takes one per
 * kind.
 */
export interface UnitHealthCheck {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
  readonly current: string
}

/** One Flux Kustomization or Argo CD Application. */
export interface Unit {
  readonly kind: 'stack' | 'cluster' | 'addons' | 'own-addons' | 'addon' | 'condition'
  /**
   * Unique in its namespace, a DNS label if it can be: `stack-<tag>`, `<cluster>`, `<cluster>-addons`,
   * `<cluster>-addons-<NN>-<addon>`, `<cluster>-addons-own`, `<cluster>-addons-own-<addon>`.
   */
  readonly name: string
  /** Of the Cluster, or of the ClusterStack. */
  readonly namespace: string
  /** The folder that it applies, relative to the output folder. */
  readonly path: string
  /** Every object that it applies, for annotations and checks. */
  readonly manifests: readonly Manifest[]
  /** The cluster that it is about; absent for a stack. */
  readonly cluster?: Pick<Cluster, 'name' | 'namespace'>
  /** Where it applies to: the management cluster, or through the kubeconfig Secret of `cluster`. */
  readonly target: 'management' | 'workload'
  readonly gate: UnitGate
  readonly dependsOn: readonly UnitDependency[]
  /** Tag of the release that its content comes from. */
  readonly release: string
  /**
   * Objects with placeholders are among `manifests`: values come from the ConfigMap and Secret of this name, in the
   * unit's namespace.
   */
  readonly runtimeValues?: string
  /**
   * The conditions that must hold in the target before units that depend on this one follow: those that this unit
   * stands for, translated.
   */
  readonly healthChecks?: readonly UnitHealthCheck[]
  /** Keys of its objects that the next commit gives to other units: it orphans them, deleting none. */
  readonly orphans?: ReadonlySet<string>
  /** Conditions of clusteraddon.yaml that this unit stands for. */
  readonly preCondition?: StageCondition
  readonly postCondition?: StageCondition
  /** The tool leaves it alone until this is lifted (freeze, decommission). */
  readonly isSuspended: boolean
  /** Its objects are as they are committed, what the tool must see on them included. */
  readonly isKept?: boolean
  /** The objects that the tool may delete while the cluster is decommissioned; absent: nothing that a cluster needs. */
  readonly mayDelete?: MayDelete
}

/**
 * The result of handing over to a GitOps tool: the tree with the annotations that the tool needs, and the tool's own
 * objects.
 */
export interface HandoffFolders {
  /** The folders of the units, their manifests annotated for the tool. */
  readonly folders: readonly RenderedFolder[]
  /** `handoff/<namespace>/…` with the tool's objects. */
  readonly handoff: readonly RenderedFolder[]
}

/** The stack of a release in the tree. */
export interface UnitStack {
  readonly namespace: string
  readonly release: Pick<Release, 'name'>
  readonly folder: RenderedFolder
  /** Units of its namespace that it waits for, of a stack that stays as it is committed. */
  readonly waitsFor?: readonly string[]
  /** Tags of stacks of this namespace whose folders hold node images of this one. */
  readonly imagesFrom?: readonly string[]
  /** It stays as it is committed, and no cluster uses its release: nothing in use may come to depend on it. */
  readonly isUnused?: boolean
}

/** A stack as handoff sees it. */
export interface HandoffStack extends UnitStack {
  readonly release: Release
}

/** An object of a cluster's addons as the committed tree has it. */
export interface CommittedObject {
  /** Path of its folder. */
  readonly folder: string
  /** Key of the unit that applies it. */
  readonly unit: string
  /** Its unit would leave it in the cluster when it leaves the tree. */
  readonly isOrphaned: boolean
  /** Argo CD would ask a person before it deletes it. */
  readonly isConfirmed?: true
}

/** How objects say what their GitOps tool may do with them when they leave the tree. */
export interface DeletionMarks {
  readonly annotation: string
  /** Reads the annotation's value; '' if there is none. */
  readonly read: (value: string) => Pick<CommittedObject, 'isOrphaned' | 'isConfirmed'>
}

/** A stack that the committed tree has. */
export type CommittedStack = Pick<UnitStack, 'namespace' | 'release'>

/** How the committed tree divides the addons of a cluster among units. */
export interface CommittedAddons {
  /** The key of the unit of each folder, by the folder's path; see `addonUnitKey`. */
  readonly units: ReadonlyMap<string, string>
  /** By `objectKey`. */
  readonly objects: ReadonlyMap<string, CommittedObject>
}

/** The definitions that the committed tree has of a cluster: their storage versions, by name. */
export interface StoredDefinitions {
  readonly addons: ReadonlyMap<string, string>
  /** Those beside the Cluster, of the management cluster. */
  readonly beside: ReadonlyMap<string, string>
  /** Those for which the tree asks the controller for a migration. */
  readonly migrated: ReadonlySet<string>
}

/** Where the folders of a cluster's addons lie in this commit, which may be the one before a move. */
export interface AddonArrangement {
  /** The key of the unit of each folder, by the folder's path. */
  readonly units: ReadonlyMap<string, string>
  /** Keys of objects that their units orphan, because the next commit gives them to other units. */
  readonly orphans: ReadonlySet<string>
  /** The objects that leave a unit with the next commit, for people. */
  readonly moves: readonly { readonly what: string; readonly from: string }[]
  /** Paths of committed units that nothing is left for: what they applied is to go, and then they are. */
  readonly emptied: readonly string[]
  /** Objects of units that go which no other unit takes over, for people; absent: none. */
  readonly left?: readonly { readonly what: string; readonly from: string }[]
  /** True if the step before is not applied, since the committed tree suspends the cluster. */
  readonly isHeld?: true
}

/** The part of a release that units need. */
export type UnitRelease = Pick<Release, 'name' | 'form' | 'stages' | 'origin'>

/** A cluster as handoff sees it. */
export interface HandoffCluster {
  readonly cluster: Cluster
  readonly release: UnitRelease
  /** Namespace of its class. */
  readonly stackNamespace: string
  /** `clusters/<namespace>/<cluster>/cluster`. */
  readonly clusterFolder: RenderedFolder
  /**
   * `clusters/<namespace>/<cluster>/addons/<NN>-<addon>`, in stage order, and the cluster's own,
   * `…/addons-own/<addon>`.
   */
  readonly addons: readonly RenderedFolder[]
  /** Tags of stacks of the cluster's own namespace that hold its node images, where its class lies elsewhere. */
  readonly imagesFrom?: readonly string[]
  /** True if there is a RuntimeValues object of the cluster's name. */
  readonly hasRuntimeValues: boolean
  /** How its addons are divided when nothing of them is committed. Default: `perOwner`. */
  readonly addonUnits?: AddonUnits
  /** Absent where nothing is committed. */
  readonly arrangement?: AddonArrangement
  /** Its folders stay as they are committed. */
  readonly isKept?: boolean
}
