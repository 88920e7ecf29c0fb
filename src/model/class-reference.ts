import { textAt } from './field.ts'
import type { Value } from './value.ts'

type Path = readonly string[]

/** Versions of the API of clusters that can be written and read. */
export type ClusterApiVersion = 'v1beta1' | 'v1beta2'

/** The class that a Cluster asks for; texts are empty where it says nothing. */
export interface ClassReference {
  readonly name: string
  /** Empty: the Cluster's own. */
  readonly namespace: string
}

/** Where a Cluster names its class and the namespace of that. */
export const classPaths: Readonly<Record<ClusterApiVersion, { readonly name: Path; readonly namespace: Path }>> = {
  v1beta1: { name: ['spec', 'topology', 'class'], namespace: ['spec', 'topology', 'classNamespace'] },
  v1beta2: { name: ['spec', 'topology', 'classRef', 'name'], namespace: ['spec', 'topology', 'classRef', 'namespace'] },
}

/** The class that a Cluster asks for, whichever version of the API it is written for. */
export function readClassReference(cluster: Value): ClassReference {
  const { v1beta1, v1beta2 } = classPaths
  return {
    name: textAt(cluster, ...v1beta1.name) || textAt(cluster, ...v1beta2.name),
    namespace: textAt(cluster, ...v1beta1.namespace) || textAt(cluster, ...v1beta2.namespace),
  }
}

/** Where this Cluster names its class. */
export function classNamePath(cluster: Value): Path {
  return textAt(cluster, ...classPaths.v1beta2.name) === '' ? classPaths.v1beta1.name : classPaths.v1beta2.name
}

/** The version of Kubernetes that a Cluster asks for; empty where it says none. */
export function readTopologyVersion(cluster: Value): string {
  return textAt(cluster, ...topologyVersionPath)
}

/** Where a Cluster names its version of Kubernetes. */
export const topologyVersionPath: Path = ['spec', 'topology', 'version']

/** The API group of Cluster API. */
export const CLUSTER_API = 'cluster.x-k8s.io'

/** True if an object is a Cluster of Cluster API, in whichever version: other groups have that kind, too. */
export function isCapiCluster({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind === 'Cluster' && apiVersion.startsWith(`${CLUSTER_API}/`)
}

/** Objects of a running cluster that values are read from, by the names that charts know them by. */
const kinds = { Cluster: 'Cluster', ControlPlane: 'ControlPlane', InfraCluster: 'InfrastructureCluster' } as const

/** The kind of an object whose fields are values of a running cluster, in a RuntimeValues object. */
export type RuntimeKind = (typeof kinds)[keyof typeof kinds]

/** The name in charts of the object that a RuntimeValues object names by kind. */
export function chartRootOf(kind: RuntimeKind): keyof typeof kinds {
  return kind === 'InfrastructureCluster' ? 'InfraCluster' : kind
}

/** The kind of what charts call so; Cluster for any other word. */
export function runtimeKindOf(chartRoot: string): RuntimeKind {
  return chartRoot === 'InfraCluster' || chartRoot === 'ControlPlane' ? kinds[chartRoot] : 'Cluster'
}

/** The fields of a Cluster's `spec.topology` that the steps of its life are planned by, in all versions of the API. */
export const STEP_FIELDS: readonly string[] = ['class', 'classRef', 'classNamespace', 'version']
