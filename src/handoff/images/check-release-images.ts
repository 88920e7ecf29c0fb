import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { HandedStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatClassName } from '../../model/release-name.ts'
import { checkClusterImage } from './check-cluster-image.ts'
import { chosenImages } from './chosen-images.ts'
import { classVariables } from './class-variables.ts'
import { cloudName } from './cloud-name.ts'
import { selectImages } from './described-images.ts'
import type { ImageRules } from './image-rules.ts'
import { imageVariableNames } from './image-variable-names.ts'
import { isOpenStackMachine } from './is-openstack-machine.ts'
import type { ImageUser } from './release-users.ts'
import { unknownImages } from './refuse-unknown-images.ts'
import { unknownVariable } from './unknown-variable.ts'

/** The images of a release, and the clusters that use it. */
export interface ReleaseImages {
  readonly rules: ImageRules
  readonly users: readonly ImageUser[]
  readonly images: readonly Manifest[]
}

/** Says what is wrong with the images that a release brings: nothing says which there are, or its clusters look for others, or the fleet names variables that the class lacks. */
export function checkReleaseImages(stack: HandedStack, { rules, users, images }: ReleaseImages): readonly Diagnostic[] {
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

/** Names that the fleet writes and the class does not have; a release that is older or newer than the variable is no reason to stop. */
function unknownVariables({ folder, release }: HandedStack, { variables, at }: ImageRules): readonly Diagnostic[] {
  const declared = classVariables(folder)
  const className = formatClassName(release.name)
  return Object.values(variables ?? {})
    .filter((name) => declared.every((variable) => textAt(variable, 'name') !== name))
    .map((name) => ({ ...unknownVariable(name, { declared, className, at }), severity: 'warning' }))
}

/** What the files about images say that is not taken; of images that somebody else uploads the options are not ours. */
function described(stack: HandedStack, rules: ImageRules): readonly Diagnostic[] {
  if (rules.use === 'none') return []
  const { findings } = selectImages(stack, rules)
  return rules.use === 'release' ? findings : findings.filter(({ code }) => code !== 'NODE_IMAGE_OPTION')
}
