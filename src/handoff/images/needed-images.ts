import { positionedFile } from '../../codec/yaml/positioned-file.ts'
import type { ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { baseName } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import { fileOf, type Manifest } from '../../model/manifest.ts'
import type { Source, Span } from '../../model/source.ts'
import { chosenImages, type ChosenImage, isBeside } from './chosen-images.ts'
import { describedImages } from './described-images.ts'
import type { ExportedImage } from './export-node-images.ts'
import { cloudName, isImage, isUploading } from './image-object.ts'
import { imageRules, type ImageRules } from './image-rules.ts'
import { planNodeImages } from './plan-node-images.ts'
import { readManagerEntries } from './read-manager-entries.ts'
import { releaseUsers, type ImageUser } from './release-users.ts'

/**
 * How a node image comes into the cloud; `unknown`: machines look for it, and neither release nor fleet says where it
 * comes from.
 */
export type ImageUse = 'release' | 'existing' | 'none' | 'unknown'

/** A node image that a release needs in a namespace. */
export interface NeededImage extends ExportedImage {
  readonly stack: HandoffStack
  readonly use: ImageUse
  readonly saidAt: readonly ImageOrigin[]
  /** Clusters whose machines boot from it. */
  readonly users: readonly ImageUser['cluster'][]
}

/** Where something is said: in a text, or in a file of the release. */
export type ImageOrigin = Pick<Diagnostic, 'at' | 'file'>

/**
 * The node images that a stack's release needs: those that it brings, and those that machines look for although it does
 * not. An image beside the Cluster that uses it is none of the release's.
 */
export function neededImages(
  stack: HandoffStack,
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
  const located = locateImages(files)
  return [...names].map((name): NeededImage => {
    const manifests = brought.filter((image) => cloudName(image) === name)
    const use = useOf(manifests, rules)
    const objects = described
      .filter((image) => cloudName(image) === name)
      .map((image) => ({ object: image.object, origin: originOf(image, located) }))
    const ownEntries = entries.filter((entry) => entry.name === name)
    const inFiles = located.filter((image) => image.name === name).map(({ at }): ImageOrigin => ({ at }))
    const said = [...objects.map(({ origin }) => origin), ...inFiles]
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
function originOf({ name, origin }: Manifest, located: ReturnType<typeof locateImages>): ImageOrigin {
  const image = located.find((known) => known.name === name && baseName(known.at.source.name) === origin.template)
  return image === undefined ? { file: fileOf(origin) } : { at: image.at }
}

/** A node image that a file describes, in whatever form. */
export interface LocatedImage {
  readonly name: string
  readonly at: Span
}

/**
 * Where files say which node images there are: Image objects, entries of openstack-image-manager and of the
 * cluster-stack-provider-openstack.
 */
export function locateImages(files: readonly Source[]): readonly LocatedImage[] {
  const entries = readManagerEntries(files).map(({ name, spanOf }) => ({ name, at: spanOf('version') }))
  return [...files.flatMap((file) => positionedFile(file).documents.flatMap(locateIn)), ...entries]
}

function locateIn({ value, spanOf }: ReadDocument): readonly LocatedImage[] {
  const ofProvider = itemsAt(value, 'openStackNodeImages').map((item, index) => ({
    name: textAt(item, 'createOpts', 'name'),
    at: spanOf(['openStackNodeImages', index]),
  }))
  if (textAt(value, 'kind') !== 'Image') return ofProvider
  return [{ name: textAt(value, 'metadata', 'name'), at: spanOf(['metadata', 'name']) }]
}
