import { copyDict, dictAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { dict, Dict } from '../../model/value.ts'
import { cloudName } from './cloud-name.ts'
import { detachedImage } from './detached-image.ts'
import { isUploading } from './is-uploading.ts'

/** The same image, found in the cloud by its name in place of being uploaded. */
export function importedImage(image: Manifest): Manifest {
  if (!isUploading(image)) return detachedImage(image)
  const spec = copyDict(dictAt(image.object, 'spec') ?? new Dict())
  for (const field of ['resource', 'managedOptions']) spec.delete(field)
  spec.set('managementPolicy', 'unmanaged')
  spec.set('import', dict([['filter', dict([['name', cloudName(image)]])]]))
  return detachedImage({ ...image, object: withField(image.object, ['spec'], spec) })
}
