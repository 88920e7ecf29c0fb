import { joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { UnitStack } from '../../model/handoff.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, formatTag } from '../../model/release-name.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { openCommittedTree } from '../../sources/committed/committed-tree.ts'
import type { FleetLifecycle } from './fleet-lifecycle.ts'
import { keptStack } from './kept-stack.ts'

/** A release that cannot be rendered and that no cluster needs. */
export interface SkippedRelease {
  readonly finding: Diagnostic
  /** Its stack as the tree has it; undefined when the tree has none. */
  readonly stack: UnitStack | undefined
}

/** Skips a release, given why it cannot be rendered; undefined when it must not be skipped. */
export type SkipRelease = (
  release: NeededRelease,
  problems: readonly Diagnostic[],
) => Promise<SkippedRelease | undefined>

/** Names of the classes that a cluster of the fleet or of the tree uses, or has not left yet. */
export function usedClasses(
  { clusters }: Pick<FleetRepository, 'clusters'>,
  lifecycle: FleetLifecycle | undefined,
): ReadonlySet<string> {
  return new Set([
    ...clusters.map(({ className }) => className),
    ...(lifecycle?.needed ?? []).map(({ name }) => formatClassName(name)),
    ...(lifecycle?.committedClasses ?? []),
  ])
}

/**
 * Makes a {@link SkipRelease}: a release that no cluster uses yet must not stop those that run. One that a cluster of
 * the fleet or of the tree uses is never skipped, and none because of the network, the lock or this machine: the tree
 * must not depend on them.
 */
export function createSkipRelease(
  repository: FleetRepository,
  lifecycle: FleetLifecycle | undefined,
  ports: Ports,
): SkipRelease {
  const { fleet } = repository
  const used = usedClasses(repository, lifecycle)
  return async (release, problems) => {
    if (used.has(formatClassName(release.name)) || !problems.every(isFaultOfRelease)) return undefined
    const tree =
      lifecycle?.tree ?? (await openCommittedTree(joinPath(fleet.root, fleet.output), { from: 'disk' }, ports))
    const { namespace, name } = release
    const stack = await keptStack({ namespace, release: { name } }, tree)
    return {
      finding: skipped(release, problems, stack === undefined ? 'absent' : 'kept'),
      stack: stack && { ...stack, isUnused: true },
    }
  }
}

/** Begins the codes that say something of a release's content, wherever and whenever it is read. */
const OF_CONTENT = /^(?:RELEASE|ARCHIVE|CHART|TEMPLATE|OBJECT|NODE_IMAGE|SECRET)_/

/** Codes of that form that depend on what this machine has, or on how fast it is, or say that a name is wrong. */
const OF_RUN: ReadonlySet<Code> = new Set<Code>([
  'RELEASE_NOT_FOUND',
  'RELEASE_NAME_INVALID',
  'CHART_DEPENDENCY_MISSING',
  'TEMPLATE_LIMIT_TIME',
])

function isFaultOfRelease({ code }: Diagnostic): boolean {
  return OF_CONTENT.test(code) && !OF_RUN.has(code)
}

function skipped(
  { namespace, name, at: neededAt }: NeededRelease,
  [first, ...others]: readonly Diagnostic[],
  stack: 'kept' | 'absent',
): Diagnostic {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const effect = stack === 'kept' ? 'its stack stays as it is in the tree' : 'it is left out of the tree'
  const { at, file } = first ?? {}
  return {
    code: 'RELEASE_SKIPPED',
    severity: 'warning',
    message:
      `release ${formatTag(name)} cannot be rendered in namespace ${namespace}; no cluster uses it, so ${effect}: ` +
      `${first?.code ?? ''} ${first?.message ?? ''}${more}`,
    ...(at === undefined ? (file === undefined ? { at: neededAt } : { file }) : { at }),
    hint: first?.hint,
    about: { release: formatTag(name) },
  }
}
