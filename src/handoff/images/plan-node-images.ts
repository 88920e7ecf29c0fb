import { type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandedStack, UnitStack } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import { checkReleaseImages } from './check-release-images.ts'
import { checkUploads } from './check-uploads.ts'
import { createImagePlacer } from './create-image-placer.ts'
import { elsewhereImages } from './elsewhere-images.ts'
import { imageRules } from './image-rules.ts'
import { isImage } from './is-image.ts'
import { releaseImages } from './release-images.ts'
import { releaseUsers, type ImageUser } from './release-users.ts'

/** Stacks with their node images, and what is wrong with the choice of images. */
export interface PlannedNodeImages {
  /** In the order of those that were given. */
  readonly stacks: readonly HandedStack[]
  /** Images of releases in namespaces where clusters use them but their classes are not: `stacks/<namespace of the cluster>/<tag>`. */
  readonly imageStacks: readonly HandedStack[]
  /** By `<namespace of the cluster>/<tag>`: tags of the stacks of that namespace that hold the images of the release. */
  readonly places: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Diagnostic[]
}

/** What the images depend on besides the stacks and their clusters. */
export interface NodeImageOptions {
  /** `spec.nodeImages` of the fleet. */
  readonly configs: readonly NodeImageConfig[]
  /** Stacks that stay as they are committed, with the images that lie in their folders. */
  readonly kept: readonly UnitStack[]
}

/**
 * Gives each stack the Image objects of the node images that its release needs, in the namespace of its class, and the gate if the fleet wants one; and
 * the same to each other namespace whose clusters find their images as objects, because machines look for these in their own namespace only. An image that
 * several releases of a namespace need lies in the folder of the first; the others name that stack. Images are detached: no object's end takes an image from
 * the cloud that machines may still boot from. All stacks and clusters of the fleet must be given, or images change their place.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function planNodeImages(
  stacks: readonly HandedStack[],
  users: readonly ImageUser[],
  { configs, kept }: NodeImageOptions,
): PlannedNodeImages {
  const findings: Diagnostic[] = []
  const place = createImagePlacer(kept)
  const uses = stacks.map((stack) => ({
    stack,
    rules: imageRules(configs, stack.release.name),
    users: releaseUsers(stack, users),
  }))
  const planned = uses.map(({ stack, rules, users: own }): HandedStack => {
    const images = releaseImages(stack, [...own, ...guestsOf(stack, users)], rules)
    const about = { release: formatTag(stack.release.name) }
    const told = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
      found.map((finding) => withSubject(finding, about))
    findings.push(...told(checkReleaseImages(stack, { rules, users: own, images })))
    const manifests = stack.folder.manifests.filter((manifest) => !isImage(manifest))
    const placed = place({ stack: { ...stack, folder: { ...stack.folder, manifests } }, rules, images })
    findings.push(...told(placed.findings))
    return placed.stack
  })
  const offered = new Set([...stacks, ...kept].map(placeOf))
  const imageStacks: HandedStack[] = []
  const places = new Map<string, readonly string[]>()
  for (const wanted of uses.flatMap(({ stack, rules, users: own }) => elsewhereImages(stack, own, rules))) {
    const key = placeOf(wanted.stack)
    const tag = formatTag(wanted.stack.release.name)
    // the namespace has a stack of this release, and so its images
    if (offered.has(key)) {
      places.set(key, [tag])
      continue
    }
    const placed = place(wanted)
    const { manifests } = placed.stack.folder
    findings.push(...placed.findings, ...(manifests.some(isImage) ? wanted.findings : []))
    if (manifests.length > 0) imageStacks.push(placed.stack)
    places.set(key, manifests.length > 0 ? [tag] : (placed.stack.imagesFrom ?? []))
  }
  findings.push(...checkUploads([...planned, ...imageStacks], configs))
  return { stacks: planned, imageStacks, places, findings }
}

function placeOf({ namespace, release }: Pick<UnitStack, 'namespace' | 'release'>): string {
  return `${namespace}/${formatTag(release.name)}`
}

/** Clusters of a stack's namespace that use its release from another one. */
function guestsOf({ namespace, release }: HandedStack, users: readonly ImageUser[]): readonly ImageUser[] {
  const tag = formatTag(release.name)
  return users.filter(
    ({ cluster, ...user }) =>
      formatTag(user.release.name) === tag && user.stackNamespace !== namespace && cluster.namespace === namespace,
  )
}
