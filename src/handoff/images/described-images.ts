import { withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { imageManifest, type ImagePlace } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { isImage } from './is-image.ts'
import { readImageFiles } from './read-image-files.ts'

/**
 * The images of a release as they are described: those of the class chart, then those that files describe for its Kubernetes version, each name once.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function describedImages(
  place: ImagePlace,
  { file, credentials }: Pick<ImageRules, 'file' | 'credentials'>,
): readonly Manifest[] {
  const { namespace, release, folder } = place
  const files = file === undefined ? (release.imageFiles ?? []) : [file]
  const described = readImageFiles(files, credentials).filter(({ name }) =>
    isForVersion(name, release.kubernetesVersion),
  )
  const images = new Map<string, Manifest>()
  for (const manifest of folder.manifests.filter(isImage)) images.set(manifest.name, movedTo(namespace, manifest))
  for (const image of described)
    if (!images.has(image.name)) images.set(image.name, imageManifest(image, image.source.name, place))
  return [...images.values()]
}

function isForVersion(name: string, version: string): boolean {
  return name === version || name.endsWith(`-${version}`)
}

function movedTo(namespace: string, image: Manifest): Manifest {
  if (image.namespace === namespace) return image
  return { ...image, namespace, object: withField(image.object, ['metadata', 'namespace'], namespace) }
}
