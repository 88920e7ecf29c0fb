import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, formatVersion } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { Chart } from '../../model/chart.ts'
import { readAddonChart, readAddonStages } from './asset-addons.ts'
import { checkChartName, checkClassVersion } from './check-chart.ts'
import { CLUSTER_ADDON } from './cluster-addon.ts'
import { collectProblems } from './collect-problems.ts'
import { releaseDigest } from './content-hash.ts'
import { archiveNameFor, checkArchiveName, findChart } from './find-archive.ts'
import { checkHashes } from './hashes.ts'
import { IMAGE_FILES, imageFiles } from './image-files.ts'
import { incompleteRelease } from './incomplete-release.ts'
import { parseMetadata, type ReleaseMetadata } from './metadata.ts'
import { tooLarge } from './read-folder.ts'
import { originPath } from './origin-path.ts'
import type { AssetReading, ReleaseAssets } from './release-assets.ts'
import type { ReadRelease } from './read-result.ts'

/** Real releases have six; one that was published with every node image still has fewer than this. */
const MAX_ASSETS = 1000
const METADATA = 'metadata.yaml'
const HASHES = 'hashes.json'
/** Part of the release's content when they are there; of the files of images csctl publishes only node-images.yaml. */
const BESIDE = [HASHES, ...IMAGE_FILES]

/**
 * Reads a published release of either form from its files. The presence of clusteraddon.yaml alone selects the
 * multi-stage form.
 * @throws StackmasonError RELEASE_INCOMPLETE (every missing file), RELEASE_MISMATCH, RELEASE_METADATA_INVALID,
 * RELEASE_TOO_LARGE, FILE_*, ARCHIVE_*, CHART_INVALID, CHART_VALUES_INVALID: all that can be told at once
 */
export async function readAssets(
  assets: ReleaseAssets,
  name: ReleaseName,
  ports: Pick<Ports, 'compression' | 'crypto'>,
): Promise<ReadRelease> {
  if (assets.names.length > MAX_ASSETS) throw tooLarge(assets.origin, `more than ${MAX_ASSETS} files`)
  const problems = collectProblems()
  const form = assets.names.includes(CLUSTER_ADDON) ? 'multi-stage' : 'single'
  const reading: AssetReading = { assets, name, used: [], missing: [], findings: [], misnamed: [] }
  const metadata = await problems.attempt(() => readMetadata(reading))
  for (const problem of metadata === undefined ? [] : checkMetadata(metadata, name)) problems.add(problem)
  const clusterClass = await problems.attempt(() => readClass(reading, ports))
  const addonVersion = metadata?.clusterAddon ?? name.version
  const content = await problems.attempt(() =>
    form === 'single' ? readAddonChart(reading, addonVersion, ports) : readAddonStages(reading, addonVersion, ports),
  )
  await problems.attempt(() => readBeside(reading))
  await problems.attempt(() => {
    if (reading.missing.length > 0) throw incompleteRelease(assets.origin, reading.missing)
  })
  for (const finding of assets.isSigned === true ? reading.misnamed : []) problems.add(signedAsOther(finding))
  problems.finish()
  if (metadata === undefined || clusterClass === undefined || content === undefined) {
    throw new Error('a release lacks a part, and nothing was reported')
  }
  return {
    release: {
      name,
      kubernetesVersion: metadata.kubernetesVersion,
      components: {
        clusterAddon: formatVersion(metadata.clusterAddon, 'dot'),
        nodeImage: formatVersion(metadata.nodeImage, 'dot'),
      },
      clusterClass,
      form,
      ...content,
      ...imageFiles(reading.used, assets.origin),
      origin: assets.origin,
      digest: releaseDigest(reading.used, ports.crypto),
    },
    findings: [...metadata.findings, ...reading.misnamed, ...reading.findings],
  }
}

async function readMetadata({ assets, used, missing }: AssetReading): Promise<ReleaseMetadata | undefined> {
  if (!assets.names.includes(METADATA)) {
    missing.push(METADATA)
    return undefined
  }
  const bytes = await assets.read(METADATA)
  used.push({ path: METADATA, bytes })
  return parseMetadata(bytes, originPath(assets.origin, METADATA))
}

async function readClass(reading: AssetReading, ports: Pick<Ports, 'compression'>): Promise<Chart | undefined> {
  const { assets, name, used, missing } = reading
  const wanted = { release: name, kind: 'cluster-class', version: name.version } as const
  const found = await findChart(assets, wanted, ports)
  if (found === undefined) {
    missing.push(archiveNameFor(wanted))
    return undefined
  }
  const { path, bytes, chart } = found
  const file = originPath(assets.origin, path)
  used.push({ path, bytes })
  const misnamed = checkChartName(chart, name, { kind: 'cluster-class', place: { file } })
  if (misnamed.length > 0) reading.misnamed.push(...misnamed)
  else checkArchiveName(reading, wanted, path)
  checkClassVersion(chart, name, file)
  return chart
}

async function readBeside({ assets, used, findings }: AssetReading): Promise<void> {
  for (const path of BESIDE.filter((file) => assets.names.includes(file))) {
    const bytes = await assets.read(path)
    used.push({ path, bytes })
    if (path === HASHES) findings.push(...checkHashes(bytes, originPath(assets.origin, path)))
  }
}

/**
 * Whoever may move tags can have this one lead to another release that was signed. Only the names tell: metadata.yaml
 * has neither provider nor stack.
 */
function signedAsOther(finding: Diagnostic): Diagnostic {
  return {
    ...finding,
    severity: 'error',
    message: `${finding.message}: what was signed is not this release`,
    hint: 'Find out who gave the tag to it. If nothing but the name is wrong, correct that, build the release again, and sign it.',
  }
}

/** Checks that metadata.yaml and the tag agree: otherwise one of the two belongs to another release. */
function checkMetadata(metadata: ReleaseMetadata, name: ReleaseName): readonly Diagnostic[] {
  const problems: Diagnostic[] = []
  const tag = formatTag(name)
  const version = formatVersion(metadata.version, 'dot')
  if (version !== formatVersion(name.version, 'dot')) {
    problems.push({
      code: 'RELEASE_MISMATCH',
      severity: 'error',
      message: `metadata.yaml says version ${version}, but the release is ${tag}`,
      at: metadata.versionAt,
      hint: `Write clusterStack: ${formatVersion(name.version, 'dot')}, or give the release the tag that fits.`,
    })
  }
  const { major, minor } = name.kubernetes
  if (metadata.kubernetes.major !== major || metadata.kubernetes.minor !== minor) {
    problems.push({
      code: 'RELEASE_MISMATCH',
      severity: 'error',
      message: `metadata.yaml says Kubernetes ${metadata.kubernetesVersion}, but the release is ${tag}`,
      at: metadata.kubernetesAt,
      hint: `Write a version v${major}.${minor}.<patch>, or give the release the tag that fits.`,
    })
  }
  return problems
}
