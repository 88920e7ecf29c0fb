import { createImageVariables, type SetImageVariables } from '../handoff/images/image-variables.ts'
import type { ImagePlace } from '../handoff/images/image-manifest.ts'
import { imageRules } from '../handoff/images/image-rules.ts'
import type { Cluster, Fleet } from '../model/fleet.ts'

/** Gives a cluster the image variables that the fleet wants for the stack of its class. */
export type ChooseImages = (cluster: Cluster, place: ImagePlace | undefined) => Cluster

/** Makes a {@link ChooseImages}, which looks at each class once. */
export function createImageChoice({ nodeImages }: Pick<Fleet, 'nodeImages'>): ChooseImages {
  const known = new WeakMap<ImagePlace['folder'], SetImageVariables>()
  return (cluster, place) => {
    if (place === undefined) return cluster
    const set = known.get(place.folder) ?? createImageVariables(place, imageRules(nodeImages, place.release.name))
    known.set(place.folder, set)
    return set(cluster)
  }
}
