import { addonName } from '../../model/addon-unit-key.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, Patch } from '../../model/fleet.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { matchesTarget } from '../../render/stack/patch.ts'
import type { LoadedReleases } from '../resolve/load-releases.ts'
import type { ClusterState, CommittedState, EndedState, RenderedState } from './cluster-state.ts'

/** The inputs that may be of use to a cluster that stays as it is committed. */
export interface KeptInputs {
  readonly cluster: Cluster
  /** Names of addons that its releases, its tree or itself have. */
  readonly addons: ReadonlySet<string>
  /** False where no source has its release any more: then the tree alone names addons, and none that is off. */
  readonly isReleaseKnown: boolean
  /** Patches that are for an object of it. */
  readonly patches: readonly Patch[]
}

/** A cluster that this run does not render. */
export type KeptState = CommittedState | EndedState

/** How {@link keptInputs} learns of a cluster. */
export interface KeptLookup {
  readonly loaded: Pick<LoadedReleases, 'byCluster' | 'releases'>
  /** True if a patch is to be judged: only then the cluster is looked at more closely. */
  readonly isAsked: (patch: Patch) => boolean
  /** The patches that are of use where the cluster is rendered after all. @throws StackmasonError */
  readonly usedPatches: (state: RenderedState) => Promise<readonly Patch[]>
}

/** True for a cluster that stays as it is committed, or of which nothing is written any more. */
export function isKeptState(state: ClusterState): state is KeptState {
  return state.kind !== 'rendered'
}

/**
 * Finds which inputs may be of use to a cluster that stays as it is: by its content in the tree, and by the releases
 * that it runs and that its inputs ask for. In doubt an input is of use: a freeze must not turn right files into
 * errors.
 */
export async function keptInputs(state: KeptState, lookup: KeptLookup): Promise<KeptInputs> {
  const { cluster, lifecycle } = state
  const releases = releasesOf(state, lookup)
  const committed = [...lifecycle.tree.addonUnits(cluster).keys()].map((path) => addonName(path))
  const own = cluster.addons.filter(({ chart, templates }) => chart !== undefined || templates !== undefined)
  const released = releases.flatMap(({ release }) => release.addons)
  return {
    cluster,
    addons: new Set([...released, ...own].map(({ name }) => name).concat(committed)),
    isReleaseKnown: releases.length > 0,
    patches: await patchesOf(state, releases, lookup),
  }
}

interface KnownRelease {
  readonly needed: NeededRelease
  readonly release: Release
}

function releasesOf({ cluster, needed }: KeptState, { loaded }: KeptLookup): readonly KnownRelease[] {
  const found = new Map<string, KnownRelease>()
  for (const one of [needed, loaded.byCluster.get(cluster)]) {
    const tag = one === undefined ? '' : formatTag(one.name)
    const release = loaded.releases.get(tag)
    if (one !== undefined && release !== undefined) found.set(tag, { needed: one, release })
  }
  return [...found.values()]
}

async function patchesOf(
  { kind, cluster, lifecycle }: KeptState,
  releases: readonly KnownRelease[],
  { isAsked, usedPatches }: KeptLookup,
): Promise<readonly Patch[]> {
  const asked = cluster.patches.filter(isAsked)
  if (asked.length === 0) return []
  const folders = kind === 'committed' ? await orNone(async () => (await lifecycle.tree.content(cluster)).folders) : []
  const manifests = folders.flatMap((folder) => folder.manifests)
  const used = asked.filter(({ target }) => manifests.some((manifest) => matchesTarget(manifest, target)))
  if (used.length === asked.length) return used
  // the tree lacks what is made in the cluster, such as Secrets, and what a GitOps tool must not see
  const rendered = releases.map(({ needed, release }) =>
    orNone(() => usedPatches({ kind: 'rendered', cluster, needed, release, lifecycle: undefined })),
  )
  return [...used, ...(await Promise.all(rendered)).flat()]
}

/** A cluster that cannot be read or rendered says nothing: what is wrong with it is told when it is kept no longer. */
async function orNone<Item>(find: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof StackmasonError) return []
    throw error
  }
}
