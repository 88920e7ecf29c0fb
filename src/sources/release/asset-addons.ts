import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import type { Ports } from '../../model/ports.ts'
import type { Release, ReleaseVersion } from '../../model/release.ts'
import { readArchive } from '../archive/read-archive.ts'
import { checkAddonVersion, checkChartName } from './check-chart.ts'
import { ADDON_VALUES, CLUSTER_ADDON, ignoredValues, parseClusterAddon } from './cluster-addon.ts'
import { archiveNameFor, checkArchiveName, findByName, findChart, type WantedArchive } from './find-archive.ts'
import { buildAddons } from './folder-chart.ts'
import { originPath } from './origin-path.ts'
import type { AssetReading } from './release-assets.ts'

type Unpacking = Pick<Ports, 'compression'>
type AddonContent = Pick<Release, 'addons' | 'stages'>

/**
 * Reads the addons of the old form: one Helm chart and cluster-addon-values.yaml. Undefined when files are missing,
 * which `reading` then lists.
 * @throws StackmasonError ARCHIVE_*, CHART_*, RELEASE_MISMATCH, FILE_*
 */
export async function readAddonChart(
  reading: AssetReading,
  version: ReleaseVersion,
  ports: Unpacking,
): Promise<AddonContent | undefined> {
  const { assets, name, used, missing, findings } = reading
  const wanted: WantedArchive = { release: name, kind: 'cluster-addon', version }
  const hasValues = assets.names.includes(ADDON_VALUES)
  if (await holdsSeveralCharts(reading, wanted, ports)) {
    missing.push(CLUSTER_ADDON)
    return undefined
  }
  const found = await findChart(assets, wanted, ports)
  if (found === undefined) missing.push(archiveNameFor(wanted))
  if (!hasValues) missing.push(`${ADDON_VALUES} (or ${CLUSTER_ADDON}, if it is a multi-stage release)`)
  if (found === undefined || !hasValues) return undefined
  const { path, bytes, chart } = found
  const values = await assets.read(ADDON_VALUES)
  used.push({ path, bytes }, { path: ADDON_VALUES, bytes: values })
  const file = originPath(assets.origin, path)
  const misnamed = checkChartName(chart, name, { kind: 'cluster-addon', place: { file } })
  if (misnamed.length > 0) reading.misnamed.push(...misnamed)
  else checkArchiveName(reading, wanted, path)
  findings.push(...checkAddonVersion(chart, version, file))
  const overwrite = { name: originPath(assets.origin, ADDON_VALUES), text: decodeUtf8(values) }
  return { addons: [{ name: 'cluster-addon', chart, overwrite }], stages: {} }
}

/**
 * Reads the addons of the multi-stage form: an archive of charts and clusteraddon.yaml. Undefined when the archive is
 * missing, which `reading` then lists.
 * @throws StackmasonError ARCHIVE_*, CHART_*, RELEASE_METADATA_INVALID, FILE_*
 */
export async function readAddonStages(
  reading: AssetReading,
  version: ReleaseVersion,
  ports: Unpacking,
): Promise<AddonContent | undefined> {
  const { assets, used, missing, findings } = reading
  const wanted: WantedArchive = { release: reading.name, kind: 'cluster-addon', version }
  const path = findByName(assets, wanted) ?? findAlone(assets.names)
  if (path === undefined) {
    missing.push(archiveNameFor(wanted))
    return undefined
  }
  const file = originPath(assets.origin, path)
  const bytes = await assets.read(path)
  const config = await assets.read(CLUSTER_ADDON)
  used.push({ path, bytes }, { path: CLUSTER_ADDON, bytes: config })
  const { addons, foldersWithoutChart } = buildAddons(readArchive(bytes, file, ports), `${file}!`, ports)
  const known = { addons: addons.map((addon) => addon.name), foldersWithoutChart }
  const stages = parseClusterAddon(config, originPath(assets.origin, CLUSTER_ADDON), known)
  checkArchiveName(reading, wanted, path)
  findings.push(...stages.findings)
  if (assets.names.includes(ADDON_VALUES)) findings.push(ignoredValues(assets.origin))
  return { addons, stages: stages.stages }
}

/** An addon archive of the multi-stage form has no chart that could say its name, so only the file's name is left. */
function findAlone(names: readonly string[]): string | undefined {
  const [file, other] = names.filter((name) => name.endsWith('.tgz') && name.includes('-cluster-addon-'))
  return other === undefined ? file : undefined
}

/**
 * True if the archive is one of the multi-stage form, whose clusteraddon.yaml got lost (cluster-stack-operator issue
 * 209).
 */
async function holdsSeveralCharts({ assets }: AssetReading, wanted: WantedArchive, ports: Unpacking): Promise<boolean> {
  const path = findByName(assets, wanted)
  if (path === undefined) return false
  const files: readonly ChartFile[] = readArchive(await assets.read(path), originPath(assets.origin, path), ports)
  return files.filter((file) => /^[^/]+\/Chart\.yaml$/.test(file.path)).length > 1
}
