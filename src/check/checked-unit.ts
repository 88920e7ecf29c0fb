import type { Chart } from '../model/chart.ts'
import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import type { Cluster, ValuesFile } from '../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { ObjectName } from '../model/object-name.ts'
import type { Source } from '../model/source.ts'
import type { TreeFolder } from '../model/tree-path.ts'
import type { ValueReads } from '../model/value-reads.ts'
import type { Dict } from '../model/value.ts'

/** The API server that an object is applied to: the management cluster's, or that of a workload cluster. */
export type Destination = 'management' | ObjectName

/** A folder of a unit, and where its objects go. */
export interface CheckedFolder extends RenderedFolder {
  /** Its place in the tree. */
  readonly place: TreeFolder
  readonly destination: Destination
  /** Of the folder of an addon: its name, as values and patches know it. */
  readonly addon?: string | undefined
}

/** The inputs of a cluster that was rendered. */
export interface ClusterFacts {
  /** As the fleet describes it, at the release that is rendered. */
  readonly cluster: Cluster
  /** As rendered: with patches, before anything is held back for a later step. */
  readonly manifest: Manifest
  /** Its class; undefined when the release brings none of that name. */
  readonly clusterClass: Dict | undefined
  readonly addons: readonly AddonFacts[]
}

/** The inputs of an addon of a cluster that was rendered. */
export interface AddonFacts {
  readonly name: string
  /** Values that the fleet gives it, farthest folder first. */
  readonly values: readonly ValuesFile[]
  /** Absent for a folder of templates. */
  readonly chart?: Chart | undefined
  /** The Handlebars templates of a folder of templates. */
  readonly templates?: readonly Source[] | undefined
  /** Renders it once more to see how its templates read the values; undefined where that cannot be told. */
  readonly reads: () => ValueReads | undefined
}

/**
 * A unit of the fleet that was rendered, or stays as it is committed: a cluster, a stack, or objects of the GitOps
 * tool.
 */
export interface CheckedUnit {
  readonly kind: 'cluster' | 'stack' | 'handoff'
  readonly subject: FindingSubject
  /** Looks up the place of a finding about a field of one of its objects. */
  readonly locate: (finding: Diagnostic) => Diagnostic
  /** As they are written. */
  readonly folders: readonly CheckedFolder[]
  /** True if it stays as it is committed: no input can mend what is wrong with it. */
  readonly isKept: boolean
  /** Of a cluster that was rendered. */
  readonly cluster?: ClusterFacts | undefined
  /** Of the GitOps tool's objects of a cluster: that cluster. */
  readonly applies?: CheckedUnit | undefined
}
