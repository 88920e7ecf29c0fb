import { positionedFile } from '../../codec/yaml/positioned-file.ts'
import type { ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { resolvePlain } from '../../codec/go-yaml/go-yaml-resolve.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'

/** One version of an image as a file for openstack-image-manager describes it. */
export interface ManagerEntry {
  /** The name that the manager gives it in the cloud. */
  readonly name: string
  /** The item of `images`, with all of its versions. */
  readonly image: Dict
  /** The item of its `versions`. */
  readonly version: Dict
  /**
   * Where a field of the image or, with `'version'`, of the version stands; without the field, the image or version.
   */
  readonly spanOf: (of: 'image' | 'version', ...path: readonly string[]) => Span
}

/**
 * Reads what files say in the form of openstack-image-manager; the rest of them, and entries with `enable: false`, are
 * passed over. Rule for names: openstack_image_manager/main.py, process_image, for images with `multi: false`.
 */
export function readManagerEntries(files: readonly Source[]): readonly ManagerEntry[] {
  return files.flatMap((file) => positionedFile(file).documents.flatMap(readDocument))
}

function readDocument({ value, spanOf }: ReadDocument): readonly ManagerEntry[] {
  return itemsAt(value, 'images').flatMap((image, index) => {
    if (!(image instanceof Dict) || image.get('enable') === false) return []
    const separator = fieldAt(image, 'separator') ?? ' '
    return itemsAt(image, 'versions').flatMap((version, at): readonly ManagerEntry[] => {
      if (!(version instanceof Dict) || typeof separator !== 'string') return []
      const base = ['images', index, 'versions', at]
      return [
        {
          name: `${textAt(image, 'name')}${separator}${textAt(version, 'version')}`,
          image,
          version,
          spanOf: (of, ...path) => spanOf([...(of === 'image' ? base.slice(0, 2) : base), ...path]),
        },
      ]
    })
  })
}

/** True if YAML reads the text, without quotes, as a date. */
export function isYamlDate(value: Value): value is string {
  return typeof value === 'string' && resolvePlain(value).kind === 'timestamp'
}
