import type { Manifest } from '../../model/manifest.ts'
import { chosenImages } from './chosen-images.ts'
import { describedImages } from './described-images.ts'
import { detachedImage } from './detached-image.ts'
import type { ImagePlace } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { importedImage } from './imported-image.ts'
import { isListed } from './is-listed.ts'
import { namedImage } from './named-image.ts'
import type { ImageUser } from './release-users.ts'

/**
 * The images of a release as the objects of a namespace are to be; of those that exist and that nothing describes, what the class or the given clusters choose.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function releaseImages(place: ImagePlace, users: readonly ImageUser[], rules: ImageRules): readonly Manifest[] {
  const { use, uploadFrom } = rules
  if (use === 'none') return []
  const described = describedImages(place, rules)
  if (use === 'release') {
    const uploads = uploadFrom === undefined || isListed(place.namespace, rules)
    return described.map(uploads ? detachedImage : importedImage)
  }
  const existing =
    described.length > 0 ? described : chosenNames(place, users, rules).map((name) => namedImage(name, place, rules))
  return existing.map(importedImage)
}

function chosenNames(place: ImagePlace, users: readonly ImageUser[], rules: ImageRules): readonly string[] {
  const choosing = users.length === 0 ? [undefined] : users
  return [...new Set(choosing.flatMap((user) => chosenImages(place, rules, user?.cluster)).map(({ name }) => name))]
}
