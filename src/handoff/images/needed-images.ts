import type { Diagnostic } from '../../model/diagnostic.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandedStack, UnitStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { isBeside } from './check-cluster-image.ts'
import { chosenImages, type ChosenImage } from './chosen-image.ts'
import { readManagerEntries } from './read-manager-entries.ts'
import type { ExportedImage } from './export-node-images.ts'
import { cloudName, describedImages, isImage, isUploading } from './image-manifests.ts'
import { imagePlaces } from './image-places.ts'
import { planNodeImages, type ImageUser } from './plan-node-images.ts'

/** How a node image comes into the cloud; `unknown`: machines look for it, and neither release nor fleet says where it comes from. */
export type ImageUse = 'release' | 'existing' | 'none' | 'unknown'

/** A node image that a release needs in a namespace. */
export interface NeededImage extends ExportedImage {
  readonly stack: HandedStack
  readonly use: ImageUse
  readonly saidAt: readonly Place[]
  /** Clusters whose machines boot from it. */
  readonly users: readonly ImageUser['cluster'][]
}

/** Where something is said: in a text, or in a file of the release. */
export type Place = Pick<Diagnostic, 'at' | 'file'>

/**
 * The node images that a stack's release needs: those that it brings, and those that machines look for although it does not. An image beside the Cluster that
 * uses it is none of the release's.
 */
export function neededImages(
  stack: HandedStack,
  users: readonly ImageUser[],
  configs: readonly NodeImageConfig[],
): readonly NeededImage[] {
  const { provider, stack: stackName } = stack.release.name
  const config = configs.find((entry) => entry.provider === provider && entry.stack === stackName)
  const files = config?.file === undefined ? (stack.release.imageFiles ?? []) : [config.file]
  const own = usersOf(stack, users)
  const { stacks, imageStacks } = planNodeImages([stack], own, { configs, kept: [] })
  const brought = [...stacks, ...imageStacks].flatMap(({ folder }) => folder.manifests.filter(isImage))
  const inCloud = ({ name, by }: ChosenImage): string => {
    const object = by === 'object' ? brought.find((image) => image.name === name) : undefined
    return object === undefined ? name : cloudName(object)
  }
  const choices = (own.length === 0 ? [undefined] : own).flatMap((user) =>
    choiceOf(stack, user, config).map((image) => ({ name: inCloud(image), user })),
  )
  const names = new Set([...brought.map(cloudName), ...choices.map(({ name }) => name)])
  const described = describedImages(stack, config)
  const entries = readManagerEntries(files)
  const places = imagePlaces(files)
  return [...names].map((name): NeededImage => {
    const manifests = brought.filter((image) => cloudName(image) === name)
    const use = useOf(manifests, config)
    const objects = described
      .filter((image) => cloudName(image) === name)
      .map((image) => ({ object: image.object, place: placeOf(image, places) }))
    const ownEntries = entries.filter((entry) => entry.name === name)
    const inFiles = places.filter((place) => place.name === name).map(({ at }): Place => ({ at }))
    const said = [...objects.map(({ place }) => place), ...inFiles]
    return {
      name,
      stack,
      use,
      entries: ownEntries,
      objects,
      saidAt: use !== 'unknown' && said.length === 0 && config !== undefined ? [{ at: config.at }] : said,
      users: choices.flatMap((choice) =>
        choice.name === name && choice.user !== undefined ? [choice.user.cluster] : [],
      ),
    }
  })
}

/** The clusters that use a stack's release from its namespace. */
export function usersOf({ namespace, release }: UnitStack, users: readonly ImageUser[]): readonly ImageUser[] {
  const tag = formatTag(release.name)
  return users.filter((user) => user.stackNamespace === namespace && formatTag(user.release.name) === tag)
}

function choiceOf(
  { folder, release }: HandedStack,
  user: ImageUser | undefined,
  config: NodeImageConfig | undefined,
): readonly ChosenImage[] {
  return chosenImages({
    folder,
    version: release.kubernetesVersion,
    ...(user !== undefined && { cluster: user.cluster.object }),
    ...(config?.variables !== undefined && { variables: config.variables }),
  }).filter((image) => user === undefined || !isBeside(image, user.cluster))
}

function useOf(manifests: readonly Manifest[], config: NodeImageConfig | undefined): ImageUse {
  if (config?.use === 'none') return 'none'
  if (manifests.length === 0) return 'unknown'
  return manifests.some(isUploading) ? 'release' : 'existing'
}

/** The line of a file beside the stack; a template of the class has none that is worth telling. */
function placeOf({ name, origin }: Manifest, places: ReturnType<typeof imagePlaces>): Place {
  const place = places.find((known) => known.name === name && known.at.source.name === origin.template)
  return place === undefined ? { file: `${origin.from}/${origin.template}` } : { at: place.at }
}
