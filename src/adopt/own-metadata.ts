import { dictAt } from '../model/field.ts'
import { dict, type Dict } from '../model/value.ts'
import type { LiveObject } from './live-object.ts'

/** Keys that a server, a controller or a GitOps tool keeps on an object; nobody writes them into git. */
const serverKeys: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'cluster.x-k8s.io/conversion-data',
  // Cluster API labels a Cluster with a topology as it labels what it makes of it
  'cluster.x-k8s.io/cluster-name',
  'topology.cluster.x-k8s.io/owned',
]
const serverPrefixes: readonly string[] = ['runtime.cluster.x-k8s.io/']
const toolKeys: readonly string[] = ['argocd.argoproj.io/tracking-id', 'argocd.argoproj.io/installation-id']
const toolPrefixes: readonly string[] = ['kustomize.toolkit.fluxcd.io/', 'helm.toolkit.fluxcd.io/']

/**
 * The part of an object's metadata that people write: name, namespace, labels and annotations, less what servers and
 * tools keep there.
 */
export function ownMetadata({ name, namespace, object }: LiveObject): Dict {
  const metadata = dict([['name', name]])
  if (namespace !== '') metadata.set('namespace', namespace)
  for (const field of ['labels', 'annotations']) {
    const kept = dict(
      [...(dictAt(object, 'metadata', field) ?? [])].filter(
        ([key, value]) => typeof value === 'string' && !isKeptByServer(key) && !isKeptByTool(key),
      ),
    )
    if (kept.size > 0) metadata.set(field, kept)
  }
  return metadata
}

/**
 * The tool's mark on an object that some tool applies already, such as `kustomize.toolkit.fluxcd.io/name`; undefined
 * when there is none.
 */
export function toolMark({ object }: LiveObject): string | undefined {
  for (const field of ['labels', 'annotations']) {
    for (const key of dictAt(object, 'metadata', field)?.keys() ?? []) if (isToolMark(key)) return key
  }
  return undefined
}

function isToolMark(key: string): boolean {
  return key === 'argocd.argoproj.io/tracking-id' || /^(?:kustomize|helm)\.toolkit\.fluxcd\.io\/name$/.test(key)
}

function isKeptByServer(key: string): boolean {
  return serverKeys.includes(key) || serverPrefixes.some((prefix) => key.startsWith(prefix))
}

function isKeptByTool(key: string): boolean {
  return toolKeys.includes(key) || toolPrefixes.some((prefix) => key.startsWith(prefix))
}
