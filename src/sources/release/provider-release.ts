import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import type { Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Crypto, Ports } from '../../model/ports.ts'
import { formatTag, formatVersion } from '../../model/release-name.ts'
import type { Release, ReleaseName, ReleaseVersion } from '../../model/release.ts'
import { applyBuildTemplate } from './build-template.ts'
import { chartNamePlace, checkChartName, type NamedChart } from './check-chart.ts'
import { ADDON_VALUES, CLUSTER_ADDON, ignoredValues, parseClusterAddon } from './cluster-addon.ts'
import { collectProblems } from './collect-problems.ts'
import { contentHash, releaseDigest } from './content-hash.ts'
import { buildAddons, buildFolderChart, filesBelow, withChartVersion } from './folder-chart.ts'
import { imageFiles } from './image-files.ts'
import { incompleteRelease } from './incomplete-release.ts'
import { originPath } from './origin-path.ts'
import type { ReadRelease } from './read-result.ts'
import { CONFIG_NAMES, parseStackConfig, type StackConfig } from './stack-config.ts'

/** All files of a provider directory as they lie in git, and where they lie: a path or an address. */
export interface ProviderFiles {
  readonly origin: string
  readonly files: readonly ChartFile[]
}

/** A provider directory with its configuration read and its release named. */
export interface ProviderRelease extends ProviderFiles {
  readonly config: StackConfig
  readonly name: ReleaseName
}

/**
 * Reads csctl.yaml of a provider directory and names the release: its version is the given one, else that of the
 * content hash (csctl's hash mode).
 * @throws StackmasonError RELEASE_INCOMPLETE, RELEASE_METADATA_INVALID, RELEASE_NAME_INVALID, RELEASE_TOO_LARGE
 */
export function openProviderFiles(
  { origin, files }: ProviderFiles,
  version: ReleaseVersion | undefined,
  crypto: Crypto,
): ProviderRelease {
  const file = CONFIG_NAMES.flatMap((name) => files.filter(({ path }) => path === name))[0]
  if (file === undefined)
    throw withoutConfig(
      origin,
      files.map(({ path }) => path),
    )
  const config = parseStackConfig(file.bytes, originPath(origin, file.path))
  const byContent = (): ReleaseVersion => ({ major: 0, channel: 'sha', patch: contentHash(files, crypto).slice(0, 7) })
  return { origin, files, config, name: providerReleaseName(config, version ?? byContent()) }
}

/** The name of the release that a provider directory makes in that version. */
export function providerReleaseName(
  { provider, stack, kubernetes }: StackConfig,
  version: ReleaseVersion,
): ReleaseName {
  return { provider, stack, kubernetes, version }
}

/**
 * Builds the release of a provider directory in memory, as `csctl create` would on disk; every component has the same
 * version.
 * @throws StackmasonError RELEASE_INCOMPLETE, RELEASE_BUILD_TEMPLATE, RELEASE_METADATA_INVALID, CHART_INVALID,
 * CHART_VALUES_INVALID, ARCHIVE_*
 */
export async function buildProviderRelease(
  opened: ProviderRelease,
  ports: Pick<Ports, 'compression' | 'crypto'>,
): Promise<ReadRelease> {
  const { origin, config, name, files } = opened
  const form = formOf(opened)
  const version = formatVersion(name.version, 'dot')
  const built = applyBuildTemplate(
    files.filter(({ path }) => /^cluster-(?:class|addon)\/|^cluster-addon-values\.yaml$/.test(path)),
    { ClusterClassVersion: version, ClusterAddonVersion: version, NodeImageVersion: version },
    (path) => originPath(origin, path),
  )
  const problems = collectProblems()
  const clusterClass = await problems.attempt(() => {
    const place = originPath(origin, 'cluster-class')
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
      ...imageFiles(files, origin),
      origin: origin,
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

/** Without its configuration the folder is most likely something else, so what else it lacks is not told. */
export function withoutConfig(origin: string, paths: readonly string[]): StackmasonError {
  const hint = paths.includes('metadata.yaml')
    ? 'It holds a release that is built already: write directory instead of providerDirectory for it.'
    : 'A provider directory holds csctl.yaml, cluster-class/ and cluster-addon/.'
  return incompleteRelease(origin, ['csctl.yaml'], hint)
}

/** @throws StackmasonError RELEASE_INCOMPLETE */
function formOf({ origin, files }: ProviderFiles): Release['form'] {
  const missing = missingFiles(files)
  if (missing.length > 0) throw incompleteRelease(origin, missing)
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

function readSingle(opened: ProviderRelease, built: readonly ChartFile[], ports: Pick<Ports, 'compression'>): Content {
  const { origin, name } = opened
  const values = built.find(({ path }) => path === ADDON_VALUES)
  const chart = withChartVersion(
    buildFolderChart(filesBelow(built, 'cluster-addon'), originPath(origin, 'cluster-addon'), ports),
    formatVersion(name.version, 'dot'),
  )
  const overwrite = values && { name: originPath(origin, ADDON_VALUES), text: decodeUtf8(values.bytes) }
  return {
    addons: [{ name: 'cluster-addon', chart, ...(overwrite && { overwrite }) }],
    stages: {},
    findings: checkChartName(chart, name, placeOf(opened, 'cluster-addon')),
  }
}

function readStages(
  { origin, files }: ProviderFiles,
  built: readonly ChartFile[],
  ports: Pick<Ports, 'compression'>,
): Content {
  const folder = originPath(origin, 'cluster-addon')
  const { addons, foldersWithoutChart } = buildAddons(filesBelow(built, 'cluster-addon'), folder, ports)
  const config = files.find(({ path }) => path === CLUSTER_ADDON)
  const known = { addons: addons.map((addon) => addon.name), foldersWithoutChart }
  const { stages, findings } = parseClusterAddon(
    config?.bytes ?? new Uint8Array(),
    originPath(origin, CLUSTER_ADDON),
    known,
  )
  const hasValues = files.some(({ path }) => path === ADDON_VALUES)
  return { addons, stages, findings: hasValues ? [...findings, ignoredValues(origin)] : findings }
}

function placeOf(
  { origin, files }: ProviderFiles,
  kind: NamedChart,
): { readonly kind: NamedChart; readonly place: ReturnType<typeof chartNamePlace> } {
  const path = `${kind}/Chart.yaml`
  const bytes = files.find((file) => file.path === path)?.bytes ?? new Uint8Array()
  return { kind, place: chartNamePlace({ name: originPath(origin, path), text: decodeUtf8(bytes) }) }
}

function ignoredConfig({ origin, files }: ProviderFiles): readonly Diagnostic[] {
  const [read, ignored] = CONFIG_NAMES.filter((name) => files.some(({ path }) => path === name))
  if (read === undefined || ignored === undefined) return []
  const file = originPath(origin, ignored)
  const message = `${ignored} is not read, because ${read} is there`
  return [{ code: 'RELEASE_FILE_IGNORED', severity: 'warning', message, file, hint: `Remove ${ignored}.` }]
}
