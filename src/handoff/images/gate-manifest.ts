import type { Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { dict } from '../../model/value.ts'
import type { ImagePlace } from './image-manifest.ts'

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
