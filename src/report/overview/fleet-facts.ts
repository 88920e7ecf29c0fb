import type { ClusterOverview, FleetOverview } from '../../model/fleet-overview.ts'
import { plural } from '../plural.ts'
import { createClusterNames, type Detail } from '../tree-change/name-clusters.ts'

/** A line in two columns: what, and about whom. */
export type FleetFact = readonly [what: string, text: string]

/** The main facts of a fleet: its versions, clusters that are behind, what is wanted, steps that are due. */
export function fleetFacts({ clusters, images }: FleetOverview, detail: Detail): readonly FleetFact[] {
  const name = createClusterNames(detail)
  const several = images.filter(({ versions }) => versions.length > 1)
  const names = (some: readonly ClusterOverview[]): string => name(some.map(({ cluster }) => cluster))
  return [
    ...groupsOf(clusters, ({ kubernetesVersion }) => kubernetesVersion).map(([version, some]): FleetFact => [
      'Kubernetes',
      `${version} on ${names(some)}`,
    ]),
    ...groupsOf(clusters, releaseText).map(([release, some]): FleetFact => ['release', `${release} on ${names(some)}`]),
    ...groupsOf(clusters, ({ wanted }) => wanted).map(([wanted, some]): FleetFact => [
      'wanted',
      `${wanted} for ${names(some)}`,
    ]),
    ...groupsOf(clusters, ({ newer }) => newer.ofMinor).map(([tag, some]): FleetFact => [
      'newer release',
      `${tag} can replace that of ${names(some)}`,
    ]),
    ...groupsOf(clusters, ({ newer }) => newer.ofLaterMinor).map(([tag, some]): FleetFact => [
      'later Kubernetes',
      `${tag} is for a later minor version than that of ${names(some)}`,
    ]),
    ...groupsOf(clusters, ({ step }) => step).map(([step, some]): FleetFact => [
      'next render',
      `${step}: ${names(some)}`,
    ]),
    ...(several.length === 0
      ? []
      : [['images', `${plural(several.length, 'image')} in more than one version`] as const]),
  ]
}

/** The release of a cluster in the tree, and that of its addons where that is another. */
export function releaseText({ release, addonsRelease }: ClusterOverview): string {
  return addonsRelease === undefined ? release : `${release} with the addons of ${addonsRelease}`
}

/** Clusters that have something in common, the largest group first; those without it are left out. */
function groupsOf(
  clusters: readonly ClusterOverview[],
  common: (cluster: ClusterOverview) => string | undefined,
): readonly (readonly [string, readonly ClusterOverview[]])[] {
  const groups = new Map<string, ClusterOverview[]>()
  for (const cluster of clusters) {
    const key = common(cluster)
    if (key === undefined) continue
    const same = groups.get(key)
    if (same === undefined) groups.set(key, [cluster])
    else same.push(cluster)
  }
  return [...groups].toSorted(([, a], [, b]) => b.length - a.length)
}
