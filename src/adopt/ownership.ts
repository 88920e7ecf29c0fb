/**
 * The metadata that `stackmason adopt --compare` does not compare, for its report: it says who applies an object, not
 * what the object is.
 */
const ownershipMetadata: readonly string[] = [
  'clusterstack.x-k8s.io/instance',
  'kustomize.toolkit.fluxcd.io/*',
  'stackmason.dev/values',
  'helm.toolkit.fluxcd.io/*',
  'argocd.argoproj.io/*',
  'kubectl.kubernetes.io/last-applied-configuration',
  'metadata.managedFields',
  'metadata.ownerReferences',
]

/** True if a label or annotation says who applies the object. */
export function isOwnershipKey(key: string): boolean {
  return ownershipMetadata.some((known) => (known.endsWith('*') ? key.startsWith(known.slice(0, -1)) : key === known))
}
