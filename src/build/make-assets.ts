import { joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { dictAt, textAt } from '../model/field.ts'
import type { ChartFile } from '../model/chart.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { formatVersion, releasePrefix } from '../model/release-name.ts'
import type { ReleaseName } from '../model/release.ts'
import { inputFinding, inputProblem } from './build-input.ts'
import { formatHashes, type ComponentHashes } from './component-hashes.ts'
import { openDocument } from './open-document.ts'
import { packChart, packFiles } from './pack-files.ts'
import { formatMetadata, type ReleaseVersions } from './release-versions.ts'

/** A provider directory on its way to a release. */
export interface StackFolder {
  /** For messages. */
  readonly path: string
  /** csctl.yaml, or what stands in its place. */
  readonly configFile: string
  /** With `v`: `v1.34.7`. */
  readonly kubernetesVersion: string
  readonly name: Omit<ReleaseName, 'version'>
  readonly files: readonly ChartFile[]
}

/** The steps that belong to reading releases as well, and are shared with it. */
export interface SharedSteps {
  /**
   * Replaces `<< .ClusterClassVersion >>` and the like; paths relative to the folder.
   * @throws StackmasonError RELEASE_BUILD_TEMPLATE
   */
  readonly applyTemplate: (files: readonly ChartFile[], versions: ReleaseVersions) => readonly ChartFile[]
  /** Leaves out what .helmignore says; paths relative to the chart. @throws StackmasonError CHART_INVALID */
  readonly applyHelmIgnore: (files: readonly ChartFile[], origin: string) => readonly ChartFile[]
}

/** The files of a release, sorted by name, and what a person should look at. */
export interface MadeAssets {
  readonly assets: readonly ChartFile[]
  readonly findings: readonly Diagnostic[]
}

const CLUSTER_ADDON = 'clusteraddon.yaml'
const ADDON_VALUES = 'cluster-addon-values.yaml'

/**
 * Makes the files of a release as `csctl create` does (pkg/cmd create.go, pkg/template). Other than there, the charts
 * are named after the release, Chart.yaml keeps its text but for name and version, and binary files stay as they are.
 * @throws StackmasonError BUILD_INPUT_INVALID, RELEASE_BUILD_TEMPLATE, CHART_INVALID
 */
export function makeAssets(
  folder: StackFolder,
  release: { readonly versions: ReleaseVersions; readonly hashes: ComponentHashes },
  steps: SharedSteps,
): MadeAssets {
  const { files } = folder
  const missing = missingFiles(files)
  if (missing.length > 0) {
    throw inputProblem(`the provider directory lacks ${missing.join(', ')}`, { file: folder.path })
  }
  const { versions, hashes } = release
  const built = steps.applyTemplate(
    files.filter(({ path }) => /^cluster-(?:class|addon)\/|^cluster-addon-values\.yaml$/.test(path)),
    versions,
  )
  const charts: Charts = { folder, built, versions, steps }
  const nodeImages = findNodeImages(folder)
  const assets = [
    chartAsset('cluster-class', charts),
    ...addonAssets(charts),
    { path: 'hashes.json', bytes: formatHashes(hashes) },
    { path: 'metadata.yaml', bytes: formatMetadata(versions, folder.kubernetesVersion) },
    ...nodeImages.assets,
  ]
  return {
    assets: assets.toSorted((a, b) => compareBytes(a.path, b.path)),
    findings: [...nodeImages.findings, ...untemplated(folder), ...unreadValues(folder), ...strayFiles(charts)],
  }
}

/** True if clusteraddon.yaml selects the multi-stage form. */
export function isMultiStage(files: readonly ChartFile[]): boolean {
  return files.some(({ path }) => path === CLUSTER_ADDON)
}

type ChartFolder = 'cluster-class' | 'cluster-addon'

interface Charts {
  readonly folder: StackFolder
  readonly built: readonly ChartFile[]
  readonly versions: ReleaseVersions
  readonly steps: SharedSteps
}

function addonAssets(charts: Charts): readonly ChartFile[] {
  const { folder, built, versions } = charts
  const config = folder.files.find(({ path }) => path === CLUSTER_ADDON)
  if (config === undefined) {
    return [chartAsset('cluster-addon', charts), ...built.filter(({ path }) => path === ADDON_VALUES)]
  }
  const version = formatVersion(versions.clusterAddon, 'dot')
  const path = `${prefixOf(folder)}-cluster-addon-${version}.tgz`
  return [{ path, bytes: packFiles(filesBelow(built, 'cluster-addon')) }, config]
}

/** The files of a packed chart, relative to it. */
function packedFiles(kind: ChartFolder, { folder, built, steps }: Charts): readonly ChartFile[] {
  return steps.applyHelmIgnore(filesBelow(built, kind), joinPath(folder.path, kind))
}

function chartAsset(kind: ChartFolder, charts: Charts): ChartFile {
  const { folder, versions } = charts
  const place = joinPath(folder.path, kind)
  const name = `${prefixOf(folder)}-${kind}`
  const version = formatVersion(kind === 'cluster-class' ? versions.clusterStack : versions.clusterAddon, 'dot')
  const kept = packedFiles(kind, charts)
  const chart = kept.find(({ path }) => path === 'Chart.yaml')
  if (chart === undefined) throw inputProblem(`.helmignore leaves out Chart.yaml`, { file: place })
  const { edit } = openDocument({ name: joinPath(place, chart.path), bytes: chart.bytes })
  const bytes = edit([
    { how: 'replace', path: ['name'], value: name },
    { how: 'replace', path: ['version'], value: version },
  ])
  const others = kept.filter((file) => file !== chart)
  return { path: `${name}-${version}.tgz`, bytes: packChart([{ path: chart.path, bytes }, ...others], name) }
}

/** `<provider>-<stack>-<major>-<minor>` */
function prefixOf({ name }: StackFolder): string {
  return releasePrefix({ ...name, version: { major: 0, channel: 'stable', patch: '' } })
}

function filesBelow(files: readonly ChartFile[], folder: string): readonly ChartFile[] {
  const prefix = `${folder}/`
  return files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, bytes }) => ({ path: path.slice(prefix.length), bytes }))
}

function missingFiles(files: readonly ChartFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  const hasAddons = [...paths].some((path) => /^cluster-addon\/[^/]+\/Chart\.yaml$/.test(path))
  const wanted = ['cluster-class/Chart.yaml']
  if (paths.has(CLUSTER_ADDON)) {
    if (!hasAddons) wanted.push('cluster-addon/<addon>/Chart.yaml')
  } else if (hasAddons && !paths.has('cluster-addon/Chart.yaml')) wanted.push(CLUSTER_ADDON)
  else wanted.push('cluster-addon/Chart.yaml', ADDON_VALUES)
  return wanted.filter((path) => !paths.has(path))
}

const NODE_IMAGES = 'node-images.yaml'
/** Where csctl's plugin for OpenStack takes it from (`method: get`). */
const NODE_IMAGES_CONFIG = 'node-images/config.yaml'

/** csctl lets a plugin make node-images.yaml; here the directory has it, or the file that the plugin would copy. */
function findNodeImages({ path, configFile, files }: StackFolder): MadeAssets {
  const file = files.find((found) => found.path === NODE_IMAGES)
  if (file !== undefined) return { assets: [file], findings: [] }
  const copied = files.find((found) => found.path === NODE_IMAGES_CONFIG)
  const config = files.find((found) => found.path === configFile)
  const plugin =
    config &&
    dictAt(
      openDocument({ name: joinPath(path, config.path), bytes: config.bytes }).value,
      'config',
      'provider',
      'config',
    )
  const method = plugin === undefined || plugin.size === 0 ? undefined : textAt(plugin, 'method')
  if (method === undefined) return { assets: [], findings: [] }
  if (method === 'get' && copied !== undefined) {
    return { assets: [{ path: NODE_IMAGES, bytes: copied.bytes }], findings: [] }
  }
  const message = `${configFile} asks a plugin of csctl for node images, which is not run here; the release has no ${NODE_IMAGES}`
  const hint = `Put a finished ${NODE_IMAGES} into the provider directory, or remove config.provider.config.`
  return { assets: [], findings: [inputFinding('warning', message, { file: joinPath(path, configFile), hint })] }
}

/** Files that editors, systems and people leave in a folder: passwords among them, and nothing that a chart reads. */
const STRAY =
  /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.env(?:\.(?!example$|sample$|template$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.dockercfg|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519))$/

/** Helm packs every file, so whoever left one there that was not meant is told before it is pushed. */
function strayFiles(charts: Charts): readonly Diagnostic[] {
  const { folder, built } = charts
  const addons = isMultiStage(folder.files) ? filesBelow(built, 'cluster-addon') : packedFiles('cluster-addon', charts)
  const packed = [
    ...addons.map(({ path }) => `cluster-addon/${path}`),
    ...packedFiles('cluster-class', charts).map(({ path }) => `cluster-class/${path}`),
  ]
  return packed
    .filter((path) => STRAY.test(path.slice(path.lastIndexOf('/') + 1)))
    .map((path) => {
      const hint =
        'Remove it from the provider directory. What was pushed already stays readable: replace what it gave away.'
      const message = `${path} is packed into the release, and everybody who can read that can read it`
      return inputFinding('warning', message, { file: joinPath(folder.path, path), hint })
    })
}

/** csctl ships clusteraddon.yaml as it is, so whoever wrote a placeholder into it is told. */
function untemplated({ path, files }: StackFolder): readonly Diagnostic[] {
  const config = files.find((file) => file.path === CLUSTER_ADDON)
  if (config === undefined) return []
  const source = { name: joinPath(path, CLUSTER_ADDON), text: decodeUtf8(config.bytes) }
  const match = /<< \.(?:ClusterClass|ClusterAddon|NodeImage)Version >>/.exec(source.text)
  if (match === null) return []
  const at = { source, start: match.index, end: match.index + match[0].length }
  const message = `${CLUSTER_ADDON} is shipped as it is, so ${match[0]} is not replaced`
  return [{ code: 'RELEASE_BUILD_TEMPLATE', severity: 'warning', message, at, hint: 'Write the text without it.' }]
}

/** The operator reads one of the two forms, so csctl leaves the values of the old one out of a release with stages. */
function unreadValues({ path, files }: StackFolder): readonly Diagnostic[] {
  if (!isMultiStage(files) || !files.some((file) => file.path === ADDON_VALUES)) return []
  const message = `${ADDON_VALUES} is not in the release, because ${CLUSTER_ADDON} selects the multi-stage form`
  const hint = "Move each addon's values to cluster-addon/<addon>/overwrite.yaml, then remove the file."
  return [{ code: 'RELEASE_FILE_IGNORED', severity: 'warning', message, file: joinPath(path, ADDON_VALUES), hint }]
}
