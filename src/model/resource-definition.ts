import { fieldAt, itemsAt, textAt } from './field.ts'
import type { Value } from './value.ts'

/** True for a CustomResourceDefinition. */
export function isResourceDefinition({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string
  readonly kind: string
}): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/')
}

/** The names of the versions of a CustomResourceDefinition. */
export function definedVersions(definition: Value): readonly string[] {
  return itemsAt(definition, 'spec', 'versions').map((version) => textAt(version, 'name'))
}

/** The version that API servers store objects of a CustomResourceDefinition in; '' if it names none. */
export function storageVersion(definition: Value): string {
  const stored = itemsAt(definition, 'spec', 'versions').find((version) => fieldAt(version, 'storage') === true)
  return stored === undefined ? '' : textAt(stored, 'name')
}
