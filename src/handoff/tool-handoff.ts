import type { Placeholder } from '../model/binding.ts'
import type { HandoffFolders, Unit } from '../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { ObjectName } from '../model/object-name.ts'
import type { Dict } from '../model/value.ts'

/** The units of one cluster, with all that they apply. */
export interface ClusterUnits {
  readonly cluster: ObjectName
  readonly units: readonly Unit[]
  /** The folders that the units apply, and those below them. */
  readonly folders: readonly RenderedFolder[]
  /** The placeholders that its binding fills in. */
  readonly placeholders: readonly Placeholder[]
  /** The committed state, of a cluster that stays as it is. */
  readonly kept?: KeptCluster | undefined
}

/** The committed state of a cluster that stays as it is. */
export interface KeptCluster {
  /** Paths of its folders with placeholders. */
  readonly placeholders: readonly string[]
  /** The fields of each kustomization.yaml other than the list of resources, by the path of its folder. */
  readonly kustomizations: ReadonlyMap<string, Dict>
  /** The GitOps tool's objects. */
  readonly objects: readonly Manifest[]
}

/**
 * The facts about a cluster that was handed over that the rest of the tree needs; small, because all of them are kept.
 */
export interface ClusterNote {
  readonly cluster: ObjectName
  readonly units: readonly NotedUnit[]
  /** The objects of its GitOps tool, if they share a folder with those of the stacks. */
  readonly shared?: RenderedFolder
}

/** The facts about a unit that the rest of the tree needs. */
export interface NotedUnit extends Pick<
  Unit,
  'name' | 'namespace' | 'path' | 'release' | 'target' | 'kind' | 'dependsOn' | 'cluster'
> {
  /** Namespaces of what it applies in the management cluster. */
  readonly namespaces: readonly string[]
  /** Cluster-scoped kinds of what it applies in the management cluster. */
  readonly kinds: readonly { readonly group: string; readonly kind: string }[]
}

/** A cluster that was handed over: what can be written of it at once, and what the rest must know. */
export interface ClusterHandoff extends HandoffFolders {
  readonly note: ClusterNote
}

/**
 * Hands a tree over to one GitOps tool, cluster after cluster: each is a function of its units alone, and may be
 * forgotten when it is written. What is left at the end are the stacks and what holds all of it together.
 */
export interface ToolHandoff {
  /**
   * The objects of an addon as `cluster` gives them, in a unit that deletes and orphans nothing. None of them waits for
   * a value.
   */
  readonly plainAddon: (manifests: readonly Manifest[]) => readonly Manifest[]
  /** @throws StackmasonError HANDOFF_TEMPLATE, HOLE_NOT_PATCHABLE */
  readonly cluster: (units: ClusterUnits) => ClusterHandoff
  /**
   * `folders` are those of the stacks. @throws StackmasonError HANDOFF_TEMPLATE, HANDOFF_NAME_TOO_LONG,
   * HANDOFF_NAME_CONFLICT
   */
  readonly rest: (stacks: readonly Unit[], folders: readonly RenderedFolder[], context: RestContext) => HandoffFolders
}

/** The facts of a run beside its stacks. */
export interface RestContext {
  /** All clusters that were handed over. */
  readonly clusters: readonly ClusterNote[]
  /** The tool's objects that all namespaces share, as they are committed. */
  readonly committed: readonly Dict[]
}
