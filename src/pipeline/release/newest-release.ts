import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { compareVersions, formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ComponentHashes } from '../../build/component-hashes.ts'
import type { ReleaseVersions } from '../../build/release-versions.ts'
import { textAt } from '../../model/field.ts'
import { parseMetadata } from '../../sources/release/metadata.ts'

/** A release that is there already. */
export interface PublishedRelease {
  readonly name: ReleaseName
  readonly versions: ReleaseVersions
  readonly hashes: ComponentHashes
  readonly assets: readonly ChartFile[]
}

/**
 * The newest stable release of a stack and Kubernetes minor at a place, all of it; undefined when there is none.
 * @throws StackmasonError FETCH_*, GIT_FAILED, FILE_*, RELEASE_METADATA_INVALID
 */
export async function readNewest(
  stack: Omit<ReleaseName, 'version'>,
  source: ReleaseSource,
): Promise<PublishedRelease | undefined> {
  const newest = (await namesAt(source))
    .filter(
      ({ provider, stack: name, kubernetes, version }) =>
        provider === stack.provider &&
        name === stack.stack &&
        kubernetes.major === stack.kubernetes.major &&
        kubernetes.minor === stack.kubernetes.minor &&
        version.channel === 'stable',
    )
    .toSorted((a, b) => compareVersions(b.version, a.version))[0]
  const located = newest && (await source.locate(newest))
  if (newest === undefined || located === undefined) return undefined
  const assets: ChartFile[] = []
  for (const asset of located.assets) assets.push({ path: asset.name, bytes: await source.fetch(located, asset) })
  const metadata = assets.find(({ path }) => path === 'metadata.yaml')
  const { version, clusterAddon, nodeImage } = parseMetadata(
    metadata?.bytes ?? new Uint8Array(),
    `metadata.yaml of ${formatTag(newest)}`,
  )
  return {
    name: newest,
    versions: { clusterStack: version, clusterAddon, nodeImage },
    hashes: hashesOf(assets),
    assets,
  }
}

/** A repository that the first push makes is not there yet. */
async function namesAt(source: ReleaseSource): Promise<readonly ReleaseName[]> {
  try {
    return (await source.list()).releases.map(({ name }) => name)
  } catch (error) {
    if (error instanceof StackmasonError && error.diagnostics.every(({ code }) => code === 'FETCH_NOT_FOUND')) return []
    throw error
  }
}

/** Without a readable hashes.json everything counts as changed. */
function hashesOf(assets: readonly ChartFile[]): ComponentHashes {
  const bytes = assets.find(({ path }) => path === 'hashes.json')?.bytes ?? new Uint8Array()
  const text = (value: Parameters<typeof textAt>[0]): ComponentHashes => ({
    clusterStack: textAt(value, 'clusterStack'),
    clusterAddonDir: textAt(value, 'clusterAddonDir'),
    clusterAddonValues: textAt(value, 'clusterAddonValues'),
    nodeImageDir: textAt(value, 'nodeImageDir'),
  })
  try {
    return text(parseGoJson(decodeUtf8(bytes)))
  } catch (error) {
    if (error instanceof JsonError) return text(null)
    throw error
  }
}
