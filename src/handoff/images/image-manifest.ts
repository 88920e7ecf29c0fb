import { baseName } from '../../codec/path.ts'
import { textAt, withField } from '../../model/field.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { DescribedImage } from './read-image-files.ts'

/** A release in a namespace. */
export interface ImagePlace {
  readonly namespace: string
  readonly release: Pick<Release, 'name' | 'kubernetesVersion' | 'imageFiles'>
  /** Its class and templates. */
  readonly folder: Pick<RenderedFolder, 'manifests'>
}

/** A node image of a release, `from` the file that describes it, as an object of the release's namespace. */
export function imageManifest(
  { name, object }: Pick<DescribedImage, 'name' | 'object'>,
  from: string,
  { namespace, release }: Pick<ImagePlace, 'namespace' | 'release'>,
): Manifest {
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: 'Image',
    name,
    namespace,
    object: withField(object, ['metadata', 'namespace'], namespace),
    origin: { from: formatTag(release.name), unit: 'node-images', template: baseName(from), path: from },
  }
}
