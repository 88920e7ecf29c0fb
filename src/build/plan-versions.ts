import type { ChartFile } from '../model/chart.ts'
import type { ComponentHashes } from './component-hashes.ts'
import { nextVersion, type ReleaseVersions } from './release-versions.ts'

/** The facts about the newest release that the next one depends on. */
export interface ReleaseBefore {
  readonly versions: ReleaseVersions
  readonly hashes: ComponentHashes
  readonly assets: readonly ChartFile[]
}

/**
 * The versions of the next stable release; undefined when nothing that ships has changed. As in csctl's stable mode the
 * addons and node images keep their version while they are the same (pkg/clusterstack mode.go); other than there,
 * everything in the release counts: class, stages, node images.
 * @param make makes the files of a release of these versions
 */
export function planVersions(
  hashes: ComponentHashes,
  before: ReleaseBefore,
  make: (versions: ReleaseVersions) => readonly ChartFile[],
): ReleaseVersions | undefined {
  if (hashes.clusterStack === before.hashes.clusterStack) return undefined
  const again = make(before.versions)
  if (sameFiles(again, before.assets, ({ path }) => path !== 'hashes.json')) return undefined
  const { versions } = before
  const clusterStack = nextVersion(versions.clusterStack, 'changed')
  const hasOtherImages =
    hashes.nodeImageDir !== before.hashes.nodeImageDir || !sameFiles(again, before.assets, isNodeImages)
  const nodeImage = nextVersion(versions.nodeImage, hasOtherImages ? 'changed' : 'same')
  const hasOtherAddons =
    hashes.clusterAddonDir !== before.hashes.clusterAddonDir ||
    hashes.clusterAddonValues !== before.hashes.clusterAddonValues ||
    !sameFiles(again, before.assets, isStages) ||
    // the addons may hold a placeholder for one of the other versions
    !sameFiles(make({ ...versions, clusterStack, nodeImage }), again, isAddon)
  return {
    clusterStack,
    clusterAddon: nextVersion(versions.clusterAddon, hasOtherAddons ? 'changed' : 'same'),
    nodeImage,
  }
}

/** True if two releases hold the same files, of those that count. */
export function sameFiles(
  a: readonly ChartFile[],
  b: readonly ChartFile[],
  counts: (file: ChartFile) => boolean = () => true,
): boolean {
  const others = new Map(b.filter(counts).map(({ path, bytes }) => [path, bytes]))
  const own = a.filter(counts)
  return own.length === others.size && own.every(({ path, bytes }) => sameBytes(bytes, others.get(path)))
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.length === b?.length && a.every((byte, index) => byte === b[index])
}

function isStages({ path }: ChartFile): boolean {
  return path === 'clusteraddon.yaml'
}

function isNodeImages({ path }: ChartFile): boolean {
  return path === 'node-images.yaml'
}

function isAddon({ path }: ChartFile): boolean {
  return path === 'cluster-addon-values.yaml' || (path.includes('-cluster-addon-') && path.endsWith('.tgz'))
}
