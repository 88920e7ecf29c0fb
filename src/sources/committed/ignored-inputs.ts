import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { pathOf } from '../../model/source.ts'

/** A folder of which only some files are read, by their path relative to it. */
interface ReadFolder {
  readonly path: string
  readonly reads: (file: string) => boolean
}

/** Paths that a finding names. */
const MOST = 3

/**
 * Warns of files that a fleet is read from and that git ignores, `ignored` as git tells it of the fleet's folder: a
 * render here has them, and in any other checkout it comes to something else, or fails. What nothing reads is passed
 * over, and so is what lies in a source: its owner knows.
 */
export async function findIgnoredInputs(
  repository: FleetRepository,
  { ignored, files }: { readonly ignored: readonly string[]; readonly files: Ports['files'] },
): Promise<readonly Diagnostic[]> {
  if (ignored.length === 0) return []
  const { root } = repository.fleet
  const known = new Set([...filesOf(repository)].map((path) => relativePath(root, path)))
  const folders = foldersOf(repository, await locksCharts(root, files)).map(({ path, reads }) => ({
    path: relativePath(root, path),
    reads,
  }))
  const isAround = (path: string): boolean =>
    [...known].some((file) => file.startsWith(path)) || folders.some((folder) => `${folder.path}/`.startsWith(path))
  const isRead = async (path: string): Promise<boolean> => {
    if (!path.endsWith('/')) {
      const isOf = (folder: ReadFolder): boolean =>
        path.startsWith(`${folder.path}/`) && folder.reads(path.slice(folder.path.length + 1))
      return known.has(path) || folders.some(isOf)
    }
    if (isAround(path)) return true
    if (!folders.some((folder) => path.startsWith(`${folder.path}/`))) return false
    for (const { name, type } of (await orNothing(files.entries(joinPath(root, path)))) ?? [])
      if (await isRead(`${path}${name}${type === 'directory' ? '/' : ''}`)) return true
    return false
  }
  const found: string[] = []
  for (const path of ignored) {
    // git names a folder of which all is ignored, and what lies in it
    const isKnown = found.some((one) => one.endsWith('/') && path.startsWith(one))
    if (!isKnown && (await isRead(path))) found.push(path)
  }
  return found.length === 0 ? [] : [describe(root, found)]
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

function describe(root: string, paths: readonly string[]): Diagnostic {
  const [first = ''] = paths
  const file = joinPath(root, first)
  const more = paths.length - MOST
  const shown = `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'warning',
    message: `git ignores what the fleet is read from: ${shown}. No other checkout of the fleet has that, as that of CI`,
    file,
    hint: `\`git check-ignore -v ${shellWord(file)}\` names the line that does it. Take it out, or add \`!\` lines for what the fleet needs, and commit the files.`,
  }
}
