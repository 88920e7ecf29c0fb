import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { fieldAt, type PathStep, textAt } from '../../model/field.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { matchReleaseTag } from '../../model/release-name.ts'
import type { Span } from '../../model/source.ts'
import { HANDOFF_STACKS, parseTreeFile } from '../../model/tree-path.ts'
import { belongsTo } from '../resolve/stack-sources.ts'

/** The input that a name in an object of the GitOps tool is made of. */
export interface NameOrigin {
  /**
   * The name of a cluster; a release, which the ClusterStack at the place offers; a namespace, of the cluster or
   * ClusterStack at the place; or of the folder of that cluster, whose file does not say it.
   */
  readonly of: 'cluster' | 'release' | 'namespace' | 'folder'
  readonly at: Span
}

/** The parts of a fleet that units are named after. */
export type NamedFleet = Pick<FleetRepository, 'clusters' | 'clusterStacks'>

/** The subject of a unit, or of an object that holds units. */
interface Named {
  readonly namespace: string
  readonly cluster?: Cluster | undefined
  readonly stack?: ClusterStack | undefined
}

/** Label of a unit with the tag of its release. */
const RELEASE = 'stackmason.dev/release'
/** Fields below the object, and below the template of an ApplicationSet. */
const NAMES = ['metadata/name', 'spec/destination/name', 'metadata/labels/stackmason.dev/cluster-name']
const NAMESPACES = ['metadata/namespace', 'spec/destination/namespace', 'metadata/labels/stackmason.dev/namespace']

/**
 * Finds what a name or namespace in an object of the GitOps tool is made of; undefined for all else, and where no
 * input of the fleet says it. `file` is relative to the output folder.
 */
export function unitNameOrigin(
  manifest: Manifest,
  path: readonly PathStep[],
  { file, fleet }: { readonly file: string; readonly fleet: NamedFleet },
): NameOrigin | undefined {
  const value = fieldAt(manifest.object, ...path)
  if (manifest.origin.unit !== 'handoff' || typeof value !== 'string') return undefined
  const field = path.join('/').replace(/^spec\/template\//, '')
  const named = namedBy(manifest, file, fleet)
  if (NAMESPACES.includes(field)) return value === named.namespace ? namespaceOf(named, fleet) : undefined
  if (field === 'spec/project') return value.startsWith(`${named.namespace}.`) ? namespaceOf(named, fleet) : undefined
  if (!NAMES.includes(field)) return undefined
  const { cluster, stack } = named
  if (cluster !== undefined) return { of: 'cluster', at: spanOf(cluster.document, ['metadata', 'name']) }
  return stack === undefined ? namespaceOf(named, fleet) : { of: 'release', at: stack.at }
}

function namedBy(manifest: Manifest, file: string, fleet: NamedFleet): Named {
  const { apiVersion, kind, name, namespace = '' } = manifest
  if (apiVersion.startsWith('argoproj.io/')) return namedInArgo(kind, name, fleet)
  if (kind === 'Namespace') return { namespace: name }
  const place = parseTreeFile(file)?.folder
  const of = place?.kind === 'handoff' ? place.of : undefined
  const cluster = fleet.clusters.find((one) => one.namespace === namespace && one.name === of)
  // a cluster may be called like the folder of stacks
  const isStack = of === HANDOFF_STACKS && name.startsWith('stack-')
  if (!isStack) return { namespace, cluster }
  return { namespace, stack: stackOf(textAt(manifest.object, 'metadata', 'labels', RELEASE), namespace, fleet) }
}

/** The parts of a name, none of which has a dot: see `src/handoff/argocd/argo-names.ts`. */
function namedInArgo(kind: string, name: string, { clusters, clusterStacks }: NamedFleet): Named {
  const [namespace = '', second = '', ...rest] = name.split('.')
  if (kind === 'AppProject' || rest.length === 0) return { namespace }
  const stack = second === 'stack' ? stackOf(rest.join('.'), namespace, { clusters, clusterStacks }) : undefined
  if (stack !== undefined) return { namespace, stack }
  return { namespace, cluster: clusters.find((one) => one.namespace === namespace && one.name === second) }
}

function stackOf(tag: string, namespace: string, { clusterStacks }: NamedFleet): ClusterStack | undefined {
  const matched = matchReleaseTag(tag)
  if (!('value' in matched)) return undefined
  return clusterStacks.find((stack) => stack.namespace === namespace && belongsTo(matched.value, stack))
}

/** Where the namespace is written; of one that a unit does not tell of the first cluster or ClusterStack in it. */
function namespaceOf({ namespace, cluster, stack }: Named, fleet: NamedFleet): NameOrigin | undefined {
  const ofStack = stack ?? fleet.clusterStacks.find((one) => one.namespace === namespace)
  const ofCluster = cluster ?? fleet.clusters.find((one) => one.namespace === namespace)
  if (cluster === undefined && ofStack?.namespaceAt !== undefined) return { of: 'namespace', at: ofStack.namespaceAt }
  if (ofCluster === undefined) return undefined
  const { document } = ofCluster
  return textAt(document.value, 'metadata', 'namespace') === ''
    ? { of: 'folder', at: spanOf(document, ['metadata', 'name']) }
    : { of: 'namespace', at: spanOf(document, ['metadata', 'namespace']) }
}
