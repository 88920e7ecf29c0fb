import { divideAddons } from '../handoff/units/divide-addons.ts'
import { isEmptyNote } from '../handoff/units/empty-note.ts'
import { placeAddons, type PlacedAddons } from '../handoff/units/place-addons.ts'
import { committedUnits, readCommittedAddons } from '../handoff/units/read-committed-addons.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { CommittedAddons, HandedCluster } from '../model/handoff.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import { clusterTree } from '../model/tree-path.ts'
import type { CommittedTree } from './committed-tree.ts'
import type { FleetCluster } from './render-fleet.ts'

const nothing: CommittedAddons = { units: new Map(), objects: new Map() }

/** Makes a function that places the addons of rendered clusters, so that what runs moves from unit to unit unharmed. The tree is read once for all. */
export async function createAddonPlacer(
  clusters: readonly FleetCluster[],
  { repository, tree }: { readonly repository: FleetRepository; readonly tree: CommittedTree | undefined },
): Promise<(cluster: FleetCluster) => PlacedAddons> {
  const divisions = new Map(
    clusters.map((one) => {
      const { cluster, release, rendered } = one
      const addonUnits = cluster.addonUnits ?? repository.fleet.addonUnits ?? 'perOwner'
      return [one, divideAddons({ cluster, release, addons: rendered.folders.slice(1), addonUnits })]
    }),
  )
  // objects move between units only where there are several
  const divided = clusters.filter((one) => {
    const before = tree === undefined ? [] : committedDivision(one.cluster, tree).values()
    return new Set([...before, ...(divisions.get(one)?.values() ?? [])]).size > 1
  })
  const files =
    tree === undefined || divided.length === 0
      ? new Map<string, ReadonlyMap<string, string>>()
      : await tree.addonFiles(new Set(divided.map(({ cluster }) => objectPath(cluster))))
  return (one) => {
    const own = files.get(objectPath(one.cluster))
    const committed = own === undefined ? nothing : readCommittedAddons(clusterTree(one.cluster), own)
    const units = divisions.get(one) ?? new Map<string, string>()
    return placeAddons(one.rendered.folders.slice(1), units, { committed, isCommit: tree?.isCommit === true })
  }
}

/** The placement of a cluster whose folders stay as they are committed. */
export function keptPlacement(
  cluster: ObjectName,
  addons: readonly RenderedFolder[],
  tree: CommittedTree,
): Pick<HandedCluster, 'placement'> {
  if (addons.length === 0) return {}
  const emptied = addons.filter(({ manifests }) => manifests.length > 0 && manifests.every(isEmptyNote))
  return {
    placement: {
      units: committedDivision(cluster, tree),
      letsGoOf: new Set(),
      moves: [],
      emptied: emptied.map(({ path }) => path),
    },
  }
}

function committedDivision(cluster: ObjectName, tree: CommittedTree): CommittedAddons['units'] {
  const outline = tree.addons.get(objectPath(cluster))
  return outline === undefined ? nothing.units : committedUnits(clusterTree(cluster), outline.folders, outline.indexes)
}
