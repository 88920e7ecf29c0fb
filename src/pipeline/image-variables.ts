import { createImageVariables, type SetImageVariables } from '../handoff/images/image-variables.ts'
import type { ImagePlace } from '../handoff/images/image-manifests.ts'
import type { Cluster, Fleet } from '../model/fleet.ts'

/** Gives a cluster the image variables that the fleet wants for the stack of its class. */
export type ChooseImages = (cluster: Cluster, place: ImagePlace | undefined) => Cluster

/** Makes a {@link ChooseImages}, which looks at each class once. */
export function createImageChoice({ nodeImages }: Pick<Fleet, 'nodeImages'>): ChooseImages {
  const known = new WeakMap<ImagePlace['folder'], SetImageVariables>()
  return (cluster, place) => {
    const { provider, stack } = place?.release.name ?? {}
    const config = nodeImages.find((entry) => entry.provider === provider && entry.stack === stack)
    if (place === undefined || config?.findBy === undefined) return cluster
    const set = known.get(place.folder) ?? createImageVariables(place, config)
    known.set(place.folder, set)
    return set(cluster)
  }
}
