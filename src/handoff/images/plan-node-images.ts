import { type Diagnostic, StackmasonError, withSubject } from '../../model/diagnostic.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandoffStack, UnitStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { checkReleaseImages } from './check-release-images.ts'
import { checkUploads } from './check-uploads.ts'
import { createImageArranger } from './create-image-arranger.ts'
import { elsewhereImages } from './elsewhere-images.ts'
import { imageRules } from './image-rules.ts'
import { isImage, isUploading } from './image-object.ts'
import { refuseUnknownImages } from './refuse-unknown-images.ts'
import { releaseImages } from './release-images.ts'
import { type ImageUser, type ReleaseUser, releaseUsers } from './release-users.ts'

/** Stacks with their node images, and what is wrong with the choice of images. */
export interface PlannedNodeImages {
  /** In the order of those that were given. */
  readonly stacks: readonly HandoffStack[]
  /**
   * Images of releases in namespaces where clusters use them but their classes are not: `stacks/<namespace of the
   * cluster>/<tag>`.
   */
  readonly imageStacks: readonly HandoffStack[]
  /** The kept stacks in their order, those of unused releases without the images that others hold now. */
  readonly keptStacks: readonly UnitStack[]
  /**
   * By `<namespace of the cluster>/<tag>`: tags of the stacks of that namespace that hold the images of the release.
   */
  readonly imagesFrom: ReadonlyMap<string, readonly string[]>
  readonly findings: readonly Diagnostic[]
}

/** The inputs of the images besides the stacks and their clusters. */
export interface NodeImageOptions {
  /** `spec.nodeImages` of the fleet. */
  readonly configs: readonly NodeImageConfig[]
  /** Stacks that stay as they are committed, with the images that lie in their folders. */
  readonly kept: readonly UnitStack[]
  /** Tags by `<namespace>/<image>` of stacks that go on to hold an image, if they want it. */
  readonly held?: ReadonlyMap<string, string> | undefined
  /** Clusters that leave the tree in this run without a decommission. */
  readonly left?: readonly ReleaseUser[]
}

/**
 * Gives each stack the Image objects of the node images that its release needs, in the namespace of its class, and the
 * gate if the fleet wants one; and the same to each other namespace whose clusters find their images as objects,
 * because machines look for these in their own namespace only. An image that several releases of a namespace need lies
 * in the folder that holds it, else of the oldest that is in use; the others name that stack. Images are detached: no
 * object's end takes an image from the cloud that machines may still boot from. All stacks and clusters of the fleet
 * must be given, or images move to another folder.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML; NODE_IMAGE_UNKNOWN for a
 * gate that would wait for nothing
 */
export function planNodeImages(
  stacks: readonly HandoffStack[],
  users: readonly ImageUser[],
  { configs, kept, held, left = [] }: NodeImageOptions,
): PlannedNodeImages {
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  const uses = stacks.map((stack) => {
    const rules = imageRules(configs, stack.release.name)
    const [own, guests] = [releaseUsers(stack, users), guestsOf(stack, users)]
    const choosing = [...own, ...guests, ...releaseUsers(stack, left)]
    const images = releaseImages(stack, choosing, rules)
    findings.push(...withRelease(stack, checkReleaseImages(stack, { rules, users: own, images })))
    problems.push(...withRelease(stack, refuseUnknownImages(stack, rules, choosing)))
    const manifests = stack.folder.manifests.filter((manifest) => !isImage(manifest))
    const bare = { ...stack, folder: { ...stack.folder, manifests } }
    return { stack, own, wanted: { stack: bare, rules, images, isUsed: choosing.length > 0 } }
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  const offered = new Set([...stacks, ...kept].map(stackKey))
  const elsewhere = uses.flatMap(({ stack, own, wanted: { rules } }) => elsewhereImages(stack, own, rules))
  const arranger = createImageArranger(
    [...uses.map(({ wanted }) => wanted), ...elsewhere.filter(({ stack }) => !offered.has(stackKey(stack)))],
    { kept, held },
  )
  const planned = uses.map(({ wanted }): HandoffStack => {
    const arranged = arranger.arrange(wanted)
    findings.push(...withRelease(arranged.stack, arranged.findings))
    return arranged.stack
  })
  const imageStacks: HandoffStack[] = []
  const imagesFrom = new Map<string, readonly string[]>()
  for (const wanted of elsewhere) {
    const key = stackKey(wanted.stack)
    const tag = formatTag(wanted.stack.release.name)
    // the namespace has a stack of this release, and so its images
    if (offered.has(key)) {
      imagesFrom.set(key, [tag])
      continue
    }
    const arranged = arranger.arrange(wanted)
    const { manifests } = arranged.stack.folder
    findings.push(...arranged.findings, ...(manifests.some(isImported) ? wanted.findings : []))
    if (manifests.length > 0) imageStacks.push(arranged.stack)
    imagesFrom.set(key, manifests.length > 0 ? [tag] : (arranged.stack.imagesFrom ?? []))
  }
  findings.push(...checkUploads([...planned, ...imageStacks], configs))
  return { stacks: planned, imageStacks, keptStacks: kept.map(arranger.keep), imagesFrom, findings }
}

function withRelease({ release }: HandoffStack, found: readonly Diagnostic[]): readonly Diagnostic[] {
  return found.map((finding) => withSubject(finding, { release: formatTag(release.name) }))
}

function isImported(manifest: Manifest): boolean {
  return isImage(manifest) && !isUploading(manifest)
}

function stackKey({ namespace, release }: Pick<UnitStack, 'namespace' | 'release'>): string {
  return `${namespace}/${formatTag(release.name)}`
}

/** Clusters of a stack's namespace that use its release from another one. */
function guestsOf({ namespace, release }: HandoffStack, users: readonly ImageUser[]): readonly ImageUser[] {
  const tag = formatTag(release.name)
  return users.filter(
    ({ cluster, ...user }) =>
      formatTag(user.release.name) === tag && user.stackNamespace !== namespace && cluster.namespace === namespace,
  )
}
