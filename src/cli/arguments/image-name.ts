/** `HOST[:PORT]/PATH`, with a tag, a digest or both. */
const imageName =
  /^(?:[a-z0-9.-]+(?::[0-9]{1,5})?\/)?[a-z0-9._/-]+(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/
const pinned = /(?::[^:/@]+|@sha256:[0-9a-f]{64})$/

/** Problems with the name of an image, as an option gives it. */
export function refuseImage(image: string, option: string): readonly string[] {
  if (!imageName.test(image)) return [`option --${option} takes the name of an image, not ${JSON.stringify(image)}`]
  return pinned.test(image) ? [] : [`--${option} needs a tag or a digest: without, what runs changes by itself`]
}
