import type { ClusterStack } from '../../model/fleet.ts'
import { formatTag, formatVersion } from '../../model/release-name.ts'
import { type NeededRelease, stackToAdd } from '../../render/stack/select-releases.ts'
import { belongsTo, stackKey } from './stack-sources.ts'

/** What a fleet asks for: `stackmason update` locks that and nothing else. */
export interface AskingFleet {
  readonly clusterStacks: readonly ClusterStack[]
  readonly needed: readonly NeededRelease[]
}

/** A release in a namespace. */
type PlacedRelease = Pick<NeededRelease, 'namespace' | 'name'>

/** The ClusterStack of a fleet that can have a release in a namespace. */
export function stackOf(
  { namespace, name }: PlacedRelease,
  { clusterStacks }: Pick<AskingFleet, 'clusterStacks'>,
): ClusterStack | undefined {
  return clusterStacks.find((stack) => stack.namespace === namespace && belongsTo(name, stack))
}

/** What to do so that stackmason.lock has a release that it lacks; a sentence or two. */
export function wayToRelease(release: PlacedRelease, asking: AskingFleet): string {
  const { namespace, name } = release
  const tag = formatTag(name)
  const stack = stackOf(release, asking)
  if (stack === undefined)
    return `No ClusterStack in namespace ${namespace} is about it: ${stackToAdd(name)}, run \`stackmason update\` and commit stackmason.lock. ${WHETHER_OFFERED}`
  const key = stackKey(stack)
  const update = `\`stackmason update --stack ${key}\` and commit stackmason.lock.`
  if (asking.needed.some((other) => other.namespace === namespace && formatTag(other.name) === tag))
    return `Run ${update}`
  if (stack.autoSubscribe)
    return `Run \`stackmason update --release ${tag}\` and commit stackmason.lock. ${WHETHER_OFFERED}`
  const version = formatVersion(name.version, 'dot')
  return `Add ${version} to spec.versions of ClusterStack ${key}, run ${update} ${WHETHER_OFFERED}`
}

/** Nobody has asked for the release yet, so it may be nowhere. */
const WHETHER_OFFERED = '`stackmason list` shows what sources offer.'
