import { badNamesOf } from '../../model/bad-names.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { describeManifest } from './patch.ts'

/**
 * Names, labels and keys that no API server takes: one of them holds back all objects that are applied with it.
 */
export function findBadNames(manifests: readonly Manifest[]): readonly Diagnostic[] {
  return manifests.flatMap((manifest) =>
    badNamesOf(manifest).map(({ what, says, path }): Diagnostic => ({
      code: 'OBJECT_NAME_INVALID',
      severity: 'error',
      message: `${describeManifest(manifest)}: no API server takes ${what}; allowed are ${says}`,
      ...placeIn(manifest, ...path),
    })),
  )
}
