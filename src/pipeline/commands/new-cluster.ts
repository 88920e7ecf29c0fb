import { isCidr } from '../../codec/text/cidr.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { type ClusterCopy, type ClusterNetwork, copyCluster, type CopyNote } from '../../create/copy-cluster.ts'
import { firstCluster } from '../../create/first-cluster.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { itemsAt } from '../../model/field.ts'
import { outsideFleet, unreadable } from '../../model/file-problem.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { dnsLabel } from '../../model/kubernetes-names.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { FileError, type FileType, type Ports } from '../../model/ports.ts'
import { formatVersion, matchClassName } from '../../model/release-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { writeNewFiles } from '../deliver/new-files.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { type FleetChoice, openFleet } from '../fleet/open-fleet.ts'
import type { Network } from '../resolve/open-source.ts'
import { type ListedClass, listVariables } from './variables.ts'

/** The options of `stackmason new cluster`. */
export interface NewClusterOptions extends FleetChoice {
  /** Default: online. */
  readonly network?: Network
  /** `namespace/name`. */
  readonly name: string
  /** A cluster of the fleet, or the class or tag of a release. */
  readonly from: { readonly like: string } | { readonly class: string }
  /** Values of class variables, in YAML, by name. */
  readonly variables: ReadonlyMap<string, string>
  readonly pods: string | undefined
  readonly services: string | undefined
  /** `host` or `host:port`. */
  readonly endpoint: string | undefined
  readonly isDry: boolean
}

/** A new cluster. */
export interface NewClusterResult {
  /** Of the cluster; absolute. */
  readonly folder: string
  /** By path relative to the folder. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** `file` is relative to the root of the fleet. */
  readonly notes: readonly CopyNote[]
  readonly isDry: boolean
  readonly findings: readonly Diagnostic[]
}

/** Refuses a place that has something; git keeps no empty folder, so that is left of one that is gone. */
async function refuseTaken(folder: string, cluster: ObjectName, { files }: Pick<Ports, 'files'>): Promise<void> {
  const found = await files.stat(folder)
  if (found === undefined) return
  const entries = found.type === 'directory' ? await files.entries(folder) : undefined
  if (entries?.length === 0) return
  const isCluster = entries === undefined || entries.some(({ name }) => name === 'cluster.yaml')
  throw new StackmasonError({
    code: 'INIT_FILE_EXISTS',
    severity: 'error',
    message: isCluster
      ? `there is a cluster ${objectPath(cluster)} already`
      : `the folder of cluster ${objectPath(cluster)} has files already, and no cluster.yaml`,
    file: folder,
    hint: isCluster ? 'Choose another name.' : 'Move its files away, or choose another name.',
  })
}

/**
 * Writes the files of a new cluster, from another one or from a class.
 * @throws StackmasonError USAGE for names, ranges and variables that cannot be; INIT_FILE_EXISTS; as reading a fleet
 */
export async function newCluster(
  options: NewClusterOptions,
  ports: Ports,
  onProgress: OnProgress,
): Promise<NewClusterResult> {
  const { repository, file, warnings } = await openFleet(options, ports)
  const to = parseName(options.name)
  const network = parseNetwork(options)
  const root = dirName(file)
  const folder = joinPath(root, 'clusters', to.namespace, to.name)
  await refuseTaken(folder, to, ports)
  const made =
    'like' in options.from
      ? await fromCluster({ repository, root, like: options.from.like, to, network }, ports)
      : await fromClass({ repository, options, wanted: options.from.class, to, network }, { ports, onProgress })
  await writeNewFiles({ folder, root, contents: made.files, isDry: options.isDry }, ports)
  return { folder, ...made, isDry: options.isDry, findings: warnings }
}

function parseName(text: string): ObjectName {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (name === '' || more.length > 0)
    throw usage(`${JSON.stringify(text)} names no cluster`, 'Name it NAMESPACE/NAME, for example team-a/web.')
  for (const part of [namespace, name])
    if (!dnsLabel.allows(part))
      throw usage(`${JSON.stringify(part)} is no name for a namespace or a cluster`, `Allowed is ${dnsLabel.says}.`)
  return { namespace, name }
}

function parseNetwork({ pods, services, endpoint }: NewClusterOptions): ClusterNetwork {
  for (const [option, range] of [
    ['pods', pods],
    ['services', services],
  ] as const)
    if (range !== undefined && !isCidr(range))
      throw usage(`--${option} ${JSON.stringify(range)} is no range of addresses`, 'Write it like 10.244.0.0/16.')
  const match = endpoint === undefined ? undefined : /^([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i.exec(endpoint)
  if (match === null) throw usage(`--endpoint ${JSON.stringify(endpoint)} is no host`, 'Write HOST or HOST:PORT.')
  return {
    pods,
    services,
    endpoint:
      match === undefined
        ? undefined
        : { host: (match[1] ?? '').replaceAll(/[[\]]/g, ''), port: BigInt(match[2] ?? '6443') },
  }
}

interface CopyContext {
  readonly repository: FleetRepository
  readonly root: string
  readonly like: string
  readonly to: ObjectName
  readonly network: ClusterNetwork
}

async function fromCluster(
  { repository: { clusters }, root, like, to, network }: CopyContext,
  ports: Ports,
): Promise<Pick<NewClusterResult, 'files' | 'notes'>> {
  const from = pickCluster(like, clusters)
  const ranges = rangesOf(from)
  const { files, notes } = copyCluster(await readFolder({ folder: from.folder, root }, ports), {
    from: { name: from.name, namespace: from.namespace },
    to,
    network,
    ranges: firstRanges(from),
    sharedRanges: new Set(
      clusters
        .filter((one) => one !== from)
        .flatMap(rangesOf)
        .filter((range) => ranges.includes(range)),
    ),
    classNamespace:
      from.classNamespaceAt === undefined && from.namespace !== to.namespace ? from.classNamespace : undefined,
  })
  const target = joinPath('clusters', to.namespace, to.name)
  const placed = notes.map((note) => ({
    ...note,
    file: joinPath(note.kind === 'review' ? target : relativePath(root, from.folder), note.file),
  }))
  const above = from.namespace === to.namespace ? [] : await notShared(from, { root, ports })
  return { files, notes: [...placed, ...above] }
}

function pickCluster(word: string, clusters: readonly Cluster[]): Cluster {
  const named = clusters.filter((cluster) => objectPath(cluster) === word || cluster.name === word)
  const [cluster, ...more] = named
  if (more.length > 0)
    throw usage(
      `the fleet has several clusters ${JSON.stringify(word)}`,
      `Name one: ${named.map(objectPath).join(', ')}.`,
    )
  if (cluster !== undefined) return cluster
  const near = nearestName(word, clusters.map(objectPath))
  throw usage(
    `the fleet has no cluster ${JSON.stringify(word)}`,
    near === undefined ? 'Name one of the fleet as NAMESPACE/NAME.' : `Did you mean ${near}?`,
  )
}

function rangesOf({ object }: Cluster): readonly string[] {
  return (['pods', 'services'] as const).flatMap((kind) =>
    itemsAt(object, 'spec', 'clusterNetwork', kind, 'cidrBlocks').filter((range) => typeof range === 'string'),
  )
}

function firstRanges({ object }: Cluster): ClusterCopy['ranges'] {
  const first = (kind: string): string | undefined => {
    const [range] = itemsAt(object, 'spec', 'clusterNetwork', kind, 'cidrBlocks')
    return typeof range === 'string' ? range : undefined
  }
  return { pods: first('pods'), services: first('services') }
}

interface CopiedFolder {
  /** The folder, absolute, and the fleet that its links may lead into. */
  readonly folder: string
  readonly root: string
  /** Folders on the way: a link back to one has no end. */
  readonly above?: readonly string[]
}

/**
 * All files below a folder by relative path, in path order, without hidden ones. What links lead to is read as render
 * reads it.
 * @throws StackmasonError FILE_OUTSIDE for a link that leads out of the fleet, FILE_UNREADABLE for one that leads nowhere
 */
async function readFolder({ folder, root, above = [] }: CopiedFolder, ports: Ports): Promise<Map<string, Uint8Array>> {
  const { files } = ports
  const found = new Map<string, Uint8Array>()
  const here = await files.realPath(folder)
  if (above.includes(here)) return found
  for (const { name, type } of await files.entries(folder)) {
    if (name.startsWith('.')) continue
    const path = joinPath(folder, name)
    const kind = type === 'link' ? await kindBehind(path, { root, ports }) : type
    if (kind === 'file') found.set(name, await files.read(path))
    else if (kind === 'directory')
      for (const [below, bytes] of await readFolder({ folder: path, root, above: [...above, here] }, ports))
        found.set(`${name}/${below}`, bytes)
  }
  return found
}

async function kindBehind(
  link: string,
  { root, ports: { files } }: { readonly root: string; readonly ports: Ports },
): Promise<FileType | undefined> {
  try {
    const real = await files.realPath(link)
    if (isInside(await files.realPath(root), real)) return (await files.stat(real))?.type
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new StackmasonError(unreadable(error, { what: 'the file', file: link }), { cause: error })
  }
  throw new StackmasonError(outsideFleet(link, relativePath(root, link)))
}

/** Names files in the model's namespace folder that do not apply to a cluster in another namespace. */
async function notShared(
  from: Cluster,
  { root, ports }: { readonly root: string; readonly ports: Ports },
): Promise<readonly CopyNote[]> {
  const above = dirName(from.folder)
  const shown = relativePath(root, above)
  const names = (await ports.files.entries(above)).map(({ name }) => name)
  return ['addons.yaml', 'patches', 'values']
    .filter((name) => names.includes(name))
    .map((name) => ({
      kind: 'review',
      file: `${shown}/${name}`,
      what: 'holds for the model, and not in the other namespace',
    }))
}

interface ClassContext {
  readonly repository: FleetRepository
  readonly options: NewClusterOptions
  readonly wanted: string
  readonly to: ObjectName
  readonly network: ClusterNetwork
}

async function fromClass(
  { repository, options, wanted, to, network }: ClassContext,
  { ports, onProgress }: { readonly ports: Ports; readonly onProgress: OnProgress },
): Promise<Pick<NewClusterResult, 'files' | 'notes'>> {
  const { classes } = await listVariables({ ...options, of: wanted }, ports, onProgress)
  const [found] = classes
  if (found === undefined)
    throw usage(`the class ${JSON.stringify(wanted)} cannot be rendered`, 'See `stackmason check`.')
  const given = new Map([...options.variables].map(([name, text]) => [name, parseValue(name, text, found)]))
  const [machineDeployment] = found.machineDeployments
  const required = found.variables.filter(({ isRequired }) => isRequired)
  const text = firstCluster({
    name: to,
    apiVersion: apiVersionOf(repository),
    class: { name: found.className, namespace: namespaceOf(found.className, repository) ?? to.namespace },
    kubernetesVersion: found.kubernetesVersion,
    machineDeployment,
    variables: required,
    given,
    network,
  })
  const file = joinPath('clusters', to.namespace, to.name, 'cluster.yaml')
  const open = required.filter(({ name }) => !given.has(name))
  const notes = [
    ...open.map(({ name }): CopyNote => ({ kind: 'review', file, what: `the variable ${name} needs a value` })),
    ...(network.pods === undefined
      ? [
          {
            kind: 'review' as const,
            file,
            what: 'spec.clusterNetwork is not set: give --pods where the class or the CNI wants one',
          },
        ]
      : []),
  ]
  return { files: new Map([['cluster.yaml', encodeUtf8(text)]]), notes }
}

function parseValue(name: string, text: string, { variables, release }: ListedClass): Value {
  const names = variables.map((variable) => variable.name)
  const variable = variables.find((one) => one.name === name)
  if (variable === undefined) {
    const near = nearestName(name, names)
    throw usage(
      `${release} has no variable ${JSON.stringify(name)}`,
      near === undefined ? `See \`stackmason variables ${release}\`.` : `Did you mean ${near}?`,
    )
  }
  if (variable.type === 'string' && text.trim() === '') return text
  const { documents, problems } = parsePositionedYaml({ name: `--set ${name}`, text })
  const [document] = documents
  if (problems.length > 0 || document === undefined || documents.length > 1)
    throw usage(`the value of --set ${name} is not YAML`, "Quote it for the shell: --set 'name={a: 1}'.")
  const { value } = document
  // what a shell leaves of "1.34" is a number in YAML
  const isScalar = typeof value !== 'string' && !(value instanceof Dict) && !Array.isArray(value)
  return isScalar && variable.type === 'string' ? text : value
}

/** The version of the API that the fleet uses; the newer one if it uses both or none. */
function apiVersionOf({ clusters }: FleetRepository): 'v1beta1' | 'v1beta2' {
  return clusters.length > 0 && clusters.every(({ apiVersion }) => apiVersion.endsWith('/v1beta1'))
    ? 'v1beta1'
    : 'v1beta2'
}

/** The namespace of the ClusterStack that offers the class. */
function namespaceOf(className: string, { clusterStacks, clusters }: FleetRepository): string | undefined {
  const parsed = matchClassName(className)
  if (!('value' in parsed)) return undefined
  const { provider, stack, kubernetes, version } = parsed.value
  const minor = `${String(kubernetes.major)}.${String(kubernetes.minor)}`
  const offering = clusterStacks.filter(
    (one) => one.provider === provider && one.stack === stack && one.kubernetesVersion === minor,
  )
  const exact = offering.find(({ versions }) =>
    versions.some((listed) => listed.version === formatVersion(version, 'dot')),
  )
  return (exact ?? offering[0])?.namespace ?? clusters.find((one) => one.className === className)?.classNamespace
}

function usage(message: string, hint: string): StackmasonError {
  return new StackmasonError({ code: 'USAGE', severity: 'error', message, hint })
}
