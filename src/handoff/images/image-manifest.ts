import { baseName } from '../../codec/path.ts'
import { textAt, withField } from '../../model/field.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'
import { dict } from '../../model/value.ts'
import type { ImageRules } from './image-rules.ts'
import { type DescribedImage, credentialsRef, IMAGE_API } from './read-image-files.ts'

/** A release in a namespace, which node images are made for. */
export interface ImageStack {
  readonly namespace: string
  readonly release: Pick<Release, 'name' | 'kubernetesVersion' | 'imageFiles'>
  /** Its class and templates. */
  readonly folder: Pick<RenderedFolder, 'manifests'>
}

/** A node image of a release, `from` the file that describes it, as an object of the release's namespace. */
export function imageManifest(
  { name, object, at }: Pick<DescribedImage, 'name' | 'object'> & { readonly at?: Span },
  from: string,
  { namespace, release }: Pick<ImageStack, 'namespace' | 'release'>,
): Manifest {
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: 'Image',
    name,
    namespace,
    object: withField(object, ['metadata', 'namespace'], namespace),
    origin: {
      from: formatTag(release.name),
      unit: 'node-images',
      template: baseName(from),
      path: from,
      ...(at !== undefined && { at }),
    },
  }
}

/** An image of which nothing is known but its name. */
export function namedImage(
  name: string,
  stack: Pick<ImageStack, 'namespace' | 'release'>,
  { credentials }: Pick<ImageRules, 'credentials'>,
): Manifest {
  const object = dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    ['spec', dict([['cloudCredentialsRef', credentialsRef(credentials)]])],
  ])
  return imageManifest({ name, object }, 'stackmason.yaml', stack)
}

/**
 * The object that says which images a release needs, or that it needs none. Rule: templates/crds/nodeimagegates.yaml.
 */
export function gateManifest(
  { namespace, release }: Pick<ImageStack, 'namespace' | 'release'>,
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
