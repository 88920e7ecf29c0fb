import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import { lockName, type Lock, type LockedRelease, wayToLock } from '../../model/lock.ts'
import { formatTag, parseReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { selectReleases, stackWithMinor, type NeededRelease } from '../../render/stack/select-releases.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { fetchLockedRelease } from './fetch-release.ts'
import { openSource } from './open-source.ts'
import type { SelectedReleases } from './selected-releases.ts'
import { belongsTo, sourcesOf, stackKey } from './stack-sources.ts'
import { type AskingFleet, stackOf, wayToRelease } from './way-to-lock.ts'

/** What releases are chosen by. */
export interface LockedChoice {
  readonly lock: Lock
  readonly context: SourceContext
  /** The fleet as its files have it, where another one is asked about: only what files say gets into the lock. */
  readonly written?: FleetRepository
}

/**
 * Chooses releases as the lock says: every release that it gives to a ClusterStack, also those that no cluster uses any
 * more; `stackmason update` moves it. What the fleet asks for and the lock does not have is a problem.
 */
export function selectLocked(
  { fleet, clusterStacks }: FleetRepository,
  clusters: readonly Cluster[],
  { lock, context, written }: LockedChoice,
): SelectedReleases {
  const byStack = (clusterStack: ClusterStack): readonly LockedRelease[] =>
    lock.releases.filter(({ stacks }) => stacks.includes(stackKey(clusterStack)))
  const named = new Map(lock.releases.map((locked) => [locked.name, locked]))
  const offered = (clusterStack: ClusterStack): readonly ReleaseName[] =>
    byStack(clusterStack)
      .map((locked) => parseReleaseTag(locked.name))
      .filter((name) => belongsTo(name, clusterStack))
  const selection = selectReleases(clusterStacks, clusters, offered)
  const asking: AskingFleet =
    written === undefined
      ? { clusterStacks, needed: selection.needed }
      : {
          clusterStacks: written.clusterStacks,
          needed: selectReleases(written.clusterStacks, written.clusters, offered).needed,
        }
  const problems: Diagnostic[] = [
    ...selection.problems,
    ...selection.unserved.map((stack) => nothingLocked(stack, lock)),
  ]
  const needed = [...selection.needed]
  const has = (clusterStack: ClusterStack, tag: string): boolean =>
    byStack(clusterStack).some((locked) => locked.name === tag)
  for (const release of selection.needed) {
    const tag = formatTag(release.name)
    if (!has(release.clusterStack, tag)) problems.push(notLocked(release, named.get(tag), { asking, lock }))
  }
  for (const clusterStack of clusterStacks) {
    for (const locked of byStack(clusterStack)) {
      const known = needed.some(
        (release) => release.namespace === clusterStack.namespace && formatTag(release.name) === locked.name,
      )
      const name = parseReleaseTag(locked.name)
      if (known || !belongsTo(name, clusterStack)) continue
      needed.push({ namespace: clusterStack.namespace, name, clusterStack, at: clusterStack.at })
    }
  }
  return {
    ...selection,
    needed,
    problems,
    findings: [],
    read: async (release) => {
      const locked = named.get(formatTag(release.name))
      if (locked === undefined) throw new StackmasonError(notLocked(release, undefined, { asking, lock }))
      const config = sourcesOf(fleet, release.clusterStack).find((source) => source.name === locked.source)
      if (config === undefined) throw new StackmasonError(otherSource(release, locked, lock))
      return fetchLockedRelease(locked, config, {
        name: release.name,
        context,
        open: () => openSource(config, context),
      })
    },
  }
}

function notLocked(
  release: NeededRelease,
  elsewhere: LockedRelease | undefined,
  { asking, lock }: { readonly asking: AskingFleet; readonly lock: Lock },
): Diagnostic {
  const tag = formatTag(release.name)
  const stack = stackOf(release, asking)
  const place = stack === undefined ? `namespace ${release.namespace}` : `ClusterStack ${stackKey(stack)}`
  return {
    code: 'LOCK_MISSING',
    severity: 'error',
    message:
      elsewhere === undefined
        ? `release ${tag} is not in ${lockName(lock)}`
        : `${lockName(lock)} has release ${tag} for ${elsewhere.stacks.join(', ') || 'no ClusterStack'}, but not for ${place}`,
    at: release.at,
    hint: wayToLock(lock, wayToRelease(release, asking)),
  }
}

/** Only the lock was asked: whether a source has one, `update` finds out. */
function nothingLocked(clusterStack: ClusterStack, { standIn }: Lock): Diagnostic {
  const stack = stackKey(clusterStack)
  return {
    code: 'LOCK_MISSING',
    severity: 'error',
    message: `${lockName({ standIn })} has no stable release of ${stackWithMinor(clusterStack)} for ClusterStack ${stack}, which subscribes`,
    at: clusterStack.at,
    hint: wayToLock({ standIn }, `Run \`stackmason update --stack ${stack}\` and commit stackmason.lock.`),
  }
}

function otherSource({ at }: NeededRelease, locked: LockedRelease, { standIn }: Lock): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `${lockName({ standIn })} takes release ${locked.name} from source "${locked.source}", which the fleet does not use for it`,
    at: locked.at ?? at,
    hint: wayToLock({ standIn }, `Put the source back, or run \`stackmason update --release ${locked.name}\`.`),
  }
}
