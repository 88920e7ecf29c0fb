import { deletionMarks } from '../handoff/committed-units.ts'
import { divideAddons } from '../handoff/units/divide-addons.ts'
import { isEmptyNote } from '../handoff/units/empty-note.ts'
import { placeAddons, type PlacedAddons } from '../handoff/units/place-addons.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { CommittedAddons, HandoffCluster } from '../model/handoff.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import { type ObjectName, objectPath } from '../model/object-name.ts'
import type { CommittedTree } from '../sources/committed/committed-tree.ts'
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
  // objects move between units only where there are several, and one that goes is emptied first
  const divided = clusters.filter((one) => {
    const before = tree === undefined ? [] : [...tree.addonUnits(one.cluster).values()]
    const after = [...(divisions.get(one)?.values() ?? [])]
    return new Set([...before, ...after]).size > 1 || (before.length > 0 && after.length === 0)
  })
  const { handoff } = repository.fleet
  const known =
    tree === undefined || handoff === undefined
      ? new Map<string, CommittedAddons>()
      : await tree.addons(
          divided.map(({ cluster }) => cluster),
          { marks: deletionMarks[handoff.tool] },
        )
  return (one) => {
    const committed = known.get(objectPath(one.cluster)) ?? nothing
    const units = divisions.get(one) ?? new Map<string, string>()
    return placeAddons(one.rendered.folders.slice(1), units, { committed, isCommit: tree?.isCommit === true })
  }
}

/** The placement of a cluster whose folders stay as they are committed. */
export function keptPlacement(
  cluster: ObjectName,
  addons: readonly RenderedFolder[],
  tree: CommittedTree,
): Pick<HandoffCluster, 'placement'> {
  if (addons.length === 0) return {}
  const emptied = addons.filter(({ manifests }) => manifests.length > 0 && manifests.every(isEmptyNote))
  return {
    placement: {
      units: tree.addonUnits(cluster),
      orphans: new Set(),
      moves: [],
      emptied: emptied.map(({ path }) => path),
    },
  }
}
