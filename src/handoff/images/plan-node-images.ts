import type { Diagnostic } from '../../model/diagnostic.ts'
import { copyDict, dictAt, textAt, withField } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandedCluster, HandedStack, UnitStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { dict, Dict } from '../../model/value.ts'
import { checkClusterImage } from './check-cluster-image.ts'
import { chosenImages, isOpenStackMachine } from './chosen-image.ts'
import { credentialsRef, type DescribedImage, IMAGE_API, readImageFiles } from './read-image-files.ts'

/** Stacks with their node images, and what is wrong with the choice of images. */
export interface PlannedNodeImages {
  readonly stacks: readonly HandedStack[]
  readonly findings: readonly Diagnostic[]
}

/** What the images depend on besides the stacks and their clusters. */
export interface NodeImageOptions {
  /** `spec.nodeImages` of the fleet. */
  readonly configs: readonly NodeImageConfig[]
  /** Stacks that stay as they are committed, with the images that lie in their folders. */
  readonly kept: readonly UnitStack[]
}

type NamedCluster = Pick<HandedCluster, 'cluster' | 'release' | 'stackNamespace'>

/** What the fleet says about a stack that it does not list. */
const UNLISTED: Pick<NodeImageConfig, 'use' | 'credentials' | 'gate'> = {
  use: 'release',
  credentials: { secretName: 'openstack', cloudName: 'openstack' },
  gate: 'images',
}

/**
 * Gives each stack the Image objects of the node images that its release needs, in the namespace of its class, and the gate if the fleet wants one. An
 * image that several releases of a namespace need lies in the folder of the first; the others name that stack. Images are detached: no object's end
 * takes an image from the cloud that machines may still boot from. All stacks of the fleet must be given, or images change their place.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function planNodeImages(
  stacks: readonly HandedStack[],
  clusters: readonly NamedCluster[],
  { configs, kept }: NodeImageOptions,
): PlannedNodeImages {
  const findings: Diagnostic[] = []
  const holders = new Map<string, { readonly tag: string; readonly image: Manifest }>()
  for (const { namespace, release, folder } of kept)
    for (const image of folder.manifests.filter(isImage))
      holders.set(`${namespace}/${image.name}`, { tag: formatTag(release.name), image })
  const planned = stacks.map((stack): HandedStack => {
    const { namespace, release, folder } = stack
    const tag = formatTag(release.name)
    const config = configs.find(
      ({ provider, stack: name }) => provider === release.name.provider && name === release.name.stack,
    )
    const users = clusters.filter((user) => formatTag(user.release.name) === tag && user.stackNamespace === namespace)
    const images = imagesOf(stack, users, config)
    findings.push(...findingsOf(stack, { images, config, users }))
    const own: Manifest[] = []
    const imagesFrom = new Set<string>()
    for (const image of images) {
      const key = `${namespace}/${image.name}`
      const holder = holders.get(key)
      if (holder === undefined) {
        holders.set(key, { tag, image })
        own.push(image)
        continue
      }
      imagesFrom.add(holder.tag)
      if (!isSameImage(holder.image, image)) findings.push(differs(image, tag, holder.tag))
    }
    const gate = config?.gate === 'controller' ? [gateObject(stack, images)] : []
    const others = folder.manifests.filter((manifest) => !isImage(manifest))
    return {
      ...stack,
      folder: { ...folder, manifests: [...others, ...own, ...gate] },
      ...(imagesFrom.size === 0 ? {} : { imagesFrom: [...imagesFrom] }),
    }
  })
  return { stacks: planned, findings }
}

function isImage({ kind, apiVersion }: Manifest): boolean {
  return kind === 'Image' && apiVersion.startsWith('openstack.k-orc.cloud/')
}

/** The images of a release: those of the class chart, then those that files describe for its Kubernetes version, each name once. */
function imagesOf(
  stack: HandedStack,
  users: readonly NamedCluster[],
  config: NodeImageConfig | undefined,
): readonly Manifest[] {
  const { namespace, release, folder } = stack
  const { use, credentials } = config ?? UNLISTED
  if (use === 'none') return []
  const files = config?.file === undefined ? (release.imageFiles ?? []) : [config.file]
  const described = readImageFiles(files, credentials).filter(({ name }) =>
    isForVersion(name, release.kubernetesVersion),
  )
  const images = new Map<string, Manifest>()
  for (const manifest of folder.manifests.filter(isImage)) images.set(manifest.name, manifest)
  for (const image of described) if (!images.has(image.name)) images.set(image.name, toManifest(image, stack))
  const mayUpload = use === 'release' && (config?.uploadFrom ?? namespace) === namespace
  if (use === 'existing' && images.size === 0) {
    for (const { name } of chosenBy(stack, users)) images.set(name, existing(name, stack, credentials))
  }
  return [...images.values()].map((image) => (mayUpload ? detached(image) : imported(image)))
}

function isForVersion(name: string, version: string): boolean {
  return name === version || name.endsWith(`-${version}`)
}

function chosenBy({ folder, release }: HandedStack, users: readonly NamedCluster[]): ReturnType<typeof chosenImages> {
  const clusters = users.length === 0 ? [undefined] : users.map(({ cluster }) => cluster)
  return clusters.flatMap((cluster) =>
    chosenImages(folder.manifests, cluster?.version ?? release.kubernetesVersion, cluster),
  )
}

function toManifest({ name, object, source }: DescribedImage, { namespace, release }: HandedStack): Manifest {
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: 'Image',
    name,
    namespace,
    object: withField(object, ['metadata', 'namespace'], namespace),
    origin: { from: formatTag(release.name), unit: 'node-images', template: source.name },
  }
}

function existing(name: string, stack: HandedStack, credentials: NodeImageConfig['credentials']): Manifest {
  const object = dict([
    ['apiVersion', IMAGE_API],
    ['kind', 'Image'],
    ['metadata', dict([['name', name]])],
    ['spec', dict([['cloudCredentialsRef', credentialsRef(credentials)]])],
  ])
  return toManifest({ name, object, source: { name: 'stackmason.yaml', text: '' } }, stack)
}

/** Neither the engine nor the controller of images takes an image away with its object; what is unmanaged stays as it is. */
function detached(image: Manifest): Manifest {
  const kept = withField(image.object, ['metadata', 'annotations', 'helm.sh/resource-policy'], 'keep')
  const isManaged = (textAt(kept, 'spec', 'managementPolicy') || 'managed') === 'managed'
  return { ...image, object: isManaged ? withField(kept, ['spec', 'managedOptions', 'onDelete'], 'detach') : kept }
}

/** The same image, found in the cloud by its name in place of being uploaded. */
function imported(image: Manifest): Manifest {
  if (textAt(image.object, 'spec', 'managementPolicy') === 'unmanaged') return detached(image)
  const spec = copyDict(dictAt(image.object, 'spec') ?? new Dict())
  for (const field of ['resource', 'managedOptions']) spec.delete(field)
  spec.set('managementPolicy', 'unmanaged')
  spec.set('import', dict([['filter', dict([['name', cloudName(image)]])]]))
  return detached({ ...image, object: withField(image.object, ['spec'], spec) })
}

/** What an image is called in the cloud: as the object says, else like the object. */
function cloudName({ object, name }: Manifest): string {
  return textAt(object, 'spec', 'resource', 'name') || textAt(object, 'spec', 'import', 'filter', 'name') || name
}

/** Rule: templates/crds/nodeimagegates.yaml. */
function gateObject({ namespace, release }: HandedStack, images: readonly Manifest[]): Manifest {
  const name = formatTag(release.name)
  const spec =
    images.length === 0
      ? dict([['none', true]])
      : dict([['images', images.map((image) => dict([['orcImage', image.name]]))]])
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'NodeImageGate',
    name,
    namespace,
    object: dict([
      ['apiVersion', 'stackmason.dev/v1alpha1'],
      ['kind', 'NodeImageGate'],
      [
        'metadata',
        dict([
          ['name', name],
          ['namespace', namespace],
        ]),
      ],
      ['spec', spec],
    ]),
    origin: { from: name, unit: 'node-images', template: 'stackmason.yaml' },
  }
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

interface StackImages {
  readonly images: readonly Manifest[]
  readonly config: NodeImageConfig | undefined
  readonly users: readonly NamedCluster[]
}

function findingsOf(stack: HandedStack, { images, config, users }: StackImages): readonly Diagnostic[] {
  if (config?.use === 'none' || !stack.folder.manifests.some(isOpenStackMachine)) return []
  if (images.length === 0) return [unknownImages(stack, config)]
  const known = { objects: images.map(({ name }) => name), clouds: images.map(cloudName) }
  return users.flatMap(({ cluster }) => {
    const chosen = chosenImages(stack.folder.manifests, cluster.version, cluster)
    return chosen.flatMap((image) => checkClusterImage(image, { cluster, stackNamespace: stack.namespace, known }))
  })
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
