import { joinPath, dirName } from '../../codec/path.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { readClassReference } from '../../model/class-reference.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, matchClassName } from '../../model/release-name.ts'
import type { Source } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
import { type FolderEntry, listFolder, readFleetSource, readSource } from './fleet-files.ts'
import { listYaml } from './layer.ts'
import type { Reading } from './reading.ts'

/**
 * The kinds of names in a fleet that a command line can use; `classes`: what a class is known by, releases and
 * clusters.
 */
export type NamedKind = 'clusters' | 'stacks' | 'releases' | 'classes' | 'sources'

/**
 * The names of one kind, sorted: `namespace/name` of clusters and stacks, tags of releases, names of sources. Reads as
 * little as it can, checks nothing, and leaves out what it cannot read. `file` is the absolute path of stackmason.yaml.
 * @throws FileError for the folder of the fleet
 */
export async function readFleetNames(
  kind: NamedKind,
  file: string,
  { files, timeZones }: Pick<Ports, 'files' | 'timeZones'>,
): Promise<readonly string[]> {
  const root = dirName(file)
  const realRoot = await files.realPath(root)
  const reading: Reading = { files, timeZones, root, realRoot, problems: [], findings: [], schemas: new Map() }
  const names = await readers[kind](file, reading)
  return [...new Set(names)].sort(compareBytes)
}

const readers: Readonly<Record<NamedKind, (file: string, reading: Reading) => Promise<readonly string[]>>> = {
  clusters: async (_, reading) => (await clusterFiles(reading)).map(({ name }) => name),
  stacks: async (_, reading) =>
    (await stackDocuments(reading)).map(
      (stack) => `${textAt(stack, 'metadata', 'namespace')}/${textAt(stack, 'metadata', 'name')}`,
    ),
  releases: readReleases,
  classes: async (file, reading) => [
    ...(await readReleases(file, reading)),
    ...(await clusterFiles(reading)).map(({ name }) => name),
  ],
  sources: async (file, reading) =>
    documentsIn(await readFleetSource(file, reading)).flatMap((fleet) =>
      itemsAt(fleet, 'spec', 'sources').map((source) => textAt(source, 'name')),
    ),
}

/** The releases in the lock and in the ClusterStacks; without a lock, also those that clusters use. */
async function readReleases(_: string, reading: Reading): Promise<readonly string[]> {
  const lock = joinPath(reading.root, 'stackmason.lock')
  const isLocked = (await reading.files.stat(lock))?.type === 'file'
  const locked = isLocked ? await documentsOf(lock, reading) : []
  const listed = (await stackDocuments(reading)).flatMap(listedReleases)
  const used = isLocked ? [] : await Promise.all((await clusterFiles(reading)).map((one) => usedReleases(one, reading)))
  return [
    ...locked.flatMap((document) => itemsAt(document, 'releases').map((release) => textAt(release, 'name'))),
    ...listed,
    ...used.flat(),
  ]
}

function listedReleases(stack: Value): readonly string[] {
  const [major = '', minor = ''] = textAt(stack, 'spec', 'kubernetesVersion').split('.')
  const start = [textAt(stack, 'spec', 'provider'), textAt(stack, 'spec', 'name'), major, minor].join('-')
  return itemsAt(stack, 'spec', 'versions').flatMap((version) =>
    typeof version === 'string' ? tagOf(`${start}-${version}`) : [],
  )
}

async function usedReleases({ path }: { readonly path: string }, reading: Reading): Promise<readonly string[]> {
  return (await documentsOf(path, reading)).flatMap((cluster) => tagOf(readClassReference(cluster).name))
}

/** The tag of the release of a class. */
function tagOf(className: string): readonly string[] {
  const release = matchClassName(className)
  return 'value' in release ? [formatTag(release.value)] : []
}

async function clusterFiles(reading: Reading): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const namespaces = await foldersIn(joinPath(reading.root, 'clusters'), reading)
  const found = await Promise.all(
    namespaces.map(async (namespace) =>
      (await foldersIn(namespace.path, reading)).map((cluster) => ({
        name: `${namespace.name}/${cluster.name}`,
        path: joinPath(cluster.path, 'cluster.yaml'),
      })),
    ),
  )
  const isThere = await Promise.all(
    found.flat().map(async (one) => (await reading.files.stat(one.path))?.type === 'file'),
  )
  return found.flat().filter((_, index) => isThere[index])
}

async function stackDocuments(reading: Reading): Promise<readonly Value[]> {
  const folder = joinPath(reading.root, 'stacks')
  if ((await reading.files.stat(folder))?.type !== 'directory') return []
  const paths = await listYaml({ name: 'stacks', path: folder, type: 'directory' }, reading)
  return (await Promise.all(paths.map(({ path }) => documentsOf(path, reading)))).flat()
}

async function foldersIn(folder: string, reading: Reading): Promise<readonly FolderEntry[]> {
  if ((await reading.files.stat(folder))?.type !== 'directory') return []
  return (await listFolder(folder, reading)).filter(({ type }) => type === 'directory')
}

async function documentsOf(path: string, reading: Reading): Promise<readonly Value[]> {
  return documentsIn(await readSource(path, reading))
}

function documentsIn(source: Source | undefined): readonly Value[] {
  return source === undefined ? [] : parsePositionedYaml(source).documents.map(({ value }) => value)
}
