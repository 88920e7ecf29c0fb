import { StackmasonError } from '../../model/diagnostic.ts'
import type { Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { applyPatch, matchesTarget } from './patch.ts'
import { refuseDecidedFields } from './refuse-decided-fields.ts'

type OnUse = (patch: Patch) => void

/** Applies the patches that are for the object, in their order. @throws StackmasonError PATCH_FAILED */
export function patchManifest(manifest: Manifest, patches: readonly Patch[], onUse: OnUse): Manifest {
  return applyAll(manifest, patches, { onUse, judge: () => undefined })
}

/**
 * Applies them to the Cluster of a cluster, of which patches may not change everything.
 * @throws StackmasonError PATCH_FAILED
 */
export function patchCluster(manifest: Manifest, patches: readonly Patch[], onUse: OnUse): Manifest {
  return applyAll(manifest, patches, { onUse, judge: refuseDecidedFields })
}

/** The Cluster as patches leave it; as it is where one of them fails, which the object itself is refused for. */
export function patchedOrAsIs(manifest: Manifest, patches: readonly Patch[]): Manifest {
  try {
    return patchCluster(manifest, patches, () => undefined)
  } catch (error) {
    if (error instanceof StackmasonError) return manifest
    throw error
  }
}

interface ApplyOptions {
  readonly onUse: OnUse
  readonly judge: (before: Manifest, after: Manifest, patch: Patch) => void
}

function applyAll(manifest: Manifest, patches: readonly Patch[], { onUse, judge }: ApplyOptions): Manifest {
  return patches.reduce((current, patch) => {
    if (!matchesTarget(current, patch.target)) return current
    onUse(patch)
    const next = applyPatch(current, patch)
    judge(current, next, patch)
    return next
  }, manifest)
}
