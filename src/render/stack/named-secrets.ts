import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/** `secretName`, `tlsSecretName`, and `csi.storage.k8s.io/provisioner-secret-name` of a StorageClass. */
const nameField = /(?:^s|S)ecretName$|(?:^|-)secret-name$/
/** `secret`, `secretRef`, `secretKeyRef`, `nodePublishSecretRef`: maps with a `name`. */
const mapField = /(?:^s|S)ecret(?:Key)?(?:Ref)?$/
const listFields: ReadonlySet<string> = new Set(['imagePullSecrets', 'secrets'])

/**
 * True if a field of some object names the Secret: volumes, environment and pull secrets of pods, and fields of the
 * same names in further kinds. An object without a namespace may mean any.
 */
export function isSecretNamed(
  manifests: readonly Manifest[],
  { namespace, name }: Required<Pick<Manifest, 'namespace' | 'name'>>,
): boolean {
  const names = (value: Value, given: string): boolean => {
    if (typeof value === 'string') return value === name && (given === '' || given === namespace)
    return value instanceof Dict && names(textAt(value, 'name'), textAt(value, 'namespace') || given)
  }
  const walk = (value: Value, given: string): boolean => {
    if (Array.isArray(value)) return value.some((item) => walk(item, given))
    if (!(value instanceof Dict)) return false
    return [...value].some(([field, item]) => {
      if (nameField.test(field) && typeof item === 'string' && names(item, given)) return true
      if (mapField.test(field) && item instanceof Dict && names(item, given)) return true
      if (listFields.has(field) && Array.isArray(item) && item.some((one) => names(one, given))) return true
      return walk(item, given)
    })
  }
  return manifests.some((manifest) => walk(manifest.object, manifest.namespace ?? ''))
}
