import { textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'

/** What an image is called in the cloud: as the object says, else like the object. */
export function cloudName({ object, name }: Pick<Manifest, 'object' | 'name'>): string {
  return textAt(object, 'spec', 'resource', 'name') || textAt(object, 'spec', 'import', 'filter', 'name') || name
}
