import { fieldAt } from './field.ts'
import type { Value } from './value.ts'

/**
 * True if what applies an object would take it for a list: kubectl, Flux and Argo CD apply the entries of `items`
 * instead, whatever the kind (apimachinery, Unstructured.IsList), and kustomize where the kind ends in List. Those
 * would be objects that nobody has judged.
 */
export function isItemList(object: Value): boolean {
  return Array.isArray(fieldAt(object, 'items'))
}
