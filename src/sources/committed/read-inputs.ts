import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { pathOf } from '../../model/source.ts'

/** A folder of which only some files are read, by their path relative to it. */
interface ReadFolder {
  readonly path: string
  readonly reads: (file: string) => boolean
}

/** The files and folders that a fleet is read from; paths are relative to its own. */
export interface ReadInputs {
  readonly files: ReadonlySet<string>
  readonly folders: readonly ReadFolder[]
}

/** `all`: files of providers and own templates count, too. */
type Among = 'all' | 'listed'

/** Lists the files that a fleet was read from, and the folders below its own that are read. */
export async function listInputs(
  repository: FleetRepository,
  files: Ports['files'],
  among: Among = 'listed',
): Promise<ReadInputs> {
  const { root } = repository.fleet
  const folders = [
    ...foldersOf(repository, await locksCharts(root, files)),
    ...(among === 'all' ? moreFoldersOf(repository) : []),
  ]
  return {
    files: new Set(
      [...filesOf(repository), ...(await templatesOf(repository, files))].map((path) => relativePath(root, path)),
    ),
    folders: folders.map(({ path, reads }) => ({ path: relativePath(root, path), reads })),
  }
}

/** True if a file, by its path relative to the fleet's folder, is read. */
export function isInput(path: string, { files, folders }: ReadInputs): boolean {
  const isOf = (folder: ReadFolder): boolean =>
    path.startsWith(`${folder.path}/`) && folder.reads(path.slice(folder.path.length + 1))
  return files.has(path) || folders.some(isOf)
}

/**
 * Which of these paths below the folder of a fleet, relative to it, are of files that it is read from. `git` gives a
 * folder with a `/` behind it: then one of its files is.
 */
export async function findRead(
  repository: FleetRepository,
  paths: readonly string[],
  { files, among }: { readonly files: Ports['files']; readonly among: Among },
): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const { root } = repository.fleet
  const inputs = await listInputs(repository, files, among)
  const isRead = async (path: string): Promise<boolean> => {
    if (!path.endsWith('/')) return isInput(path, inputs)
    if (isAround(path, inputs)) return true
    if (!inputs.folders.some((folder) => path.startsWith(`${folder.path}/`))) return false
    for (const { name, type } of (await orNothing(files.entries(joinPath(root, path)))) ?? [])
      if (await isRead(`${path}${name}${type === 'directory' ? '/' : ''}`)) return true
    return false
  }
  const found: string[] = []
  for (const path of paths) {
    // git names a folder of which all is ignored, and what lies in it
    const isKnown = found.some((one) => one.endsWith('/') && path.startsWith(one))
    if (!isKnown && (await isRead(path))) found.push(path)
  }
  return found
}

/** True if a folder, with `/` at its end, holds a file that was read, or a folder that is. */
function isAround(path: string, { files, folders }: ReadInputs): boolean {
  return [...files].some((file) => file.startsWith(path)) || folders.some((one) => `${one.path}/`.startsWith(path))
}

/** True if the lock has charts that others declare. Whoever reads it says what is wrong with it. */
async function locksCharts(root: string, files: Ports['files']): Promise<boolean> {
  const bytes = await orNothing(files.read(joinPath(root, 'stackmason.lock')))
  return bytes !== undefined && /^dependencies:\s*\n\s*- /m.test(decodeUtf8(bytes))
}

async function orNothing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/** Files that were read, and those that are where they lie. Absolute. */
function filesOf({ fleet: { root, ...fleet }, clusterStacks, clusters }: FleetRepository): ReadonlySet<string> {
  return new Set([
    joinPath(root, 'stackmason.yaml'),
    joinPath(root, 'stackmason.lock'),
    ...fleet.nodeImages.flatMap(({ file }) => (file === undefined ? [] : [pathOf(file)])),
    ...[...fleet.sources, ...fleet.chartRepositories].flatMap((one) => ('publicKeys' in one ? one.publicKeys : [])),
    ...clusterStacks.map(({ at }: ClusterStack) => pathOf(at.source)),
    ...clusters.flatMap((cluster) => filesOfCluster(root, cluster)),
  ])
}

function filesOfCluster(root: string, cluster: Cluster): readonly string[] {
  const { folder, namespace } = cluster
  const top = joinPath(root, 'clusters')
  return [
    pathOf(cluster.source),
    joinPath(folder, 'options.yaml'),
    ...[top, joinPath(top, namespace), folder].map((one) => joinPath(one, 'addons.yaml')),
    ...[...cluster.values.values()].flat().map(({ source }) => pathOf(source)),
    ...cluster.patches.map(({ at }) => pathOf(at.source)),
    ...cluster.addons.flatMap(({ chart, remote }) => (chart === undefined || remote !== undefined ? [] : [chart])),
  ]
}

/** Templates of the fleet for what is handed to its GitOps tool: all that lies there takes the place of one of ours. */
async function templatesOf({ fleet }: FleetRepository, files: Ports['files']): Promise<readonly string[]> {
  if (fleet.handoff === undefined) return []
  const folder = joinPath(fleet.root, 'templates/handoff', fleet.handoff.tool)
  const found: string[] = []
  for (const path of [folder, joinPath(folder, 'health')])
    for (const { name, type } of (await orNothing(files.entries(path))) ?? [])
      if (type !== 'directory' && !isHidden(name)) found.push(joinPath(path, name))
  return found
}

/** Folders below the fleet's own that are read. */
function foldersOf({ fleet, clusters }: FleetRepository, hasDependencies: boolean): readonly ReadFolder[] {
  const isOfChart = (file: string): boolean =>
    !isHidden(file) && CHART_FILE.test(file) && !(hasDependencies && file.startsWith('charts/'))
  const addons = clusters.flatMap((cluster) => cluster.addons)
  const found: readonly ReadFolder[] = [
    ...fleet.sources.flatMap((one) => (one.type === 'directory' ? [{ path: one.path, reads: isAsset }] : [])),
    ...addons.flatMap(({ chart, remote }) =>
      chart === undefined || remote !== undefined ? [] : [{ path: chart, reads: isOfChart }],
    ),
    ...addons.flatMap(({ templates }) => (templates === undefined ? [] : [{ path: templates, reads: isTemplate }])),
    ...[joinPath(fleet.root, 'policies'), ...fleet.schemaFolders].map((path) => ({ path, reads: isObject })),
  ]
  return [...new Map(found.map((one) => [one.path, one])).values()].filter(({ path }) => isInside(fleet.root, path))
}

/** The files that Helm reads of a chart, without those that editors leave there. */
const CHART_FILE =
  /^(?:Chart\.yaml|values\.yaml|values\.schema\.json|(?:templates|crds|charts)\/.*\.(?:ya?ml|tpl|txt|json|tgz))$/

/** An asset of a release, whose folder is not ignored as a whole. */
function isAsset(file: string): boolean {
  return !isHidden(file) && /^[^/]+\/[^/]+\.(?:tgz|ya?ml)$/.test(file)
}

function isTemplate(file: string): boolean {
  return /\.(?:hbs|ya?ml)$/.test(file)
}

function isObject(file: string): boolean {
  return /\.(?:ya?ml|json)$/.test(file)
}

function isHidden(file: string): boolean {
  return file.split('/').some((name) => name.startsWith('.'))
}

/** The folders of providers, which are built into releases, and that of templates. */
function moreFoldersOf({ fleet: { root, sources } }: FleetRepository): readonly ReadFolder[] {
  const reads = (file: string): boolean => !isHidden(file)
  const providers = sources.flatMap((one) => (one.type === 'providerDirectory' ? [{ path: one.path, reads }] : []))
  return [...providers.filter(({ path }) => isInside(root, path)), { path: joinPath(root, 'templates'), reads }]
}
