import type { Manifest } from '../../model/manifest.ts'
import { chosenImages } from './chosen-images.ts'
import { describedImages } from './described-images.ts'
import { detachedImage, importedImage } from './image-object.ts'
import { type ImageStack, namedImage } from './image-manifest.ts'
import { type ImageRules, isListed } from './image-rules.ts'
import type { ReleaseUser } from './release-users.ts'

/**
 * The images of a release as the objects of a namespace are to be; of those that exist and that nothing describes, what
 * the class or the given clusters choose.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function releaseImages(
  stack: ImageStack,
  users: readonly Pick<ReleaseUser, 'cluster'>[],
  rules: ImageRules,
): readonly Manifest[] {
  const { use, uploadFrom } = rules
  if (use === 'none') return []
  const described = describedImages(stack, rules)
  if (use === 'release') {
    const uploads = uploadFrom === undefined || isListed(stack.namespace, rules)
    return described.map(uploads ? detachedImage : importedImage)
  }
  const existing =
    described.length > 0 ? described : chosenNames(stack, users, rules).map((name) => namedImage(name, stack, rules))
  return existing.map(importedImage)
}

function chosenNames(
  stack: ImageStack,
  users: readonly Pick<ReleaseUser, 'cluster'>[],
  rules: ImageRules,
): readonly string[] {
  const choosing = users.length === 0 ? [undefined] : users
  return [...new Set(choosing.flatMap((user) => chosenImages(stack, rules, user?.cluster)).map(({ name }) => name))]
}
