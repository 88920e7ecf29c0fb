import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import type { Lock, LockedRelease } from '../../model/lock.ts'
import { formatTag, parseReleaseTag } from '../../model/release-name.ts'
import { selectReleases, stackWithMinor, type NeededRelease } from '../../render/stack/select-releases.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { fetchLockedRelease } from './fetch-release.ts'
import { openSource } from './open-source.ts'
import type { SelectedReleases } from './selected-releases.ts'
import { belongsTo, sourcesOf } from './stack-sources.ts'

/** How the lock names a ClusterStack. */
export function stackKey({ namespace, name }: Pick<ClusterStack, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/**
 * Chooses releases as the lock says: every release that it gives to a ClusterStack, also those that no cluster uses any
 * more; `stackmason update` moves it. What the fleet asks for and the lock does not have is a problem.
 */
export function selectLocked(
  { fleet, clusterStacks }: FleetRepository,
  clusters: readonly Cluster[],
  { lock, context }: { readonly lock: Lock; readonly context: SourceContext },
): SelectedReleases {
  const byStack = (clusterStack: ClusterStack): readonly LockedRelease[] =>
    lock.releases.filter(({ stacks }) => stacks.includes(stackKey(clusterStack)))
  const named = new Map(lock.releases.map((locked) => [locked.name, locked]))
  const selection = selectReleases(clusterStacks, clusters, (clusterStack) =>
    byStack(clusterStack)
      .map((locked) => parseReleaseTag(locked.name))
      .filter((name) => belongsTo(name, clusterStack)),
  )
  const problems: Diagnostic[] = [...selection.problems, ...selection.unserved.map(nothingLocked)]
  const needed = [...selection.needed]
  const has = (clusterStack: ClusterStack, tag: string): boolean =>
    byStack(clusterStack).some((locked) => locked.name === tag)
  for (const release of selection.needed) {
    const tag = formatTag(release.name)
    if (!has(release.clusterStack, tag)) problems.push(notLocked(release, named.get(tag)))
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
      if (locked === undefined) throw new StackmasonError(notLocked(release, undefined))
      const config = sourcesOf(fleet, release.clusterStack).find((source) => source.name === locked.source)
      if (config === undefined) throw new StackmasonError(otherSource(release, locked))
      return fetchLockedRelease(locked, config, {
        name: release.name,
        context,
        open: () => openSource(config, context),
      })
    },
  }
}

function notLocked({ name, clusterStack, at }: NeededRelease, elsewhere: LockedRelease | undefined): Diagnostic {
  const tag = formatTag(name)
  const stack = stackKey(clusterStack)
  return {
    code: 'LOCK_MISSING',
    severity: 'error',
    message:
      elsewhere === undefined
        ? `release ${tag} is not in stackmason.lock`
        : `stackmason.lock has release ${tag} for ${elsewhere.stacks.join(', ') || 'no ClusterStack'}, but not for ClusterStack ${stack}`,
    at,
    hint: `Run \`stackmason update --stack ${stack}\` and commit stackmason.lock.`,
  }
}

/** Only the lock was asked: whether a source has one, `update` finds out. */
function nothingLocked(clusterStack: ClusterStack): Diagnostic {
  const stack = stackKey(clusterStack)
  return {
    code: 'LOCK_MISSING',
    severity: 'error',
    message: `stackmason.lock has no stable release of ${stackWithMinor(clusterStack)} for ClusterStack ${stack}, which subscribes`,
    at: clusterStack.at,
    hint: `Run \`stackmason update --stack ${stack}\` and commit stackmason.lock.`,
  }
}

function otherSource({ at }: NeededRelease, locked: LockedRelease): Diagnostic {
  return {
    code: 'LOCK_MISMATCH',
    severity: 'error',
    message: `stackmason.lock takes release ${locked.name} from source "${locked.source}", which the fleet does not use for it`,
    at: locked.at ?? at,
    hint: `Put the source back, or run \`stackmason update --release ${locked.name}\`.`,
  }
}
