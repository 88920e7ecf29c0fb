import { textAt, withField, copyDict, dictAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { dict, Dict } from '../../model/value.ts'

/** True if a manifest is an image of the OpenStack resource controller. */
export function isImage({ kind, apiVersion }: Manifest): boolean {
  return kind === 'Image' && apiVersion.startsWith('openstack.k-orc.cloud/')
}

/** True if an image's object brings it into the cloud. */
export function isUploading({ object }: Pick<Manifest, 'object'>): boolean {
  return (textAt(object, 'spec', 'managementPolicy') || 'managed') === 'managed'
}

/** The name of an image in the cloud: as the object says, else like the object. */
export function cloudName({ object, name }: Pick<Manifest, 'object' | 'name'>): string {
  return textAt(object, 'spec', 'resource', 'name') || textAt(object, 'spec', 'import', 'filter', 'name') || name
}

/**
 * Neither the tool nor the controller of images takes an image away with its object; what is unmanaged stays as it is.
 */
export function detachedImage(image: Manifest): Manifest {
  const kept = withField(image.object, ['metadata', 'annotations', 'helm.sh/resource-policy'], 'keep')
  return {
    ...image,
    object: isUploading(image) ? withField(kept, ['spec', 'managedOptions', 'onDelete'], 'detach') : kept,
  }
}

/** The same image, found in the cloud by its name in place of being uploaded. */
export function importedImage(image: Manifest): Manifest {
  if (!isUploading(image)) return detachedImage(image)
  const spec = copyDict(dictAt(image.object, 'spec') ?? new Dict())
  for (const field of ['resource', 'managedOptions']) spec.delete(field)
  spec.set('managementPolicy', 'unmanaged')
  spec.set('import', dict([['filter', dict([['name', cloudName(image)]])]]))
  return detachedImage({ ...image, object: withField(image.object, ['spec'], spec) })
}
