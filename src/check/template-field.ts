import { formatPointer, type PathStep } from '../model/field.ts'
import { fileOf, type Manifest } from '../model/manifest.ts'
import type { CheckedUnit } from './checked-unit.ts'

/**
 * The key of a field in the template of a GitOps tool's object: one template writes those of all clusters. Undefined
 * for other objects, and for those that stay as they are committed.
 */
export function templateField(
  { kind, isKept }: CheckedUnit,
  { origin }: Manifest,
  path: readonly PathStep[],
): string | undefined {
  return kind === 'handoff' && !isKept ? `${fileOf(origin)} ${formatPointer(path)}` : undefined
}
