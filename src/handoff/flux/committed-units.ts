import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { DeletionMarks } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { UnitReader } from '../unit-reader.ts'

/** Keeps Flux from deleting what leaves a unit. */
export const PRUNE = 'kustomize.toolkit.fluxcd.io/prune'

/** How objects say that Flux does not delete them. */
export const fluxMarks: DeletionMarks = {
  annotation: PRUNE,
  read: (value) => ({ isOrphaned: value === 'disabled' }),
}

/** Reads the state of units from their Kustomizations. */
export const fluxUnits: UnitReader = {
  pathOf: (object) => (isKustomization(object) ? textAt(object.object, 'spec', 'path') : ''),
  takesAlong: (object) => isKustomization(object) && textAt(object.object, 'spec', 'deletionPolicy') === 'Delete',
  isSuspended: (object) => isKustomization(object) && fieldAt(object.object, 'spec', 'suspend') === true,
  waitsForConditions: (object) =>
    isKustomization(object) &&
    fieldAt(object.object, 'spec', 'kubeConfig') !== undefined &&
    ['dependsOn', 'healthChecks'].some((field) => itemsAt(object.object, 'spec', field).length > 0),
  waitsFor: (object, path) =>
    isKustomization(object) && textAt(object.object, 'spec', 'path').endsWith(`/${path}`)
      ? itemsAt(object.object, 'spec', 'dependsOn').map((entry) => textAt(entry, 'name'))
      : [],
}

function isKustomization({ apiVersion }: Manifest): boolean {
  return apiVersion.startsWith('kustomize.toolkit.fluxcd.io/')
}
