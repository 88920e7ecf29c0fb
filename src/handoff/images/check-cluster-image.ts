import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { ChosenImage } from './chosen-image.ts'

/** The images of a release: names of their objects, and of what these stand for in the cloud. */
export interface KnownImages {
  readonly objects: readonly string[]
  readonly clouds: readonly string[]
}

/** What a cluster's image is compared with. */
export interface ImageContext {
  readonly cluster: Cluster
  readonly stackNamespace: string
  readonly known: KnownImages
}

/**
 * Says where the image that a cluster's machines will look for is not one that its release brings, or not where they look: machines find Image objects
 * in their own namespace only (cluster-api-provider-openstack), and wait without a word for those that never come.
 */
export function checkClusterImage({ name, by }: ChosenImage, context: ImageContext): readonly Diagnostic[] {
  const { cluster, stackNamespace, known } = context
  const shown = `${cluster.namespace}/${cluster.name}`
  const hasOwn = cluster.beside.some(
    (object) => textAt(object, 'kind') === 'Image' && textAt(object, 'metadata', 'name') === name,
  )
  if (by === 'object' && hasOwn) return []
  const names = by === 'object' ? known.objects : known.clouds
  if (!names.includes(name)) {
    return [
      {
        code: 'NODE_IMAGE_MISMATCH',
        severity: 'warning',
        message: `machines of cluster ${shown} look for the ${by === 'object' ? 'Image object' : 'image'} "${name}", but its release brings ${names.join(', ')}`,
        at: cluster.versionAt,
        hint: 'Set the variables imageName and imageAddVersion so that they give the name of an image of the release, or describe the image in spec.nodeImages of stackmason.yaml.',
      },
    ]
  }
  if (by === 'name' || cluster.namespace === stackNamespace) return []
  return [
    {
      code: 'NODE_IMAGE_NAMESPACE',
      severity: 'warning',
      message: `machines of cluster ${shown} look for the Image object "${name}" in namespace ${cluster.namespace}, but it lies in ${stackNamespace}, where the class is`,
      at: cluster.classAt,
      hint: `Offer the stack in namespace ${cluster.namespace} too, put an Image of that name beside the Cluster, or set the variable imageIsOrc to false.`,
    },
  ]
}
