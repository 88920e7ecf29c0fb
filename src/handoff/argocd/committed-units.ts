import { dictAt } from '../../model/field.ts'
import type { DeletionMarks } from '../../model/handoff.ts'
import type { UnitReader } from '../unit-reader.ts'

/** Says how Argo CD may delete an object. */
export const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options'

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
  // that of the objects for Argo CD is never suspended
  isSuspended: ({ apiVersion, kind, object }) =>
    apiVersion.startsWith('argoproj.io/') &&
    kind === 'Application' &&
    dictAt(object, 'spec', 'syncPolicy', 'automated') === undefined,
  // it judges the health of kinds: a release whose conditions count is refused
  waitsForConditions: () => false,
  // nor does an Application wait for another but by its wave, which stacks have none of
  waitsFor: () => [],
}
