import { baseName } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandedStack } from '../../model/handoff.ts'
import { fileOf, type Manifest } from '../../model/manifest.ts'
import { chosenImages, type ChosenImage } from './chosen-images.ts'
import { cloudName } from './cloud-name.ts'
import { describedImages } from './described-images.ts'
import type { ExportedImage } from './export-node-images.ts'
import { imagePlaces } from './image-places.ts'
import { imageRules, type ImageRules } from './image-rules.ts'
import { isBeside } from './is-beside.ts'
import { isImage } from './is-image.ts'
import { isUploading } from './is-uploading.ts'
import { planNodeImages } from './plan-node-images.ts'
import { readManagerEntries } from './read-manager-entries.ts'
import { releaseUsers, type ImageUser } from './release-users.ts'

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
  const rules = imageRules(configs, stack.release.name)
  const files = rules.file === undefined ? (stack.release.imageFiles ?? []) : [rules.file]
  const own = releaseUsers(stack, users)
  const { stacks, imageStacks } = planNodeImages([stack], own, { configs, kept: [] })
  const brought = [...stacks, ...imageStacks].flatMap(({ folder }) => folder.manifests.filter(isImage))
  const inCloud = ({ name, by }: ChosenImage): string => {
    const object = by === 'object' ? brought.find((image) => image.name === name) : undefined
    return object === undefined ? name : cloudName(object)
  }
  const choices = (own.length === 0 ? [undefined] : own).flatMap((user) =>
    chosenImages(stack, rules, user?.cluster)
      .filter((image) => user === undefined || !isBeside(image, user.cluster))
      .map((image) => ({ name: inCloud(image), user })),
  )
  const names = new Set([...brought.map(cloudName), ...choices.map(({ name }) => name)])
  const described = describedImages(stack, rules)
  const entries = readManagerEntries(files)
  const places = imagePlaces(files)
  return [...names].map((name): NeededImage => {
    const manifests = brought.filter((image) => cloudName(image) === name)
    const use = useOf(manifests, rules)
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
      saidAt: use !== 'unknown' && said.length === 0 && rules.at !== undefined ? [{ at: rules.at }] : said,
      users: choices.flatMap((choice) =>
        choice.name === name && choice.user !== undefined ? [choice.user.cluster] : [],
      ),
    }
  })
}

function useOf(manifests: readonly Manifest[], { use }: Pick<ImageRules, 'use'>): ImageUse {
  if (use === 'none') return 'none'
  if (manifests.length === 0) return 'unknown'
  return manifests.some(isUploading) ? 'release' : 'existing'
}

/** The line of a file beside the stack; a template of the class has none that is worth telling. */
function placeOf({ name, origin }: Manifest, places: ReturnType<typeof imagePlaces>): Place {
  const place = places.find((known) => known.name === name && baseName(known.at.source.name) === origin.template)
  return place === undefined ? { file: fileOf(origin) } : { at: place.at }
}
