import type { Manifest } from '../../model/manifest.ts'
import { dict } from '../../model/value.ts'
import { imageManifest, type ImagePlace } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { credentialsRef, IMAGE_API } from './read-image-files.ts'

/** An image of which nothing is known but its name. */
export function namedImage(
  name: string,
  place: Pick<ImagePlace, 'namespace' | 'release'>,
  { credentials }: Pick<ImageRules, 'credentials'>,
): Manifest {
  const object = dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    ['spec', dict([['cloudCredentialsRef', credentialsRef(credentials)]])],
  ])
  return imageManifest({ name, object }, 'stackmason.yaml', place)
}
