import { joinPath } from '../../codec/path.ts'
import { compareNatural, sortNaturally } from '../../codec/text/text-order.ts'
import { exportNodeImages, type ManagerExport } from '../../handoff/images/export-node-images.ts'
import { neededImages, type ImageUse, type NeededImage, type ImageOrigin } from '../../handoff/images/needed-images.ts'
import { planNodeImages } from '../../handoff/images/plan-node-images.ts'
import { releaseUsers } from '../../handoff/images/release-users.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import type { UnitStack, HandoffStack } from '../../model/handoff.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import { pathOf, positionAt } from '../../model/source.ts'
import { distinct } from '../diagnostics.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { classLocation, stacksOf } from '../expand/stack-state.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import type { Network } from '../resolve/open-source.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/**
 * The options of `stackmason images`. What several of `clusters`, `stacks` and `releases` name is listed together; all
 * empty = everything.
 */
export interface ImagesOptions {
  readonly start: string
  readonly fleet?: string
  /** Images that these clusters' releases need, `name` or `namespace/name`. */
  readonly clusters: readonly string[]
  /** Of these ClusterStacks, `name` or `namespace/name`. */
  readonly stacks: readonly string[]
  /** Of these releases, by tag. */
  readonly releases: readonly string[]
  /** True if to make a file for openstack-image-manager besides. */
  readonly export: boolean
  /** Default: online. */
  readonly network?: Network
}

/** A node image that releases of the fleet need. */
export interface ListedImage {
  /** In the cloud. */
  readonly name: string
  readonly kubernetesVersions: readonly string[]
  /** Tags. */
  readonly releases: readonly string[]
  /** Those that offer the releases, and those of the clusters that use the image. */
  readonly namespaces: readonly string[]
  readonly use: ImageUse
  /** Where it is said; a file of a chart has no line. */
  readonly saidAt: readonly { readonly file: string; readonly line?: number }[]
  /** Clusters whose machines boot from it, `namespace/name`. */
  readonly usedBy: readonly string[]
}

/** The node images of a fleet. */
export interface ImagesResult {
  readonly fleet: string
  /** By name, numbers as numbers. */
  readonly images: readonly ListedImage[]
  /** YAML for openstack-image-manager, if it was asked for. */
  readonly managerFile?: string
  /** Warnings. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Lists the node images that the releases of a fleet need. Reads the inputs as they are now; writes nothing.
 * @throws StackmasonError as rendering; USAGE for a name that the fleet does not have; NODE_IMAGE_EXPORT when an image
 * cannot be exported
 */
export function listImages(options: ImagesOptions, ports: Ports, onProgress: OnProgress): Promise<ImagesResult> {
  return withFleet(options, ports, (repository) => imagesOf(repository, options, { ports, onProgress }))
}

async function imagesOf(
  repository: FleetRepository,
  options: ImagesOptions,
  { ports, onProgress }: { readonly ports: Ports; readonly onProgress: OnProgress },
): Promise<ImagesResult> {
  const { fleet } = repository
  const asked = selectPart(repository, options)
  // other clusters use the same images
  const selection = { clusters: [], stacks: [] }
  const expansion = await expandFleet(
    { repository, findings: keepFindings() },
    { selection, revision: { from: 'disk' }, network: options.network ?? 'online', until: 'rendered', onProgress },
    { ports, take: () => undefined },
  )
  const { imageUsers: users, needed } = expansion
  const rendered = stacksOf(expansion.stacks, 'rendered').map(({ stack }) => stack)
  const stacks = pickStacks(rendered, options, [
    ...(options.stacks.length === 0 ? [] : needed.filter(asked.renderStacks)).map(({ namespace, name }) =>
      stackKey({ namespace, release: { name } }),
    ),
    ...(options.clusters.length === 0 ? [] : users.filter(({ cluster }) => isAmong(cluster, asked.clusters))).map(
      ({ stackNamespace, release }) => stackKey({ namespace: stackNamespace, release }),
    ),
  ])
  const configs = fleet.nodeImages
  const planned = planNodeImages(stacks, users, { configs, kept: [] })
  const byName = new Map<string, NeededImage[]>()
  for (const image of stacks.flatMap((stack) => neededImages(stack, users, configs)))
    byName.set(image.name, [...(byName.get(image.name) ?? []), image])
  const images = sortNaturally([...byName.keys()], compareNatural).map((name): NamedImage => ({
    name,
    needed: byName.get(name) ?? [],
  }))
  const made = options.export ? exportImages(images, { hasTool: fleet.handoff !== undefined }) : undefined
  return {
    fleet: fleet.name,
    images: images.map(listed),
    ...(made !== undefined && { managerFile: made.text }),
    findings: distinct([
      ...expansion.warnings.filter(({ code }) => code === 'RELEASE_SKIPPED'),
      ...planned.findings.map(classLocation(expansion.stacks)),
      ...stacksOf(expansion.stacks, 'committed')
        .map(({ stack }) => stack)
        .filter((stack) => releaseUsers(stack, users).length > 0)
        .map((stack) => withdrawn(stack, joinPath(fleet.root, fleet.output))),
      ...(made?.findings ?? []),
    ]),
  }
}

/** An image, and each release that needs it in a namespace. */
interface NamedImage {
  readonly name: string
  readonly needed: readonly NeededImage[]
}

type StackKey = Pick<UnitStack, 'namespace' | 'release'>

function stackKey({ namespace, release }: StackKey): string {
  return `${namespace}/${formatTag(release.name)}`
}

function isAmong({ namespace, name }: Cluster, clusters: readonly Cluster[]): boolean {
  return clusters.some((cluster) => cluster.namespace === namespace && cluster.name === name)
}

/** The stacks that the options ask for: all, or those of the releases that they name and those with `keys`. */
function pickStacks(
  stacks: readonly HandoffStack[],
  { clusters, stacks: clusterStacks, releases }: ImagesOptions,
  keys: readonly string[],
): readonly HandoffStack[] {
  if ([clusters, clusterStacks, releases].every((names) => names.length === 0)) return stacks
  const tagOf = ({ release }: HandoffStack): string => formatTag(release.name)
  const known = [...new Set(stacks.map(tagOf))]
  const unknown = releases.filter((tag) => !known.includes(tag))
  if (unknown.length > 0) {
    throw new StackmasonError(
      unknown.map((tag): Diagnostic => ({
        code: 'USAGE',
        severity: 'error',
        message: `the fleet needs no release "${tag}"`,
        hint: `It needs: ${known.join(', ')}.`,
      })),
    )
  }
  return stacks.filter((stack) => releases.includes(tagOf(stack)) || keys.includes(stackKey(stack)))
}

/** Clusters run, and nobody can say any more what they boot from. */
function withdrawn(stack: UnitStack, output: string): Diagnostic {
  return {
    code: 'NODE_IMAGE_UNKNOWN',
    severity: 'warning',
    message: `no source has release ${formatTag(stack.release.name)} any more, so the node images of its clusters are not listed`,
    file: joinPath(output, stack.folder.path),
    about: { release: formatTag(stack.release.name) },
    hint: 'Its Image objects, if any, lie in the rendered folder.',
  }
}

/** The first that holds for any release: an image that one of them uploads is there for all. */
const USES: readonly ImageUse[] = ['release', 'existing', 'none', 'unknown']

function listed({ name, needed }: NamedImage): ListedImage {
  const users = needed.flatMap((image) => image.users)
  return {
    name,
    kubernetesVersions: unique(needed.map(({ stack }) => stack.release.kubernetesVersion)),
    releases: unique(needed.map(({ stack }) => formatTag(stack.release.name))),
    namespaces: unique([...needed.map(({ stack }) => stack.namespace), ...users.map(({ namespace }) => namespace)]),
    use: USES.find((use) => needed.some((image) => image.use === use)) ?? 'unknown',
    saidAt: distinctOrigins(needed.flatMap(({ saidAt }) => saidAt)),
    usedBy: unique(users.map(objectPath)),
  }
}

function unique(texts: readonly string[]): readonly string[] {
  return sortNaturally([...new Set(texts)], compareNatural)
}

function distinctOrigins(origins: readonly ImageOrigin[]): ListedImage['saidAt'] {
  const found = new Map<string, ListedImage['saidAt'][number]>()
  for (const { at, file = '' } of origins) {
    const origin = at === undefined ? { file } : { file: pathOf(at.source), line: positionAt(at.source, at.start).line }
    found.set(`${origin.file}:${String(origin.line)}`, origin)
  }
  return [...found.values()]
}

/** @throws StackmasonError NODE_IMAGE_EXPORT with every problem */
function exportImages(images: readonly NamedImage[], { hasTool }: { readonly hasTool: boolean }): ManagerExport {
  const wanted = images.filter(({ needed }) => needed.some(({ use }) => use !== 'none'))
  const made = exportNodeImages(
    wanted.map(({ name, needed }) => ({
      name,
      entries: needed.flatMap(({ entries }) => entries),
      objects: needed.flatMap(({ objects }) => objects),
    })),
  )
  const problems = made.findings.filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  const twice = wanted.filter(({ needed }) => hasTool && needed.some(({ use }) => use === 'release'))
  return { ...made, findings: [...made.findings, ...twice.map(uploadedTwice)] }
}

function uploadedTwice({ name }: NamedImage): Diagnostic {
  return {
    code: 'NODE_IMAGE_EXPORT',
    severity: 'warning',
    message: `the fleet uploads node image "${name}", so openstack-image-manager would bring a second image of that name`,
    hint: 'Write `use: existing` for its stack under spec.nodeImages of stackmason.yaml, so that the fleet only looks for it.',
  }
}
