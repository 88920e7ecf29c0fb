import type { ObjectName } from '../model/object-name.ts'

/** An object that the tree has. */
export interface WantedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** The object of a GitOps tool that applies one folder. */
export interface WantedUnit extends WantedObject {
  /** Class name of the release that the unit is of; empty where it says none. */
  readonly release: string
  /** True if the tree tells the GitOps tool to leave the unit alone. */
  readonly isSuspended: boolean
}

/** The state of a cluster that the tree asks for. */
export interface WantedCluster extends ObjectName {
  /** Class name; undefined once a decommission has taken the Cluster out. */
  readonly className: string | undefined
  /** Of Kubernetes, with `v`; undefined likewise. */
  readonly version: string | undefined
  /** The step of the cluster's life that the tree holds, one clause; undefined between steps. */
  readonly step: string | undefined
  readonly units: readonly WantedUnit[]
  /** True if the cluster waits for values of the running cluster. */
  readonly hasValues: boolean
  /** Names of the StorageMigrations beside it. */
  readonly migrations: readonly string[]
}

/** The state of a release in a namespace that the tree asks for. */
export interface WantedStack {
  readonly namespace: string
  /** As releases are called. */
  readonly tag: string
  /** As classes are called. */
  readonly className: string
  readonly units: readonly WantedUnit[]
  /** Node images, and gates that wait for them. */
  readonly images: readonly WantedObject[]
}

/** The state that the tree asks for. */
export interface WantedFleet {
  /** False where only some of its clusters are asked for. */
  readonly isWhole: boolean
  readonly clusters: readonly WantedCluster[]
  readonly stacks: readonly WantedStack[]
}
