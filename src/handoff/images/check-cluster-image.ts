import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { ChosenImage } from './chosen-images.ts'
import type { imageVariableNames } from './image-variable-names.ts'
import { isBeside } from './is-beside.ts'
import { placeInCluster } from './place-in-cluster.ts'

/** The images of a release: names of their objects, and of what these stand for in the cloud. */
export interface KnownImages {
  readonly objects: readonly string[]
  readonly clouds: readonly string[]
}

/** What a cluster's image is compared with. */
export interface ImageContext {
  readonly cluster: Cluster
  readonly known: KnownImages
  readonly names: ReturnType<typeof imageVariableNames>
}

/** Says where the image that a cluster's machines will look for is not one that its release brings: machines wait without a word for those that never come. */
export function checkClusterImage(image: ChosenImage, { cluster, known, names }: ImageContext): readonly Diagnostic[] {
  const { name, by, path } = image
  const brought = by === 'object' ? known.objects : known.clouds
  if (isBeside(image, cluster) || brought.includes(name)) return []
  const written = path === undefined ? undefined : fieldAt(cluster.object, ...path)
  const at = typeof written === 'string' && path !== undefined ? placeInCluster(cluster, path, written) : undefined
  return [
    {
      code: 'NODE_IMAGE_MISMATCH',
      severity: 'warning',
      message: `machines of cluster ${cluster.namespace}/${cluster.name} look for the ${by === 'object' ? 'Image object' : 'image'} "${name}", but its release brings ${brought.join(', ')}`,
      at: at ?? cluster.versionAt,
      hint: `Set the variables ${names.name} and ${names.addVersion} so that they give the name of an image of the release, or describe the image in spec.nodeImages of stackmason.yaml.`,
    },
  ]
}
