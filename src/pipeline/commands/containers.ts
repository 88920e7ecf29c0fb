import { joinPath } from '../../codec/path.ts'
import { ImageCollector, type ImageInventory } from '../../inventory/collect-images.ts'
import { type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { unitsOf } from '../expand/checked-units.ts'
import { keepFindings } from '../fleet/keep-findings.ts'
import { withFleet } from '../fleet/with-fleet.ts'
import type { Network } from '../resolve/open-source.ts'

/** The options of `stackmason containers`. */
export interface ContainersOptions {
  readonly start: string
  readonly fleet?: string
  /** `name` or `namespace/name`; empty = all. */
  readonly clusters: readonly string[]
  /** ClusterStack names, `name` or `namespace/name`; empty = all. */
  readonly stacks: readonly string[]
  /** Default: online. */
  readonly network?: Network
}

/** The container images of a fleet. */
export interface ContainersResult extends ImageInventory {
  readonly fleet: string
  /** `namespace/name` of those that were rendered. */
  readonly clusters: readonly string[]
  /** Warnings. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Lists the container images of what a fleet renders to. Reads the inputs as they are now, and the last commit for the
 * steps of upgrades; writes nothing.
 * @throws StackmasonError as rendering; USAGE for a name that the fleet does not have
 */
export function listContainers(
  options: ContainersOptions,
  ports: Ports,
  onProgress: OnProgress,
): Promise<ContainersResult> {
  return withFleet(options, ports, async (repository) => {
    const collector = new ImageCollector()
    const found: Diagnostic[] = []
    const output = joinPath(repository.fleet.root, repository.fleet.output)
    const { part, warnings } = await expandFleet(
      { repository, findings: keepFindings() },
      { selection: options, revision: { from: 'commit' }, network: options.network ?? 'online', onProgress },
      {
        ports,
        take: (expanded) => {
          for (const { folders, subject, locate } of unitsOf(expanded, output))
            for (const { manifests, destination, addon } of folders) {
              const side = destination === 'management' ? 'management' : 'workload'
              const about = { ...subject, ...(addon !== undefined && { addon }) }
              const unreadable = collector.add({ manifests, destination: side, subject, addon })
              found.push(...unreadable.map((finding) => withSubject(locate(finding), about)))
            }
        },
      },
    )
    return {
      fleet: repository.fleet.name,
      clusters: part.clusters.map(({ namespace, name }) => `${namespace}/${name}`),
      ...collector.all(),
      // a release that is left out has images, too
      findings: [...warnings.filter(({ code }) => code === 'RELEASE_SKIPPED'), ...found],
    }
  })
}
