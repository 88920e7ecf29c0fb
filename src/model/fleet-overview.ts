import type { ObjectName } from './object-name.ts'

/** The parts of a fleet, and how clusters differ from each other. */
export interface FleetOverview {
  readonly clusters: readonly ClusterOverview[]
  /** By name; those that the tree names in several versions first. */
  readonly images: readonly ImageOverview[]
  /** By addon; clusters whose values are set in the same places are one. */
  readonly cascades: readonly ValuesCascade[]
}

/**
 * A cluster of a fleet: releases and version as the tree has them, of a new one as this run would write them; addons
 * and images as it would write them.
 */
export interface ClusterOverview {
  readonly cluster: ObjectName
  /** `<provider>-<stack>`. */
  readonly stack: string
  /** Tag of the release that the Cluster in the tree is at. */
  readonly release: string
  /** Tag of the release that the addons in the tree are of, in the middle of an upgrade. */
  readonly addonsRelease?: string | undefined
  /** Tag of the release that cluster.yaml asks for; absent where the tree is there. */
  readonly wanted?: string | undefined
  /** Of the Cluster in the tree, with `v`. */
  readonly kubernetesVersion: string
  /**
   * Tags of releases that the fleet knows and that are newer than the one that cluster.yaml asks for: of its minor
   * version of Kubernetes, and of a later one.
   */
  readonly newer: { readonly ofMinor?: string | undefined; readonly ofLaterMinor?: string | undefined }
  readonly addons: readonly AddonOverview[]
  /** Container images that it names. */
  readonly images: number
  /** The step of its life that this run writes, where there is more to say than that it stays as it is. */
  readonly step?: string
}

/** An addon of a cluster. */
export interface AddonOverview {
  readonly name: string
  /** Of its chart, or of the only chart that this depends on; absent for templates. */
  readonly version?: string | undefined
}

/** An image without its tag. */
export interface ImageOverview {
  readonly name: string
  /** Tags and digests, sorted, with the clusters that name them. */
  readonly versions: readonly { readonly version: string; readonly clusters: readonly ObjectName[] }[]
}

/** Where the values of an addon are set. */
export interface ValuesCascade {
  readonly addon: string
  readonly clusters: readonly ObjectName[]
  readonly keys: readonly CascadeKey[]
}

/** A key that a values file of the fleet or of the release sets. */
export interface CascadeKey {
  readonly path: readonly string[]
  /** Numbers, booleans and versions; other values may be secret. */
  readonly shown?: string | undefined
  readonly at: CascadePlace
  /** Files whose value it takes the place of, nearest first. */
  readonly over: readonly CascadePlace[]
}

/** A place in a values file. */
export interface CascadePlace {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** True for a file of the fleet; the others come with a release or chart. */
  readonly isOfFleet: boolean
}
