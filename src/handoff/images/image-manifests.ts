import { copyDict, dictAt, textAt, withField } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { dict, Dict } from '../../model/value.ts'
import { credentialsRef, type DescribedImage, IMAGE_API, readImageFiles } from './read-image-files.ts'

/** What the fleet says about a stack that it does not list. */
export const UNLISTED_IMAGES: Pick<NodeImageConfig, 'use' | 'credentials' | 'gate'> = {
  use: 'release',
  credentials: { secretName: 'openstack', cloudName: 'openstack' },
  gate: 'images',
}

/** A release in a namespace. */
export interface ImagePlace {
  readonly namespace: string
  readonly release: Pick<Release, 'name' | 'kubernetesVersion' | 'imageFiles'>
  /** Its class and templates. */
  readonly folder: Pick<RenderedFolder, 'manifests'>
}

/** Whether a manifest is an image of the OpenStack resource controller. */
export function isImage({ kind, apiVersion }: Manifest): boolean {
  return kind === 'Image' && apiVersion.startsWith('openstack.k-orc.cloud/')
}

/**
 * The images of a release as they are described: those of the class chart, then those that files describe for its Kubernetes version, each name once.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function describedImages(place: ImagePlace, config: NodeImageConfig | undefined): readonly Manifest[] {
  const { namespace, release, folder } = place
  const files = config?.file === undefined ? (release.imageFiles ?? []) : [config.file]
  const described = readImageFiles(files, (config ?? UNLISTED_IMAGES).credentials).filter(({ name }) =>
    isForVersion(name, release.kubernetesVersion),
  )
  const images = new Map<string, Manifest>()
  for (const manifest of folder.manifests.filter(isImage)) images.set(manifest.name, movedTo(namespace, manifest))
  for (const image of described) if (!images.has(image.name)) images.set(image.name, toManifest(image, place))
  return [...images.values()]
}

function isForVersion(name: string, version: string): boolean {
  return name === version || name.endsWith(`-${version}`)
}

function movedTo(namespace: string, image: Manifest): Manifest {
  if (image.namespace === namespace) return image
  return { ...image, namespace, object: withField(image.object, ['metadata', 'namespace'], namespace) }
}

type SourcedImage = Pick<DescribedImage, 'name' | 'object'> & { readonly source: { readonly name: string } }

function toManifest(
  { name, object, source }: SourcedImage,
  { namespace, release }: Pick<ImagePlace, 'namespace' | 'release'>,
): Manifest {
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: 'Image',
    name,
    namespace,
    object: withField(object, ['metadata', 'namespace'], namespace),
    origin: { from: formatTag(release.name), unit: 'node-images', template: source.name },
  }
}

/** An image of which nothing is known but its name. */
export function namedImage(
  name: string,
  place: Pick<ImagePlace, 'namespace' | 'release'>,
  config: NodeImageConfig | undefined,
): Manifest {
  const object = dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    ['spec', dict([['cloudCredentialsRef', credentialsRef((config ?? UNLISTED_IMAGES).credentials)]])],
  ])
  return toManifest({ name, object, source: { name: 'stackmason.yaml' } }, place)
}

/** Neither the engine nor the controller of images takes an image away with its object; what is unmanaged stays as it is. */
export function detachedImage(image: Manifest): Manifest {
  const kept = withField(image.object, ['metadata', 'annotations', 'helm.sh/resource-policy'], 'keep')
  return {
    ...image,
    object: isUploading(image) ? withField(kept, ['spec', 'managedOptions', 'onDelete'], 'detach') : kept,
  }
}

/** Whether an image's object brings it into the cloud. */
export function isUploading({ object }: Manifest): boolean {
  return (textAt(object, 'spec', 'managementPolicy') || 'managed') === 'managed'
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

/** What an image is called in the cloud: as the object says, else like the object. */
export function cloudName({ object, name }: Manifest): string {
  return textAt(object, 'spec', 'resource', 'name') || textAt(object, 'spec', 'import', 'filter', 'name') || name
}

/** The object that says which images a release needs, or that it needs none. Rule: templates/crds/nodeimagegates.yaml. */
export function gateManifest(
  { namespace, release }: Pick<ImagePlace, 'namespace' | 'release'>,
  images: readonly Manifest[],
): Manifest {
  const name = formatTag(release.name)
  const spec =
    images.length === 0
      ? dict([['none', true]])
      : dict([['images', images.map((image) => dict([['orcImage', image.name]]))]])
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'NodeImageGate',
    name,
    namespace,
    object: dict([
      ['apiVersion', 'stackmason.dev/v1alpha1'],
      ['kind', 'NodeImageGate'],
      [
        'metadata',
        dict([
          ['name', name],
          ['namespace', namespace],
        ]),
      ],
      ['spec', spec],
    ]),
    origin: { from: name, unit: 'node-images', template: 'stackmason.yaml' },
  }
}
