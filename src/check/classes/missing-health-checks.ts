import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import type { ClassedCluster } from '../class-of.ts'

/** Names of the health check of a group of machines, and of the switch in it, by the version of the API. */
const versions = [
  { field: 'healthCheck', enabled: 'enabled' },
  { field: 'machineHealthCheck', enabled: 'enable' },
] as const

/**
 * Places where a Cluster switches health checks on though neither it nor its class says which: the webhook of Cluster
 * API refuses it.
 */
export function missingHealthChecks({ manifest, clusterClass }: ClassedCluster): readonly (readonly PathStep[])[] {
  const topology = ['spec', 'topology'] as const
  const workers = itemsAt(manifest.object, ...topology, 'workers', 'machineDeployments').map((group, index) => ({
    path: [...topology, 'workers', 'machineDeployments', index],
    ofClass: itemsAt(clusterClass, 'spec', 'workers', 'machineDeployments').find(
      (known) => textAt(known, 'class') === textAt(group, 'class'),
    ),
  }))
  const groups = [
    { path: [...topology, 'controlPlane'], ofClass: fieldAt(clusterClass, 'spec', 'controlPlane') },
    ...workers,
  ]
  return groups.flatMap(({ path, ofClass }) =>
    versions.flatMap(({ field, enabled }) => {
      const own = dictAt(manifest.object, ...path, field)
      // what is wrong with a class that is not there is another rule's to say
      if (own?.get(enabled) !== true || says(own) || ofClass === undefined) return []
      const isInClass = versions.some((known) => says(dictAt(ofClass, known.field)))
      return isInClass ? [] : [[...path, field, enabled]]
    }),
  )
}

/** True if a health check says more than whether it is on. */
function says(check: Dict | undefined): boolean {
  return [...(check?.keys() ?? [])].some((name) => !versions.some(({ enabled }) => enabled === name))
}
