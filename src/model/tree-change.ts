import type { CheckException } from './check-exception.ts'
import type { PathStep } from './field.ts'
import type { ObjectName } from './object-name.ts'
import type { TreeFolder } from './tree-path.ts'
import type { Dict, Value } from './value.ts'

/**
 * The API server that an object is applied to: that of the management cluster, or of a workload cluster by the
 * namespace and name of its Cluster.
 */
export type Destination = 'management' | ObjectName

/** An object of a rendered tree. */
export interface TreeObject {
  /** Of its file, relative to the output folder. */
  readonly path: string
  readonly folder: TreeFolder
  readonly destination: Destination
  readonly apiVersion: string
  readonly kind: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
  /** Whole, with secret values: for rules, never to be shown. Equal files share one. */
  readonly object: Dict
}

/** An item of a list by what identifies it there, whatever its place: `{key: 'name', value: 'web'}`. */
export interface ItemStep {
  /** Names of fields, with `+` between them; `''` for an item of a set, which is what it is. */
  readonly key: string
  /** Their values, with `/` between them; of an item of a set its JSON. */
  readonly value: string
}

/** A step to a field: a key of a map, an item by what identifies it, or a place in a list whose order has a meaning. */
export type ChangeStep = PathStep | ItemStep

/** One field that differs; the smallest one that holds the difference. */
export interface FieldChange {
  readonly path: readonly ChangeStep[]
  /** Undefined: the field is new. Secret values are masked, here and in `after`. */
  readonly before?: Value | undefined
  /** Undefined: the field is gone. */
  readonly after?: Value | undefined
  /** The items of a list are the same in another order, which has a meaning. */
  readonly isReordered?: true
  /** Some of what differs is a secret, which is masked: before and after may look the same. */
  readonly isHidden?: true
  /** Where the new value comes from, where that was asked and the tree is rendered: the nearest first. */
  readonly origin?: readonly FieldSource[]
}

/** A change of a field that the API server refuses. */
export interface RefusedChange extends FieldChange {
  /** The reason and what works, as sentences, where it is more than another name or a new object. */
  readonly wayOut?: string
}

/** A place in an input: a values file, a cluster.yaml, a template. */
export interface FieldSource {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
}

/** The effect of a change on running workloads. */
export type ChangeRisk =
  /** The object goes, and what depends on it. */
  | 'deletes'
  /** The object leaves the tree and is marked to stay where it is applied: nobody manages it any more. */
  | 'leaves-behind'
  /** Something that forbade, limited or kept is gone or weaker. */
  | 'lowers-guard'
  /** The GitOps tool may delete what it has applied, or delete and make it again. */
  | 'may-delete'
  /** The GitOps tool applies something else, or somewhere else. */
  | 'redirects'
  /** The GitOps tool applies objects otherwise than they are in the tree. */
  | 'rewrites'
  /** The GitOps tool applies what it does in another way: order, health, what it keeps. */
  | 'changes-unit'
  /** A Cluster may lose its control plane, or its nodes the network. */
  | 'endangers'
  /** Nothing of it runs any more. */
  | 'scales-to-zero'
  /** It is reached from where it was not. */
  | 'exposes'
  /** Traffic that was let through is no longer. */
  | 'cuts-traffic'
  /** A guard is new or stricter: the API server may refuse what it accepts today. */
  | 'refuses-more'
  /** More or fewer of it run. */
  | 'changes-scale'
  /** A field that the API server does not let change: the object must be deleted and made anew, or is refused. */
  | 'replaces'
  /** Machines may be replaced by new ones. */
  | 'rolls-nodes'
  /** The pods of a workload are replaced. */
  | 'restarts-pods'
  /** The definition of a kind changes. */
  | 'changes-crd'
  /** Somebody may do more than before. */
  | 'widens-rights'
  /** Another unit of the GitOps tool applies the object from now on. */
  | 'moves-unit'
  /** The GitOps tool stops applying something. */
  | 'suspends'
  /** Nothing but labels and annotations of the object itself. */
  | 'metadata-only'

/** Why a change has an effect, in a few words of the API. */
export interface EffectReason {
  readonly risk: ChangeRisk
  readonly text: string
}

/** Why a revert of the commit would not bring back what was there. */
export type UndoLimit =
  /** A cluster's machines and what they hold are gone; a revert makes an empty cluster. */
  | 'cluster-is-gone'
  /** Cluster API accepts no lower version of Kubernetes. */
  | 'kubernetes-version'
  /** The objects of a kind, or in a namespace, or the data of a volume are deleted with it. */
  | 'content-is-gone'
  /** Stored objects may be in a version that the older definition does not know. */
  | 'stored-version'
  /** Machines, and what only they have, are gone; a revert makes new ones. */
  | 'machines-are-gone'
  /** A unit may have deleted what it no longer applies, with what was in it. */
  | 'applied-is-gone'
  /** Values of fields that a definition no longer has are dropped when objects are written. */
  | 'fields-are-gone'

/** One object that differs between two trees. */
export interface ObjectChange {
  /** `renamed`: one object under another name, such as the class of another release. */
  readonly change: 'added' | 'removed' | 'changed' | 'renamed'
  /** Undefined if added. */
  readonly before?: TreeObject | undefined
  /** Undefined if removed. */
  readonly after?: TreeObject | undefined
  /** None if added or removed. */
  readonly fields: readonly FieldChange[]
  readonly risks: readonly ChangeRisk[]
  readonly undo: readonly UndoLimit[]
  /** Details, for effects that several reasons can have. */
  readonly reasons?: readonly EffectReason[] | undefined
  /** The fields among them that the API server does not let change. */
  readonly immutable?: readonly RefusedChange[] | undefined
  /** Renamed, and the object under the old name stays: it was compared with, and does not change. */
  readonly isBeforeKept?: boolean
  /** Renamed, and the object under the old name leaves the tree only: its unit does not delete it. */
  readonly isBeforeLeft?: boolean
  /** Renamed, and the object under the old name goes: another is made in its place. */
  readonly isBeforeGone?: boolean
  /** The units that applied it, where they differ. */
  readonly units?: { readonly before: string; readonly after: string } | undefined
}

/** The part of a fleet that an object belongs to, the same for all clusters. */
export type ChangePart =
  /** The Cluster and what lies beside it. */
  | { readonly kind: 'cluster' }
  /** An addon, without the number of its folder. */
  | { readonly kind: 'addon'; readonly addon: string; readonly owner: 'release' | 'cluster' }
  /** The GitOps tool's objects. */
  | { readonly kind: 'handoff' }
  /**
   * The class of a release; `before` where it is compared with another release, `isBeside` where that stays and no
   * cluster moves from it.
   */
  | {
      readonly kind: 'stack'
      readonly namespace: string
      readonly tag: string
      readonly before?: string
      readonly isBeside?: true
    }

/** One change that some clusters have in common. */
export interface FoldedObject {
  readonly change: ObjectChange['change']
  readonly apiVersion: string
  readonly kind: string
  /** Of the object, with variables such as `${cluster}` where it differs by cluster. */
  readonly namespace?: string | undefined
  readonly name: string
  /** Its name before, where another object is made in place of one that goes; with variables, too. */
  readonly was?: string | undefined
  /** With variables, too. */
  readonly fields: readonly FieldChange[]
  /** The same fields as one of the clusters has them; absent: those of the first member. */
  readonly plain?: readonly FieldChange[] | undefined
  readonly risks: readonly ChangeRisk[]
  readonly undo: readonly UndoLimit[]
  /** With variables, too. */
  readonly reasons?: readonly EffectReason[] | undefined
  /** With variables, too. */
  readonly units?: { readonly before: string; readonly after: string } | undefined
  /** Of an object that is new: the whole of it, with variables, too, and without secrets. */
  readonly content?: Dict | undefined
  /** The content is that of the first of several, which are not all the same. */
  readonly isOneOfMany?: true
  /** Where in `TreeChange.changes` each of the single changes stands. */
  readonly members: readonly number[]
}

/** Changes that the same clusters have in common, once. */
export interface FoldedChange {
  readonly part: ChangePart
  /** Sorted; none for what is of no cluster. */
  readonly clusters: readonly ObjectName[]
  readonly objects: readonly FoldedObject[]
  /** Clusters with the same part that are the odd ones out; only for the change that most of them have. */
  readonly others?:
    | {
        /** They have the part, and it does not change. */
        readonly unchanged: readonly ObjectName[]
        /** They have the part, and it changes in another way. */
        readonly different: readonly ObjectName[]
      }
    | undefined
}

/** A cluster that only the new tree has. */
export interface AddedCluster {
  readonly cluster: ObjectName
  readonly objects: number
  /** The cluster that it is most like; absent where there is none. */
  readonly like?:
    | {
        readonly cluster: ObjectName
        /** Differences besides names, by object. */
        readonly except: readonly FoldedObject[]
      }
    | undefined
  /** The removed cluster that it looks like: nothing of that moves along. */
  readonly renamedFrom?: ObjectName | undefined
}

/** A cluster whose Cluster object is gone. */
export interface RemovedCluster {
  readonly cluster: ObjectName
  readonly objects: number
  /** True if a decommission took it out, step by step. */
  readonly isDecommissioned: boolean
  /** True if its Cluster object is marked to stay in the management cluster: it runs on without a file. */
  readonly isKept: boolean
}

/** A version that changes, with those that it changes for. */
export interface VersionChange {
  /** Absent: new. */
  readonly before?: string
  /** Absent: gone. */
  readonly after?: string
  readonly clusters: readonly ObjectName[]
}

/** Kubernetes versions of clusters. */
export interface KubernetesChange extends VersionChange {
  /** `skips`: more than one minor version at once. */
  readonly step: 'patch' | 'minor' | 'skips' | 'back'
}

/** An upgrade or a decommission of clusters that takes another step; see `model/step-marks.ts`. */
export interface StepChange {
  readonly what: 'upgrade' | 'decommission'
  /** `other-target`: an upgrade that is under way leads to another class. `given-up`: before its end. */
  readonly change: 'begins' | 'continues' | 'other-target' | 'given-up'
  /** The class that the clusters have; of a decommission none. */
  readonly from?: string
  /** The class that the upgrade leads to, or led to where it is given up. */
  readonly to?: string
  /** Class of the release whose addons the clusters have after it. */
  readonly addons?: string
  readonly clusters: readonly ObjectName[]
}

/** The version of a chart that an addon is made of. */
export interface AddonChange extends VersionChange {
  readonly addon: string
  readonly chart: string
}

/** A container image. */
export interface ImageChange extends VersionChange {
  /** Without tag and digest. */
  readonly image: string
}

/** Two releases of one stack, compared. */
export interface ReleaseChange {
  readonly namespace: string
  /** Tag; absent: there is none to compare with. */
  readonly before?: string
  /** Tag; absent: the release is gone, and no other takes its place. */
  readonly after?: string
  /** True if the old release stays in the tree. */
  readonly isBeforeKept: boolean
  /** Clusters that move from the one to the other. */
  readonly clusters: readonly ObjectName[]
}

/** A variable of a class that differs between two releases. */
export interface VariableChange {
  readonly namespace: string
  /** Tag of the newer release. */
  readonly release: string
  readonly name: string
  /** `renamed`: the fleet says so; `perhaps-renamed`: one went and one came with the same schema. */
  readonly change: 'added' | 'removed' | 'changed' | 'renamed' | 'perhaps-renamed'
  /** The new name, if renamed. */
  readonly to?: string
  /** Of a `renamed` one: clusters of either class that set the old name in the new tree. */
  readonly setBy?: readonly ObjectName[] | undefined
  /** New, and without a default: every cluster must set it. Or was optional before. */
  readonly isRequired: boolean
  readonly type?: { readonly before?: string; readonly after?: string } | undefined
  readonly default?: Pick<FieldChange, 'before' | 'after'> | undefined
  /** True if the schema differs in more than type and default. */
  readonly hasOtherSchema: boolean
}

/** The changes of a CustomResourceDefinition. */
export interface DefinitionChange {
  readonly name: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly destination: 'management' | 'workload'
  /** Of a definition in workload clusters. */
  readonly clusters: readonly ObjectName[]
  readonly versionsAdded: readonly string[]
  /** No longer there, or no longer served. */
  readonly versionsDropped: readonly string[]
  readonly storage?: { readonly before: string; readonly after: string } | undefined
  /** `<version>: <path>` of fields that are gone from the schema. */
  readonly fieldsRemoved: readonly string[]
  /** `<version>: <path>: <how>` of fields that take fewer values than before; absent: none. */
  readonly fieldsTightened?: readonly string[]
  /** `<version>: <path>: <how>` of lists and maps that API servers merge otherwise than before; absent: none. */
  readonly mergedOtherwise?: readonly string[]
  /** `<version>: <name>` of subresources that are gone; absent: none. */
  readonly subresourcesDropped?: readonly string[]
}

/** A file that differs and holds no object that could be compared. */
export interface UnreadFile {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly reason: string
}

/** The facts that a reviewer must know first. Lists are sorted. */
export interface ChangeFacts {
  readonly clusters: {
    readonly added: readonly AddedCluster[]
    readonly removed: readonly RemovedCluster[]
    /** Clusters in both trees of which something differs, and of which nothing does. */
    readonly changed: number
    readonly unchanged: number
  }
  readonly kubernetes: readonly KubernetesChange[]
  readonly steps: readonly StepChange[]
  readonly addons: readonly AddonChange[]
  readonly images: readonly ImageChange[]
  readonly releases: readonly ReleaseChange[]
  readonly variables: readonly VariableChange[]
  readonly definitions: readonly DefinitionChange[]
  readonly unread: readonly UnreadFile[]
  /** Exceptions from a check that the fleet's own files add; absent: none, or nobody has looked. */
  readonly exceptions?: readonly CheckException[]
}

/** The difference between two rendered trees. */
export interface TreeChange {
  readonly facts: ChangeFacts
  /** Every object that differs, by path; those of added and removed clusters, too. */
  readonly changes: readonly ObjectChange[]
  /** The same, each change once; those of added and removed clusters are in the facts only. */
  readonly groups: readonly FoldedChange[]
}
