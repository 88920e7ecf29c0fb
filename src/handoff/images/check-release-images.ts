import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt, fieldAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatClassName } from '../../model/release-name.ts'
import { chosenImages, isOpenStackMachine, type ChosenImage, isBeside, spanInCluster } from './chosen-images.ts'
import { classVariables, imageVariableNames, unknownVariable } from './class-variables.ts'
import { selectImages } from './described-images.ts'
import { cloudName } from './image-object.ts'
import type { ImageRules } from './image-rules.ts'
import { unknownImages } from './refuse-unknown-images.ts'
import type { ImageUser } from './release-users.ts'

/** The images of a release, and the clusters that use it. */
export interface ReleaseImages {
  readonly rules: ImageRules
  readonly users: readonly ImageUser[]
  readonly images: readonly Manifest[]
}

/**
 * Says what is wrong with the images that a release brings: nothing says which there are, or its clusters look for
 * others, or the fleet names variables that the class lacks.
 */
export function checkReleaseImages(
  stack: HandoffStack,
  { rules, users, images }: ReleaseImages,
): readonly Diagnostic[] {
  if (!stack.folder.manifests.some(isOpenStackMachine)) return []
  const unknown = [...unknownVariables(stack, rules), ...described(stack, rules)]
  if (rules.use === 'none') return unknown
  if (images.length === 0) return [...unknown, unknownImages(stack, rules, 'warning')]
  const known = { objects: images.map(({ name }) => name), clouds: images.map(cloudName) }
  const names = imageVariableNames(rules.variables)
  const choices = users
    .filter(({ isCommitted }) => isCommitted !== true)
    .flatMap(({ cluster }) =>
      chosenImages(stack, rules, cluster).flatMap((image) => checkClusterImage(image, { cluster, known, names })),
    )
  return [...unknown, ...choices]
}

/**
 * Names that the fleet writes and the class does not have; a release that is older or newer than the variable is no
 * reason to stop.
 */
function unknownVariables({ folder, release }: HandoffStack, { variables, at }: ImageRules): readonly Diagnostic[] {
  const declared = classVariables(folder)
  const className = formatClassName(release.name)
  return Object.values(variables ?? {})
    .filter((name) => declared.every((variable) => textAt(variable, 'name') !== name))
    .map((name) => ({ ...unknownVariable(name, { declared, className, at }), severity: 'warning' }))
}

/** The findings about skipped parts of image files; the options of images that somebody else uploads are not ours. */
function described(stack: HandoffStack, rules: ImageRules): readonly Diagnostic[] {
  if (rules.use === 'none') return []
  const { findings } = selectImages(stack, rules)
  return rules.use === 'release' ? findings : findings.filter(({ code }) => code !== 'NODE_IMAGE_OPTION')
}

/** The images of a release: names of their objects, and of what these stand for in the cloud. */
export interface KnownImages {
  readonly objects: readonly string[]
  readonly clouds: readonly string[]
}

/** The context that a cluster's image is compared with. */
export interface ImageContext {
  readonly cluster: Cluster
  readonly known: KnownImages
  readonly names: ReturnType<typeof imageVariableNames>
}

/**
 * Says where the image that a cluster's machines will look for is not one that its release brings: machines wait
 * without a word for those that never come.
 */
function checkClusterImage(image: ChosenImage, { cluster, known, names }: ImageContext): readonly Diagnostic[] {
  const { name, by, path } = image
  const brought = by === 'object' ? known.objects : known.clouds
  if (isBeside(image, cluster) || brought.includes(name)) return []
  const written = path === undefined ? undefined : fieldAt(cluster.object, ...path)
  const at = typeof written === 'string' && path !== undefined ? spanInCluster(cluster, path, written) : undefined
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
