import type { Diagnostic } from '../model/diagnostic.ts'
import { objectPath } from '../model/object-name.ts'
import { formatTag } from '../model/release-name.ts'
import { locateFinding } from '../render/explain/locate-findings.ts'
import type { RenderedFleet } from './render-fleet.ts'

/** Returns what gives findings about objects of a rendered fleet their places, by the cluster or release that they are about. */
export function fleetLocation({
  stacks,
  clusters,
}: Pick<RenderedFleet, 'stacks' | 'clusters'>): (finding: Diagnostic) => Diagnostic {
  const byCluster = new Map(clusters.map(({ cluster, rendered }) => [objectPath(cluster), rendered.locator]))
  const byRelease = new Map(stacks.map(({ release, locator }) => [formatTag(release.name), locator]))
  return (finding) => {
    const { cluster, release = '' } = finding.about ?? {}
    return locateFinding(finding, cluster === undefined ? byRelease.get(release) : byCluster.get(cluster))
  }
}
