import { withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'

/** Name of the variable that holds {@link MISSING}; every Kustomization with a pairing sets it. */
export const MISSING_VARIABLE = 'MISSING'

/** No YAML value begins with it. */
export const MISSING = '@'

const ANNOTATION = 'stackmason.dev/values'

/**
 * Adds an annotation that Flux cannot read as YAML while one of the values `names` is missing or empty: with strict
 * substitution switched off Flux would fill in an empty text. `${MISSING:${#NAME}}` is what is left of {@link MISSING}
 * behind as many characters as the value has.
 */
export function guardValues(manifest: Manifest, names: readonly string[]): Manifest {
  const guards = names.map((name) => `\${${MISSING_VARIABLE}:\${#${name}}}`)
  return {
    ...manifest,
    object: withField(manifest.object, ['metadata', 'annotations', ANNOTATION], `${guards.join('')}filled`),
  }
}
