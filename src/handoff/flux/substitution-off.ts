import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'

/** The label or annotation by which an object says whether Flux may fill variables in. */
export const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

/** True if Flux leaves every `${…}` of the object as it is (fluxcd/pkg, kustomize_varsub.go). */
export function isSubstitutionOff({ object }: Pick<Manifest, 'object'>): boolean {
  return ['labels', 'annotations'].some((field) => textAt(object, 'metadata', field, SUBSTITUTE) === 'disabled')
}
