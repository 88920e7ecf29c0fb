import { classPaths, readTopologyVersion } from '../model/class-reference.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { dictAt, fieldAt, textAt } from '../model/field.ts'
import { dnsLabel } from '../model/kubernetes-names.ts'
import { matchClassName } from '../model/release-name.ts'
import { dict, Dict, type Value } from '../model/value.ts'
import { type AdoptedCluster, notReady, skipped } from './adoption.ts'
import type { LiveObject } from './live-object.ts'
import { ownMetadata } from './own-metadata.ts'

const versions: readonly string[] = ['cluster.x-k8s.io/v1beta1', 'cluster.x-k8s.io/v1beta2']

/** Folders that mean something else below clusters/ and clusters/<namespace>/. */
const reserved: readonly string[] = ['values', 'patches']

/** The Clusters that can be taken over, and why the others cannot. */
export function adoptClusters(lives: readonly LiveObject[]): {
  readonly clusters: readonly AdoptedCluster[]
  readonly findings: readonly Diagnostic[]
} {
  const clusters: AdoptedCluster[] = []
  const findings: Diagnostic[] = []
  for (const live of lives) {
    const refuse = (reason: string, hint?: string): void => void findings.push(skipped(live, reason, hint))
    const paths = classPaths[live.apiVersion.endsWith('/v1beta1') ? 'v1beta1' : 'v1beta2']
    const className = textAt(live.object, ...paths.name)
    const classNamespace = textAt(live.object, ...paths.namespace)
    const outcome = matchClassName(className)
    if (!versions.includes(live.apiVersion)) refuse(`its apiVersion must be ${versions.join(' or ')}`)
    else if (textAt(live.object, 'metadata', 'deletionTimestamp') !== '') refuse('it is being deleted')
    else if (className === '') refuse('it has no topology, so no cluster stack manages it')
    else if ('reason' in outcome)
      refuse(
        `its class ${JSON.stringify(className)} is not a release: ${outcome.reason}`,
        'The operator does not manage such a cluster either.',
      )
    else if (![live.namespace, live.name].every((part) => dnsLabel.allows(part)))
      findings.push(
        notReady(live, `it was left out: in the names of clusters and their namespaces are only ${dnsLabel.says}`),
      )
    else if ([live.namespace, live.name].some((part) => reserved.includes(part)))
      findings.push(notReady(live, 'it was left out: no folder can have the name of the cluster or of its namespace'))
    else
      clusters.push({
        live,
        release: outcome.value,
        classNamespace: classNamespace || live.namespace,
        version: readTopologyVersion(live.object),
      })
  }
  return { clusters, findings }
}

/**
 * The Cluster as a person would have written it: without status, without what the API server and Cluster API keep in
 * metadata, without the references that Cluster API generates from the topology, without defaults that say nothing.
 * Everything of the topology stays, filled-in variables included.
 */
export function clusterDocument({ live }: AdoptedCluster): Dict {
  const spec = new Dict()
  for (const [key, value] of dictAt(live.object, 'spec') ?? []) {
    if (key !== 'controlPlaneRef' && key !== 'infrastructureRef' && !isDefault(key, value)) spec.set(key, value)
  }
  return dict([
    ['apiVersion', live.apiVersion],
    ['kind', 'Cluster'],
    ['metadata', ownMetadata(live)],
    ['spec', spec],
  ])
}

/** The endpoint of a running cluster as `host:port`; '' when Cluster API does not know it yet. */
export function endpointOf({ live }: AdoptedCluster): string {
  const host = textAt(live.object, 'spec', 'controlPlaneEndpoint', 'host')
  const port = fieldAt(live.object, 'spec', 'controlPlaneEndpoint', 'port')
  return host === '' ? '' : `${host}:${numberText(port)}`
}

function numberText(value: Value | undefined): string {
  return typeof value === 'object' && value !== null && 'kind' in value && 'value' in value ? String(value.value) : '?'
}

function isDefault(key: string, value: Value): boolean {
  if (key === 'paused') return value === false
  if (key === 'controlPlaneEndpoint') return textAt(value, 'host') === ''
  return value === null || (value instanceof Dict && value.size === 0) || (Array.isArray(value) && value.length === 0)
}
