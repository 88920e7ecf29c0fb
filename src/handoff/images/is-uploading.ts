import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'

/** Whether an image's object brings it into the cloud. */
export function isUploading({ object }: Pick<Manifest, 'object'>): boolean {
  return (textAt(object, 'spec', 'managementPolicy') || 'managed') === 'managed'
}
