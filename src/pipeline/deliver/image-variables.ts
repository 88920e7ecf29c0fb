import { createImageVariables, type SetImageVariables } from '../../handoff/images/image-variables.ts'
import type { ImageStack } from '../../handoff/images/image-manifest.ts'
import { imageRules } from '../../handoff/images/image-rules.ts'
import type { Cluster, Fleet } from '../../model/fleet.ts'

/** Gives a cluster the image variables that the fleet wants for the stack of its class. */
export type ChooseImages = (cluster: Cluster, stack: ImageStack | undefined) => Cluster

/** Makes a {@link ChooseImages}, which looks at each class once. */
export function createImageChoice({ nodeImages }: Pick<Fleet, 'nodeImages'>): ChooseImages {
  const known = new WeakMap<ImageStack['folder'], SetImageVariables>()
  return (cluster, stack) => {
    if (stack === undefined) return cluster
    const set = known.get(stack.folder) ?? createImageVariables(stack, imageRules(nodeImages, stack.release.name))
    known.set(stack.folder, set)
    return set(cluster)
  }
}
