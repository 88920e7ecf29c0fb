import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { Cluster, NodeImageConfig } from '../../model/fleet.ts'
import type { HandedStack, UnitStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatClassName, formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { checkClusterImage, isBeside } from './check-cluster-image.ts'
import {
  chosenImages,
  classVariables,
  imageVariableNames,
  isOpenStackMachine,
  type ChosenImage,
} from './chosen-image.ts'
import {
  cloudName,
  describedImages,
  detachedImage,
  gateManifest,
  importedImage,
  isImage,
  isUploading,
  namedImage,
  UNLISTED_IMAGES,
} from './image-manifests.ts'
import { unknownVariable } from './image-variables.ts'

/** A cluster that uses a class, or has not left it yet. */
export interface ImageUser {
  /** Its `object` is the Cluster as the tree has it with this release. */
  readonly cluster: Cluster
  readonly release: Pick<Release, 'name'>
  /** Namespace of the class. */
  readonly stackNamespace: string
  /** The Cluster is as it is committed, so there is nothing to say about what it chooses. */
  readonly isCommitted?: boolean
}

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
  const holders = new Map<string, Holder>()
  for (const { namespace, release, folder } of kept)
    for (const image of folder.manifests.filter(isImage))
      holders.set(`${namespace}/${image.name}`, { tag: formatTag(release.name), image })
  const uses = stacks.map((stack) => useOf(stack, users, configs))
  const planned = uses.map((use): HandedStack => {
    const { stack, config } = use
    const images = imagesOf(stack, [...use.users, ...use.guests], config)
    findings.push(...findingsOf(use, images))
    const others = stack.folder.manifests.filter((manifest) => !isImage(manifest))
    const placed = place(stack, { images, config }, holders)
    findings.push(...placed.findings)
    return withImages({ ...stack, folder: { ...stack.folder, manifests: others } }, placed)
  })
  const imageStacks: HandedStack[] = []
  const places = new Map<string, readonly string[]>()
  for (const use of uses) {
    for (const there of elsewhere(use)) {
      const { stack } = there
      const tag = formatTag(stack.release.name)
      const key = `${stack.namespace}/${tag}`
      // the namespace has a stack of this release, and so its images
      const isThere = [...stacks, ...kept].some(
        (other) => other.namespace === stack.namespace && formatTag(other.release.name) === tag,
      )
      if (isThere) {
        places.set(key, [tag])
        continue
      }
      const placed = place(stack, there, holders)
      findings.push(...placed.findings, ...(placed.manifests.some(isImage) ? there.findings : []))
      if (placed.manifests.length > 0) imageStacks.push(withImages(stack, placed))
      places.set(key, placed.manifests.length > 0 ? [tag] : placed.from)
    }
  }
  findings.push(...uploadedTwice([...planned, ...imageStacks], configs))
  return { stacks: planned, imageStacks, places, findings }
}

interface Holder {
  readonly tag: string
  readonly image: Manifest
}

/** A stack, what the fleet says about its images, and the clusters that use it. */
interface StackUse {
  readonly stack: HandedStack
  readonly config: NodeImageConfig | undefined
  readonly users: readonly ImageUser[]
  /** Clusters of the stack's namespace that use the same release from elsewhere. */
  readonly guests: readonly ImageUser[]
}

function useOf(stack: HandedStack, users: readonly ImageUser[], configs: readonly NodeImageConfig[]): StackUse {
  const { provider, stack: name } = stack.release.name
  const tag = formatTag(stack.release.name)
  const { namespace } = stack
  const ofRelease = users.filter((user) => formatTag(user.release.name) === tag)
  return {
    stack,
    config: configs.find((config) => config.provider === provider && config.stack === name),
    users: ofRelease.filter(({ stackNamespace }) => stackNamespace === namespace),
    guests: ofRelease.filter(
      ({ stackNamespace, cluster }) => stackNamespace !== namespace && cluster.namespace === namespace,
    ),
  }
}

/** The images of a stack's release as its objects are to be. */
function imagesOf(
  stack: HandedStack,
  users: readonly ImageUser[],
  config: NodeImageConfig | undefined,
): readonly Manifest[] {
  const { use } = config ?? UNLISTED_IMAGES
  if (use === 'none') return []
  const described = describedImages(stack, config)
  const uploads = use === 'release' && mayUpload(stack.namespace, config)
  if (use === 'existing' && described.length === 0) {
    const choosing = users.length === 0 ? [undefined] : users
    const names = new Set(choosing.flatMap((user) => chosenBy(user, stack, config)).map(({ name }) => name))
    return [...names].map((name) => importedImage(namedImage(name, stack, config)))
  }
  return described.map((image) => (uploads ? detachedImage(image) : importedImage(image)))
}

function chosenBy(
  user: ImageUser | undefined,
  { folder, release }: HandedStack,
  config: NodeImageConfig | undefined,
): readonly ChosenImage[] {
  return chosenImages({
    folder,
    version: release.kubernetesVersion,
    ...(user !== undefined && { cluster: user.cluster.object }),
    ...(config?.variables !== undefined && { variables: config.variables }),
  })
}

/** Whether a namespace that offers the stack uploads. */
function mayUpload(namespace: string, config: NodeImageConfig | undefined): boolean {
  return config?.uploadFrom === undefined || isListed(namespace, config)
}

function isListed(namespace: string, config: NodeImageConfig | undefined): boolean {
  return config?.uploadFrom?.some((name) => name === '*' || name === namespace) === true
}

interface PlacedImages {
  /** What comes into the folder. */
  readonly manifests: readonly Manifest[]
  /** Tags of the stacks that hold the rest. */
  readonly from: readonly string[]
  readonly findings: readonly Diagnostic[]
}

/** Takes images into a folder, less those that another folder of the namespace holds. */
function place(
  stack: HandedStack,
  { images, config }: { readonly images: readonly Manifest[]; readonly config: NodeImageConfig | undefined },
  holders: Map<string, Holder>,
): PlacedImages {
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
  const gate = config?.gate === 'controller' ? [gateManifest(stack, images)] : []
  return { manifests: [...own, ...gate], from: [...from], findings }
}

function withImages(stack: HandedStack, { manifests, from }: PlacedImages): HandedStack {
  return {
    ...stack,
    folder: { ...stack.folder, manifests: [...stack.folder.manifests, ...manifests] },
    ...(from.length === 0 ? {} : { imagesFrom: from }),
  }
}

/** Images of a release in a namespace that does not offer it. */
interface ElsewhereImages {
  /** With an empty folder. */
  readonly stack: HandedStack
  readonly config: NodeImageConfig | undefined
  readonly images: readonly Manifest[]
  readonly findings: readonly Diagnostic[]
}

/** The images of a release in other namespaces than that of its class: where clusters find them as objects, or the fleet says that they are uploaded. */
function elsewhere({ stack, config, users }: StackUse): readonly ElsewhereImages[] {
  const namespaces = new Set(users.map(({ cluster }) => cluster.namespace))
  namespaces.delete(stack.namespace)
  return [...namespaces].flatMap((namespace): readonly ElsewhereImages[] => {
    const own = users.filter(({ cluster }) => cluster.namespace === namespace)
    const isWanted = own.some((user) =>
      chosenBy(user, stack, config).some((image) => image.by === 'object' && !isBeside(image, user.cluster)),
    )
    if (!isWanted && !isListed(namespace, config)) return []
    const beside = new Set(
      own.flatMap(({ cluster }) => cluster.beside.map((object) => textAt(object, 'metadata', 'name'))),
    )
    const described = imagesOf({ ...stack, namespace }, own, config).filter(({ name }) => !beside.has(name))
    if (described.length === 0) return []
    const uploads = isListed(namespace, config)
    const tag = formatTag(stack.release.name)
    return [
      {
        stack: { ...stack, namespace, folder: { path: `stacks/${namespace}/${tag}`, manifests: [] } },
        config,
        images: uploads ? described : described.map(importedImage),
        findings: !uploads && described.some(isUploading) ? [importedByDefault(stack, own)] : [],
      },
    ]
  })
}

/** Two uploads of a name break what a project has, an image that never comes only what is new: so without a word from the fleet nothing is uploaded. */
function importedByDefault({ namespace, release }: HandedStack, users: readonly ImageUser[]): Diagnostic {
  const [user] = users
  const own = user?.cluster.namespace ?? ''
  return {
    code: 'NODE_IMAGE_NAMESPACE',
    severity: 'warning',
    message: `namespace ${own} does not upload the node images of release ${formatTag(release.name)}: its Image objects look for those that namespace ${namespace} uploads, by name`,
    ...(user !== undefined && { at: user.cluster.classAt }),
    hint: `Say it in spec.nodeImages of stackmason.yaml: \`uploadFrom: [${namespace}]\` if both namespaces use one project of the cloud, \`uploadFrom: [${namespace}, ${own}]\` if each has its own.`,
  }
}

/** Says once for each stack that several namespaces upload its images, where the fleet has not said that this is right. */
function uploadedTwice(stacks: readonly HandedStack[], configs: readonly NodeImageConfig[]): readonly Diagnostic[] {
  const uploads = new Map<string, { readonly image: Manifest; readonly namespaces: Set<string> }>()
  for (const { namespace, release, folder } of stacks) {
    const { provider, stack } = release.name
    const config = configs.find((entry) => entry.provider === provider && entry.stack === stack)
    if (config?.uploadFrom !== undefined) continue
    for (const image of folder.manifests.filter((manifest) => isImage(manifest) && isUploading(manifest))) {
      const key = [provider, stack, cloudName(image), credentialsOf(image)].join(' ')
      const known = uploads.get(key) ?? { image, namespaces: new Set() }
      uploads.set(key, { ...known, namespaces: known.namespaces.add(namespace) })
    }
  }
  return [...uploads.values()]
    .filter(({ namespaces }) => namespaces.size > 1)
    .map(({ image, namespaces }) => ({
      code: 'NODE_IMAGE_UPLOADS',
      severity: 'warning',
      message: `namespaces ${[...namespaces].join(', ')} all upload a node image "${cloudName(image)}", with ${credentialsOf(image)}`,
      file: image.origin.template,
      hint: "Write in spec.nodeImages of stackmason.yaml `uploadFrom` with one of them for each project of the cloud, or `uploadFrom: ['*']` if each has its own.",
    }))
}

function credentialsOf({ object }: Manifest): string {
  const [secret, cloud] = ['secretName', 'cloudName'].map((field) =>
    textAt(object, 'spec', 'cloudCredentialsRef', field),
  )
  return `Secret ${secret ?? ''} and cloud ${cloud ?? ''}`
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
    file: image.origin.template,
    hint: 'Content of an image never changes: give the other content another name.',
  }
}

function findingsOf({ stack, config, users }: StackUse, images: readonly Manifest[]): readonly Diagnostic[] {
  if (!stack.folder.manifests.some(isOpenStackMachine)) return []
  const unknown = unknownVariables(stack, config)
  if (config?.use === 'none') return unknown
  if (images.length === 0) return [...unknown, unknownImages(stack, config)]
  const known = { objects: images.map(({ name }) => name), clouds: images.map(cloudName) }
  const names = imageVariableNames(config?.variables)
  const choices = users
    .filter(({ isCommitted }) => isCommitted !== true)
    .flatMap((user) =>
      chosenBy(user, stack, config).flatMap((image) =>
        checkClusterImage(image, { cluster: user.cluster, known, names }),
      ),
    )
  return [...unknown, ...choices]
}

/** Names that the fleet writes and the class does not have; a release that is older or newer than the variable is no reason to stop. */
function unknownVariables(
  { folder, release }: HandedStack,
  config: NodeImageConfig | undefined,
): readonly Diagnostic[] {
  const declared = classVariables(folder)
  const className = formatClassName(release.name)
  return Object.values(config?.variables ?? {})
    .filter((name) => declared.every((variable) => textAt(variable, 'name') !== name))
    .map((name) => ({ ...unknownVariable(name, { declared, className, at: config?.at }), severity: 'warning' }))
}

function unknownImages({ release }: HandedStack, config: NodeImageConfig | undefined): Diagnostic {
  const { provider, stack } = release.name
  return {
    code: 'NODE_IMAGE_UNKNOWN',
    severity: 'warning',
    message: `nothing says which node images release ${formatTag(release.name)} needs for ${release.kubernetesVersion}, so its class is offered whether they are there or not`,
    ...(config === undefined ? {} : { at: config.at }),
    hint: `Add to spec.nodeImages of stackmason.yaml: {provider: ${provider}, stack: ${stack}} with \`file\`, with \`use: existing\`, or with \`use: none\` if nothing can be missing.`,
  }
}
