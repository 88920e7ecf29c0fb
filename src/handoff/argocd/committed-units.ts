import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { DeletionMarks } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Dict } from '../../model/value.ts'
import type { UnitReader } from '../unit-reader.ts'

/** Says how Argo CD may delete an object. */
export const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options'

/** Makes an Application take along what it has applied. */
export const CASCADE = 'resources-finalizer.argocd.argoproj.io'

/** How objects say that Argo CD does not delete them, or asks before. */
export const argoMarks: DeletionMarks = {
  annotation: SYNC_OPTIONS,
  read: (value) => {
    const options = value.split(',').map((option) => option.trim())
    return {
      isOrphaned: options.includes('Prune=false'),
      ...(options.includes('Prune=confirm') && { isConfirmed: true }),
    }
  },
}

/** Reads the state of units from their Applications. */
export const argoUnits: UnitReader = {
  pathOf: (manifest) => textAt(applicationOf(manifest) ?? null, 'spec', 'source', 'path'),
  takesAlong: (manifest) => itemsAt(applicationOf(manifest) ?? null, 'metadata', 'finalizers').includes(CASCADE),
  // that of the objects for Argo CD is never suspended
  isSuspended: (manifest) => {
    const application = applicationOf(manifest)
    return application !== undefined && dictAt(application, 'spec', 'syncPolicy', 'automated') === undefined
  },
  // it judges the health of kinds: a release whose conditions count is refused
  waitsForConditions: () => false,
  // nor does an Application wait for another but by its wave, which stacks have none of
  waitsFor: () => [],
}

/** The Application of a unit, or what one is made from when Argo CD knows its cluster. */
function applicationOf({ apiVersion, kind, object }: Manifest): Dict | undefined {
  if (!apiVersion.startsWith('argoproj.io/')) return undefined
  if (kind === 'Application') return object
  return kind === 'ApplicationSet' ? dictAt(object, 'spec', 'template') : undefined
}
