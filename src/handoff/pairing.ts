import { fieldAt, itemsAt, textAt } from '../model/field.ts'
import { dict, type Dict } from '../model/value.ts'

/**
 * Ties a folder to the object by which the GitOps tool applies it. The two reach the tool by different ways and in any
 * order; a pair that does not match must fail to build, so that nothing of it is applied and what runs stays.
 */
export interface Pairing {
  /** Both name it; another name is another pair. */
  readonly name: string
  /** The key that only the object's patch adds. */
  readonly field: string
  /** The folder also fails to build where the object names no pairing at all: an older object, or none. */
  readonly isRequired: boolean
}

/**
 * The folder's half, as fields of its kustomization.yaml: a ConfigMap that never leaves the build (`local-config`).
 * With `isRequired` a replacement reads what only the other half writes; kustomize patches before it replaces.
 */
export function pairingFields({ name, field, isRequired }: Pairing): Dict {
  const options = dict([
    ['annotations', dict([['config.kubernetes.io/local-config', 'true']])],
    ['disableNameSuffixHash', true],
  ])
  const generator = dict([
    ['name', name],
    ['options', options],
  ])
  if (!isRequired) return dict([['configMapGenerator', [generator]]])
  const select = [
    ['kind', 'ConfigMap'],
    ['name', name],
  ] as const
  const fieldPath = `data.${field}`
  const target = dict([
    ['select', dict([...select])],
    ['fieldPaths', [fieldPath]],
  ])
  const replacement = dict([
    ['source', dict([...select, ['fieldPath', fieldPath]])],
    ['targets', [target]],
  ])
  return dict([
    ['configMapGenerator', [generator]],
    ['replacements', [replacement]],
  ])
}

/**
 * The object's half: a patch to be written without a target, because kustomize fails where an object is not there that
 * such a patch names.
 */
export function pairingPatch({ name, field }: Pairing): Dict {
  return dict([
    ['apiVersion', 'v1'],
    ['kind', 'ConfigMap'],
    ['metadata', dict([['name', name]])],
    ['data', dict([[field, 'true']])],
  ])
}

/** The pairing of a folder whose kustomization.yaml says this, by how its name begins; undefined when there is none. */
export function readPairing(
  kustomization: Dict,
  { prefix, field }: { readonly prefix: string; readonly field: string },
): Pairing | undefined {
  const name = itemsAt(kustomization, 'configMapGenerator')
    .map((generator) => textAt(generator, 'name'))
    .find((text) => text.startsWith(prefix))
  if (name === undefined) return undefined
  const isRequired = itemsAt(kustomization, 'replacements').some(
    (replacement) => fieldAt(replacement, 'source', 'name') === name,
  )
  return { name, field, isRequired }
}
