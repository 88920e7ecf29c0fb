import { clusterSubject, type Diagnostic, type FindingSubject, withSubject } from '../model/diagnostic.ts'
import type { HandoffConfig } from '../model/handoff-config.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import { formatTag } from '../model/release-name.ts'
import { findPlaintext, type PlaintextInput } from '../handoff/secrets/find-plaintext.ts'
import { findUndecrypted } from '../handoff/secrets/find-undecrypted.ts'
import type { BoundFleetCluster } from './bind-clusters.ts'
import type { FleetCluster, FleetStack } from './render-fleet.ts'

/** What may hold secrets that would stand readable in git. */
export interface SearchedFleet {
  readonly stacks: readonly Pick<FleetStack, 'folder' | 'release'>[]
  /** Before they are bound: that leaves out Secrets which are made in the cluster. */
  readonly clusters: readonly FleetCluster[]
  readonly bound: readonly BoundFleetCluster[]
}

/** Looks for secrets that would stand readable in git, or that nothing would decrypt, in all that a run writes. */
export function findReadableSecrets(
  { stacks, clusters, bound }: SearchedFleet,
  handoff: HandoffConfig,
): readonly Diagnostic[] {
  const look = (folders: readonly RenderedFolder[], input: Omit<PlaintextInput, 'tool'>): readonly Diagnostic[] => {
    const about: FindingSubject =
      input.cluster === undefined ? { release: input.release } : clusterSubject(input.cluster)
    return [...findPlaintext(folders, { ...input, tool: handoff.tool }), ...findUndecrypted(folders, handoff)].map(
      (finding) => withSubject(finding, about),
    )
  }
  return [
    ...stacks.flatMap(({ folder, release }) => look([folder], { release: formatTag(release.name) })),
    ...clusters.flatMap(({ cluster, release, rendered }) =>
      look(rendered.folders, { release: formatTag(release.name), cluster }),
    ),
    ...bound
      .filter(({ input }) => input.isKept === true)
      .flatMap(({ input: { cluster, release, clusterFolder, addons } }) =>
        look([clusterFolder, ...addons], { release: formatTag(release.name), cluster, isKept: true }),
      ),
  ]
}
