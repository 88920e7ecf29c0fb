import { withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { isUploading } from './is-uploading.ts'

/** Neither the engine nor the controller of images takes an image away with its object; what is unmanaged stays as it is. */
export function detachedImage(image: Manifest): Manifest {
  const kept = withField(image.object, ['metadata', 'annotations', 'helm.sh/resource-policy'], 'keep')
  return {
    ...image,
    object: isUploading(image) ? withField(kept, ['spec', 'managedOptions', 'onDelete'], 'detach') : kept,
  }
}
