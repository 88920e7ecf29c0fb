import { classNamePath, topologyVersionPath } from '../../model/class-reference.ts'
import { withField } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'

/**
 * The cluster as it is at another release on its way: class and version are those of the release, everything else is
 * what cluster.yaml says.
 */
export function clusterAt(cluster: Cluster, release: Pick<Release, 'name' | 'kubernetesVersion'>): Cluster {
  const className = formatClassName(release.name)
  if (className === cluster.className) return cluster
  const version = release.kubernetesVersion
  const object = withField(
    withField(cluster.object, classNamePath(cluster.object), className),
    topologyVersionPath,
    version,
  )
  return { ...cluster, object, className, version }
}
