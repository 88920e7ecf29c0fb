import type { Plain } from '../../codec/json/plain-value.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { compareNatural, sortNaturally } from '../../codec/text/text-order.ts'
import { makeClusterSchema, type SchemaClass } from '../../inventory/cluster-schema.ts'
import { describeClass, type DescribedClass } from '../../inventory/describe-class.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { nearestReleases } from '../../model/nearest-release.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, formatTag, matchClassName, matchReleaseTag, releasePrefix } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import { definedVariables, definesMore, givenVariables } from '../../model/topology-variables.ts'
import type { Dict } from '../../model/value.ts'
import { createChartRenderer } from '../../render/stack/chart-renderer.ts'
import { createFinisher } from '../../render/stack/create-finisher.ts'
import { renderClass } from '../../render/stack/render-class.ts'
import { stackToAdd, stackWithMinor } from '../../render/stack/select-releases.ts'
import { CONFIG_NAMES } from '../../sources/release/stack-config.ts'
import { listReleases, readRelease } from '../../sources/release/read-release.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { stacksOf } from '../expand/stack-state.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import { withFleet } from '../fleet/with-fleet.ts'
import type { Network } from '../resolve/open-source.ts'

/** The options of `stackmason variables`. */
export interface VariablesOptions {
  readonly start: string
  readonly fleet?: string
  /** A cluster or a release of the fleet; absent: all releases. */
  readonly of?: string
  /** Instead of a fleet: a provider directory, or a folder of releases; absolute. */
  readonly folder?: string
  /** Default: online. */
  readonly network?: Network
}

/** A variable of a class, and the clusters that set it. */
export type ListedVariable = DescribedClass['variables'][number] & {
  /** `namespace/name`; with `override` for a part of the machines only. */
  readonly setBy: readonly { readonly cluster: string; readonly level: 'cluster' | 'override' }[]
}

/** The variables that clusters of a release may write. */
export interface ListedClass extends Omit<DescribedClass, 'variables'> {
  /** Tag. */
  readonly release: string
  readonly className: string
  /** Of a provider directory, whose version is not known yet. */
  readonly classPrefix?: string | undefined
  readonly kubernetesVersion: string
  /** `namespace/name` of clusters of the class. */
  readonly clusters: readonly string[]
  readonly variables: readonly ListedVariable[]
}

/** The variables of classes. */
export interface VariablesResult {
  /** Absent for a folder. */
  readonly fleet?: string
  readonly classes: readonly ListedClass[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Lists the variables of the classes of a fleet, of one of its releases, of the class of a cluster, or of the releases
 * in a folder. Renders classes, and no cluster.
 * @throws StackmasonError USAGE for a name that the fleet does not have; as reading and rendering
 */
export async function listVariables(
  options: VariablesOptions,
  ports: Ports,
  onProgress: OnProgress,
): Promise<VariablesResult> {
  if (options.folder !== undefined) return ofFolder(options.folder, ports)
  return withFleet(options, ports, (repository) => ofFleet(repository, options, { ports, onProgress }))
}

async function ofFleet(
  repository: FleetRepository,
  { of, network = 'online' }: VariablesOptions,
  { ports, onProgress }: { readonly ports: Ports; readonly onProgress: OnProgress },
): Promise<VariablesResult> {
  const { clusters: all, clusterStacks, fleet } = repository
  const expansion = await expandFleet(
    { repository, findings: keepFindings() },
    {
      // the classes of all stacks, and no cluster
      selection: { clusters: [], stacks: clusterStacks.map(objectPath) },
      revision: { from: 'disk' },
      network,
      until: 'rendered',
      onProgress,
    },
    { ports, take: () => undefined },
  )
  const rendered = stacksOf(expansion.stacks, 'rendered').flatMap(({ stack, clusterClass }) =>
    clusterClass === undefined ? [] : [{ namespace: stack.namespace, release: stack.release, clusterClass }],
  )
  const byTag = new Map<string, (typeof rendered)[number]>()
  for (const one of rendered) byTag.set(formatTag(one.release.name), byTag.get(formatTag(one.release.name)) ?? one)
  const asked =
    of === undefined
      ? undefined
      : pick(of, { clusters: all, clusterStacks, releases: [...byTag.values()].map(({ release }) => release) })
  const clusters = asked?.cluster === undefined ? all : [asked.cluster]
  const tags = asked === undefined ? sortNaturally([...byTag.keys()], compareNatural) : [asked.tag]
  return {
    fleet: fleet.name,
    classes: tags.flatMap((tag) => {
      const found = byTag.get(tag)
      if (found === undefined) return []
      const className = formatClassName(found.release.name)
      return [
        listClass(
          found,
          clusters.filter((cluster) => cluster.className === className),
        ),
      ]
    }),
    findings: expansion.warnings.filter(({ code }) => code === 'RELEASE_SKIPPED'),
  }
}

/** The things that a word may name. */
interface FleetWords extends Pick<FleetRepository, 'clusters' | 'clusterStacks'> {
  readonly releases: readonly Release[]
}

/** The release that a word means: by its tag, its class, or a cluster of it. */
function pick(
  word: string,
  { clusters, clusterStacks, releases }: FleetWords,
): { readonly tag: string; readonly cluster?: Cluster } {
  const tags = releases.map(({ name }) => formatTag(name))
  const found = releases.find(({ name }) => formatTag(name) === word || formatClassName(name) === word)
  if (found !== undefined) return { tag: formatTag(found.name) }
  const named = clusters.filter((cluster) => objectPath(cluster) === word || cluster.name === word)
  const [cluster, ...more] = named
  if (more.length > 0)
    throw usage(
      `the fleet has several clusters ${JSON.stringify(word)}`,
      `Name one: ${named.map(objectPath).join(', ')}.`,
    )
  if (cluster !== undefined) {
    const release = releases.find(({ name }) => formatClassName(name) === cluster.className)
    if (release !== undefined) return { tag: formatTag(release.name), cluster }
    throw usage(
      `the class ${cluster.className} of cluster ${objectPath(cluster)} was not rendered`,
      'See `stackmason check`.',
    )
  }
  throw usage(
    `the fleet has no release and no cluster ${JSON.stringify(word)}`,
    hintFor(word, { tags, clusters, clusterStacks, releases }),
  )
}

function hintFor(
  word: string,
  { tags, clusters, clusterStacks, releases }: FleetWords & { readonly tags: readonly string[] },
): string {
  for (const parsed of [matchReleaseTag(word), matchClassName(word)]) {
    if (!('value' in parsed)) continue
    // a source may have it all the same
    const isOffered = clusterStacks.some((one) => stackWithMinor(one) === releasePrefix(parsed.value))
    const way = `${stackToAdd(parsed.value)}, or write a stack with \`stackmason new stack\``
    if (releases.length === 0) {
      if (isOffered) continue
      return `No ClusterStack offers it: ${way}.`
    }
    const near = nearestReleases(
      parsed.value,
      releases.map(({ name }) => name),
    )
    const nearest = `Nearest are: ${near.slice(0, 3).map(formatTag).join(', ')}.`
    return isOffered ? nearest : `${nearest} No ClusterStack offers it: ${way}.`
  }
  const near = nearestName(word, [...tags, ...clusters.map(objectPath), ...clusters.map(({ name }) => name)])
  if (near !== undefined) return `Did you mean ${near}?`
  return tags.length === 0 ? 'No release of it is rendered.' : `Its releases are: ${tags.join(', ')}.`
}

interface RenderedRelease {
  readonly release: Pick<Release, 'name' | 'kubernetesVersion'>
  readonly clusterClass: Dict
}

function listClass({ release, clusterClass }: RenderedRelease, clusters: readonly Cluster[]): ListedClass {
  const { variables, ...described } = describeClass(clusterClass, {
    variables: definedVariables(clusterClass),
    definesMore: definesMore(clusterClass),
  })
  const setBy = new Map<string, Map<string, ListedVariable['setBy'][number]>>()
  for (const cluster of clusters)
    for (const { name, level } of givenVariables(cluster.object)) {
      const by = setBy.get(name) ?? new Map<string, ListedVariable['setBy'][number]>()
      setBy.set(name, by)
      const path = objectPath(cluster)
      if (level === 'cluster' || !by.has(path)) by.set(path, { cluster: path, level })
    }
  return {
    release: formatTag(release.name),
    className: formatClassName(release.name),
    kubernetesVersion: release.kubernetesVersion,
    clusters: clusters.map(objectPath),
    ...described,
    variables: variables.map((variable) => ({ ...variable, setBy: [...(setBy.get(variable.name)?.values() ?? [])] })),
  }
}

/** Names of folders' sources in messages. */
const NO_PLACE = { name: '', text: '' } as const

async function ofFolder(folder: string, ports: Ports): Promise<VariablesResult> {
  const isProvider = (await Promise.all(CONFIG_NAMES.map((name) => ports.files.stat(joinPath(folder, name))))).some(
    (stat) => stat?.type === 'file',
  )
  const source = {
    type: isProvider ? ('providerDirectory' as const) : ('directory' as const),
    name: folder,
    path: folder,
    at: { source: { ...NO_PLACE, name: folder }, start: 0, end: 0 },
  }
  const { releases, findings } = await listReleases(source, ports)
  if (releases.length === 0)
    throw usage(
      `there is no release in ${folder}`,
      `Name a provider directory (with ${CONFIG_NAMES.join(' or ')}), or a folder of release folders <provider>-<stack>-<major>-<minor>-<version>.`,
    )
  const charts = createChartRenderer(ports.crypto, { elapsed: () => ports.clock.monotonic(), deadline: ports.deadline })
  const classes: ListedClass[] = []
  const found: Diagnostic[] = [...findings]
  for (const name of releases) {
    const read = await readRelease(source, name, ports)
    found.push(...read.findings)
    const { clusterClass } = renderClass(read.release, 'default', {
      helmVersion: 4,
      instanceLabel: true,
      scopes: [],
      charts,
      finish: createFinisher(),
    })
    if (clusterClass === undefined) continue
    classes.push({
      ...listClass({ release: read.release, clusterClass }, []),
      classPrefix: isProvider ? `${releasePrefix(name)}-v` : undefined,
    })
  }
  return { classes, findings: found }
}

/** A JSON Schema for cluster.yaml of these classes. */
export async function clusterSchemaOf(
  { fleet, classes }: Pick<VariablesResult, 'fleet' | 'classes'>,
  { packageFiles }: Pick<Ports, 'packageFiles'>,
): Promise<Plain> {
  const read = async (version: string): Promise<Plain> => {
    const text = decodeUtf8(await packageFiles.read(`schemas/cluster-${version}.json`))
    const schema: Plain = JSON.parse(text)
    return schema
  }
  const only = classes.length === 1 ? classes[0]?.release : undefined
  return makeClusterSchema({
    title: `Cluster of ${only ?? fleet ?? 'several releases'}`,
    v1beta1: await read('v1beta1'),
    v1beta2: await read('v1beta2'),
    classes: classes satisfies readonly SchemaClass[],
  })
}

function usage(message: string, hint: string): StackmasonError {
  return new StackmasonError({ code: 'USAGE', severity: 'error', message, hint })
}
