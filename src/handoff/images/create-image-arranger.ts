import { compareBytes } from '../../codec/text/text-order.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { HandoffStack, UnitStack } from '../../model/handoff.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { formatTag, compareVersions } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { gateManifest } from './image-manifest.ts'
import { isImage, isUploading } from './image-object.ts'
import type { ImageRules } from './image-rules.ts'

/** Images that a stack's unit is to have. */
export interface WantedImages {
  /** Its folder has none yet. */
  readonly stack: HandoffStack
  readonly rules: ImageRules
  readonly images: readonly Manifest[]
  /** True if a cluster uses the release. */
  readonly isUsed: boolean
}

/** A stack with the images that it holds, and the stacks that hold the others. */
export interface ArrangedImages {
  readonly stack: HandoffStack
  readonly findings: readonly Diagnostic[]
}

/** Lays images, and the gate if the fleet wants one, into folders. */
export interface ImageArranger {
  /** The stack with those of its images that its folder holds. */
  readonly arrange: (wanted: WantedImages) => ArrangedImages
  /** A kept stack without the images that a release in use holds now. */
  readonly keep: (stack: UnitStack) => UnitStack
}

/** The images that are in folders already. */
export interface LaidImages {
  readonly kept: readonly UnitStack[]
  /** Tags by `<namespace>/<image>` of stacks whose folders must go on to hold an image, if they want it. */
  readonly held?: ReadonlyMap<string, string> | undefined
}

interface Holder {
  readonly tag: string
  readonly image: Manifest
}

interface Claim extends Holder {
  readonly name: ReleaseName
  /** Lower goes first. */
  readonly rank: number
}

/**
 * Decides once who holds what. An image that several releases of a namespace need lies in one folder, and the units of
 * the others wait for that one: so it goes to the oldest release that a cluster uses, which waits then for none that is
 * newer, that nobody uses or that may be refused. Folders of kept stacks keep theirs, but for those of unused releases.
 */
export function createImageArranger(wanted: readonly WantedImages[], { kept, held }: LaidImages): ImageArranger {
  const holders = decideHolders(wanted, { kept, held })
  const holderOf = (namespace: string, image: Manifest): Holder | undefined => holders.get(`${namespace}/${image.name}`)
  return {
    arrange: ({ stack, rules, images }) => {
      const tag = formatTag(stack.release.name)
      const own: Manifest[] = []
      const from = new Set<string>()
      const findings: Diagnostic[] = []
      for (const image of images) {
        const holder = holderOf(stack.namespace, image)
        if (holder === undefined || holder.tag === tag) {
          own.push(holder?.image ?? image)
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
    },
    keep: (stack) => {
      const gone = stack.folder.manifests.filter(
        (manifest) => isImage(manifest) && holderOf(stack.namespace, manifest)?.tag !== formatTag(stack.release.name),
      )
      if (stack.isUnused !== true || gone.length === 0) return stack
      const manifests = stack.folder.manifests.filter((manifest) => !gone.includes(manifest))
      const from = new Set(gone.flatMap((image) => holderOf(stack.namespace, image)?.tag ?? []))
      return { ...stack, folder: { ...stack.folder, manifests }, imagesFrom: [...from] }
    },
  }
}

function decideHolders(wanted: readonly WantedImages[], { kept, held }: LaidImages): ReadonlyMap<string, Holder> {
  const holders = new Map<string, Holder>()
  const claims = new Map<string, Claim[]>()
  const claim = ({ namespace, release }: UnitStack, image: Manifest, rank: number): void => {
    const key = `${namespace}/${image.name}`
    const tag = formatTag(release.name)
    const isHeld = held?.get(key) === tag
    claims.set(key, [...(claims.get(key) ?? []), { tag, image, name: release.name, rank: isHeld ? 0 : rank }])
  }
  for (const stack of kept) {
    for (const image of stack.folder.manifests.filter(isImage)) {
      if (stack.isUnused === true) claim(stack, image, 2)
      else holders.set(`${stack.namespace}/${image.name}`, { tag: formatTag(stack.release.name), image })
    }
  }
  for (const { stack, images, isUsed } of wanted) for (const image of images) claim(stack, image, isUsed ? 1 : 3)
  for (const [key, candidates] of claims) {
    const sorted = candidates.toSorted((a, b) => a.rank - b.rank || compareReleases(a.name, b.name))
    const [first] = sorted
    if (first === undefined || holders.has(key)) continue
    // one of them brings it into the cloud: an import in its place would wait for ever
    const image = isUploading(first.image) ? first.image : sorted.find((claimed) => isUploading(claimed.image))?.image
    holders.set(key, { tag: first.tag, image: image ?? first.image })
  }
  return holders
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
    ...placeIn(image, 'metadata', 'name'),
    hint: 'Content of an image never changes: give the other content another name.',
  }
}

/** Orders releases, the oldest first: by Kubernetes version, then by their own; those that have no order by name. */
function compareReleases(a: ReleaseName, b: ReleaseName): number {
  const byKubernetes = a.kubernetes.major - b.kubernetes.major || a.kubernetes.minor - b.kubernetes.minor
  if (byKubernetes !== 0) return byKubernetes
  const areStable = a.version.channel === 'stable' && b.version.channel === 'stable'
  return (areStable && compareVersions(a.version, b.version)) || compareBytes(formatTag(a), formatTag(b))
}
