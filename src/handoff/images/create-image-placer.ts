import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { HandedStack, UnitStack } from '../../model/handoff.ts'
import { fileOf, type Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { gateManifest } from './gate-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { isImage } from './is-image.ts'
import { isUploading } from './is-uploading.ts'

/** Images that a stack's unit is to have. */
export interface WantedImages {
  /** Its folder has none yet. */
  readonly stack: HandedStack
  readonly rules: ImageRules
  readonly images: readonly Manifest[]
}

/** A stack with the images that it holds, and the stacks that hold the others. */
export interface PlacedImages {
  readonly stack: HandedStack
  readonly findings: readonly Diagnostic[]
}

/** Takes images, and the gate if the fleet wants one, into a folder, less those that another folder of the namespace holds: the first that asks gets them. */
export type PlaceImages = (wanted: WantedImages) => PlacedImages

/** Makes a {@link PlaceImages}; what lies in the folders of kept stacks stays there. */
export function createImagePlacer(kept: readonly UnitStack[]): PlaceImages {
  const holders = new Map<string, Holder>()
  for (const { namespace, release, folder } of kept)
    for (const image of folder.manifests.filter(isImage))
      holders.set(`${namespace}/${image.name}`, { tag: formatTag(release.name), image })
  return ({ stack, rules, images }) => {
    const tag = formatTag(stack.release.name)
    const own: Manifest[] = []
    const from = new Set<string>()
    const findings: Diagnostic[] = []
    for (const image of images) {
      const key = `${stack.namespace}/${image.name}`
      const holder = holders.get(key)
      if (holder === undefined) {
        holders.set(key, { tag, image })
        own.push(image)
        continue
      }
      from.add(holder.tag)
      if ([holder.image, image].every(isUploading) && !isSameImage(holder.image, image))
        findings.push(differs(image, tag, holder.tag))
    }
    const gate = rules.gate === 'controller' ? [gateManifest(stack, images)] : []
    const manifests = [...stack.folder.manifests, ...own, ...gate]
    return {
      stack: { ...stack, folder: { ...stack.folder, manifests }, ...(from.size > 0 && { imagesFrom: [...from] }) },
      findings,
    }
  }
}

interface Holder {
  readonly tag: string
  readonly image: Manifest
}

function isSameImage(a: Manifest, b: Manifest): boolean {
  const download = ({ object }: Manifest): readonly string[] => [
    textAt(object, 'spec', 'resource', 'content', 'download', 'url'),
    textAt(object, 'spec', 'resource', 'content', 'download', 'hash', 'value'),
  ]
  return JSON.stringify(download(a)) === JSON.stringify(download(b))
}

function differs(image: Manifest, tag: string, holder: string): Diagnostic {
  return {
    code: 'NODE_IMAGE_MISMATCH',
    severity: 'warning',
    message: `releases ${holder} and ${tag} take the node image "${image.name}" of namespace ${image.namespace ?? ''} from different places; the one of ${holder} is used`,
    file: fileOf(image.origin),
    hint: 'Content of an image never changes: give the other content another name.',
  }
}
