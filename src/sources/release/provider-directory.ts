import { joinPath } from '../../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import type { Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { SourceConfig } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, formatVersion, parseVersion } from '../../model/release-name.ts'
import type { Release, ReleaseName, ReleaseVersion } from '../../model/release.ts'
import { applyBuildTemplate } from './build-template.ts'
import { chartNamePlace, checkChartName, type NamedChart } from './check-chart.ts'
import { ADDON_VALUES, CLUSTER_ADDON, ignoredValues, parseClusterAddon } from './cluster-addon.ts'
import { collectProblems } from './collect-problems.ts'
import { contentHash, releaseDigest } from './content-hash.ts'
import { buildAddons, buildFolderChart, filesBelow, withChartVersion } from './folder-chart.ts'
import { incompleteRelease } from './incomplete-release.ts'
import { listFolder, openFolder, readFolderFile, readFolderTree } from './read-folder.ts'
import type { ReadRelease } from './read-result.ts'
import { CONFIG_NAMES, parseStackConfig, type StackConfig } from './stack-config.ts'

/** A provider directory as the fleet names it. */
export type ProviderDirectorySource = Extract<SourceConfig, { readonly type: 'providerDirectory' }>

type ReleasePorts = Pick<Ports, 'files' | 'compression' | 'crypto'>

/** A provider directory opened: its release's name and all of its files, as they lie in git. */
interface Opened {
  readonly source: ProviderDirectorySource
  readonly config: StackConfig
  readonly name: ReleaseName
  readonly files: readonly ChartFile[]
}

/**
 * The one release that a provider directory holds; only its configuration is read when the source gives the version.
 * @throws StackmasonError FILE_*, RELEASE_INCOMPLETE, RELEASE_METADATA_INVALID, RELEASE_NAME_INVALID, RELEASE_TOO_LARGE
 */
export async function nameProviderRelease(source: ProviderDirectorySource, ports: ReleasePorts): Promise<ReleaseName> {
  if (source.version === undefined) return (await openProviderDirectory(source, ports)).name
  const folder = await openFolder(source.path, ports.files, source.at)
  const entries = await listFolder(folder, ports.files)
  const file = CONFIG_NAMES.find((name) => entries.some((entry) => entry.name === name))
  if (file === undefined)
    throw noConfig(
      source,
      entries.map((entry) => entry.name),
    )
  const config = parseStackConfig(await readFolderFile(folder, file, ports.files), joinPath(source.path, file))
  return nameOf(config, parseVersion(source.version, { at: source.at }))
}

/**
 * Builds the release of a provider directory in memory, as `csctl create` would on disk. The version comes from the source, else from the
 * content hash (csctl's hash mode); every component has the same version. Gives undefined when the directory holds another release than `wanted`.
 * @throws StackmasonError FILE_*, RELEASE_*, CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*
 */
export async function readProviderDirectory(
  source: ProviderDirectorySource,
  wanted: ReleaseName,
  ports: ReleasePorts,
): Promise<ReadRelease | undefined> {
  const opened = await openProviderDirectory(source, ports)
  if (formatTag(opened.name) !== formatTag(wanted)) return undefined
  const { config, name, files } = opened
  const form = formOf(opened)
  const version = formatVersion(name.version, 'dot')
  const built = applyBuildTemplate(
    files.filter(({ path }) => /^cluster-(?:class|addon)\/|^cluster-addon-values\.yaml$/.test(path)),
    { ClusterClassVersion: version, ClusterAddonVersion: version, NodeImageVersion: version },
    (path) => joinPath(source.path, path),
  )
  const problems = collectProblems()
  const clusterClass = await problems.attempt(() => {
    const place = joinPath(source.path, 'cluster-class')
    return withChartVersion(buildFolderChart(filesBelow(built, 'cluster-class'), place, ports), version)
  })
  const content = await problems.attempt(() =>
    form === 'single' ? readSingle(opened, built, ports) : readStages(opened, built, ports),
  )
  problems.finish()
  if (clusterClass === undefined || content === undefined)
    throw new Error('a part was not read, and nothing was reported')
  const metadata = encodeUtf8(`${formatTag(name)} ${config.kubernetesVersion}\n`)
  return {
    release: {
      name,
      kubernetesVersion: config.kubernetesVersion,
      components: { clusterAddon: version, nodeImage: version },
      clusterClass,
      form,
      addons: content.addons,
      stages: content.stages,
      origin: source.path,
      // the version given by the fleet is part of the content: it ends up in chart versions and names
      digest: releaseDigest([...files, { path: 'metadata.yaml', bytes: metadata }], ports.crypto),
    },
    findings: [
      ...config.findings,
      ...ignoredConfig(opened),
      ...checkChartName(clusterClass, name, placeOf(opened, 'cluster-class')),
      ...content.findings,
    ],
  }
}

type Content = Pick<Release, 'addons' | 'stages'> & { readonly findings: readonly Diagnostic[] }

async function openProviderDirectory(source: ProviderDirectorySource, ports: ReleasePorts): Promise<Opened> {
  const files = await readFolderTree(await openFolder(source.path, ports.files, source.at), ports.files)
  const file = CONFIG_NAMES.flatMap((name) => files.filter(({ path }) => path === name))[0]
  if (file === undefined)
    throw noConfig(
      source,
      files.map(({ path }) => path),
    )
  const config = parseStackConfig(file.bytes, joinPath(source.path, file.path))
  const version: ReleaseVersion =
    source.version === undefined
      ? { major: 0, channel: 'sha', patch: contentHash(files, ports.crypto).slice(0, 7) }
      : parseVersion(source.version, { at: source.at })
  return { source, config, name: nameOf(config, version), files }
}

/** Without its configuration the folder is most likely something else, so what else it lacks is not told. */
function noConfig(source: ProviderDirectorySource, paths: readonly string[]): StackmasonError {
  const hint = paths.includes('metadata.yaml')
    ? 'It holds a release that is built already: write directory instead of providerDirectory for it.'
    : 'A provider directory holds csctl.yaml, cluster-class/ and cluster-addon/.'
  return incompleteRelease(source.path, ['csctl.yaml'], hint)
}

function nameOf({ provider, stack, kubernetes }: StackConfig, version: ReleaseVersion): ReleaseName {
  return { provider, stack, kubernetes, version }
}

/** @throws StackmasonError RELEASE_INCOMPLETE */
function formOf({ source, files }: Opened): Release['form'] {
  const missing = missingFiles(files)
  if (missing.length > 0) throw incompleteRelease(source.path, missing)
  return files.some(({ path }) => path === CLUSTER_ADDON) ? 'multi-stage' : 'single'
}

function missingFiles(files: readonly ChartFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  const missing = (path: string): readonly string[] => (paths.has(path) ? [] : [path])
  const hasFolders = [...paths].some((path) => /^cluster-addon\/[^/]+\/Chart\.yaml$/.test(path))
  const classChart = missing('cluster-class/Chart.yaml')
  if (paths.has(CLUSTER_ADDON)) return hasFolders ? classChart : [...classChart, 'cluster-addon/<addon>/Chart.yaml']
  // folders with charts, no chart around them: the multi-stage form without its stages
  if (hasFolders && !paths.has('cluster-addon/Chart.yaml')) return [...classChart, CLUSTER_ADDON]
  return [...classChart, ...missing('cluster-addon/Chart.yaml'), ...missing(ADDON_VALUES)]
}

function readSingle(opened: Opened, built: readonly ChartFile[], ports: ReleasePorts): Content {
  const { source, name } = opened
  const values = built.find(({ path }) => path === ADDON_VALUES)
  const chart = withChartVersion(
    buildFolderChart(filesBelow(built, 'cluster-addon'), joinPath(source.path, 'cluster-addon'), ports),
    formatVersion(name.version, 'dot'),
  )
  const overwrite = values && { name: joinPath(source.path, ADDON_VALUES), text: decodeUtf8(values.bytes) }
  return {
    addons: [{ name: 'cluster-addon', chart, ...(overwrite && { overwrite }) }],
    stages: {},
    findings: checkChartName(chart, name, placeOf(opened, 'cluster-addon')),
  }
}

function readStages({ source, files }: Opened, built: readonly ChartFile[], ports: ReleasePorts): Content {
  const folder = joinPath(source.path, 'cluster-addon')
  const { addons, foldersWithoutChart } = buildAddons(filesBelow(built, 'cluster-addon'), folder, ports)
  const config = files.find(({ path }) => path === CLUSTER_ADDON)
  const known = { addons: addons.map((addon) => addon.name), foldersWithoutChart }
  const { stages, findings } = parseClusterAddon(
    config?.bytes ?? new Uint8Array(),
    joinPath(source.path, CLUSTER_ADDON),
    known,
  )
  const hasValues = files.some(({ path }) => path === ADDON_VALUES)
  return { addons, stages, findings: hasValues ? [...findings, ignoredValues(source.path)] : findings }
}

function placeOf(
  { source, files }: Opened,
  kind: NamedChart,
): { readonly kind: NamedChart; readonly place: ReturnType<typeof chartNamePlace> } {
  const path = `${kind}/Chart.yaml`
  const bytes = files.find((file) => file.path === path)?.bytes ?? new Uint8Array()
  return { kind, place: chartNamePlace({ name: joinPath(source.path, path), text: decodeUtf8(bytes) }) }
}

function ignoredConfig({ source, files }: Opened): readonly Diagnostic[] {
  const [read, ignored] = CONFIG_NAMES.filter((name) => files.some(({ path }) => path === name))
  if (read === undefined || ignored === undefined) return []
  const file = joinPath(source.path, ignored)
  const message = `${ignored} is not read, because ${read} is there`
  return [{ code: 'RELEASE_FILE_IGNORED', severity: 'warning', message, file, hint: `Remove ${ignored}.` }]
}
