import type { CommitStatus } from '../../model/forge.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { RolloutConfig, WaveConfig } from '../../model/rollout-config.ts'
import { selects } from './label-selector.ts'
import { compareReleases, newerReleases, nextRelease } from './next-release.ts'

/** A cluster of a stack, as the base branch has it. */
export interface RolloutCluster extends ObjectName {
  readonly labels: ReadonlyMap<string, string>
  /** The release that cluster.yaml asks for. */
  readonly wanted: ReleaseName
  /** Why it is left alone: frozen, suspended, held, to be deleted. */
  readonly held?: string | undefined
  /** True if the tree of the branch has all of `wanted`, and no step follows. */
  readonly isAtRest: boolean
  /** When the branch got what the tree has, RFC 3339; absent: nobody knows. */
  readonly since?: string | undefined
  /** The report about it. */
  readonly status: CommitStatus
  /** Which statuses are not successful. */
  readonly awaited: readonly string[]
  /** On offer where its classes are. */
  readonly offered: readonly ReleaseName[]
}

/** The inputs of deciding a rollout. */
export interface RolloutSituation {
  readonly rollout: Pick<RolloutConfig, 'waves' | 'kubernetesVersion'>
  /** Those of one stack. */
  readonly clusters: readonly RolloutCluster[]
  /** The labels of all clusters of the fleet. */
  readonly labels: readonly ReadonlyMap<string, string>[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A cluster that gets another release. */
export interface RolloutMove {
  readonly cluster: ObjectName
  readonly release: ReleaseName
}

/**
 * `done`: nothing newer is on offer; `proposed`: its clusters may get a newer release; `waiting`: they may not yet;
 * `stopped`: one of them fails; `held`: somebody says so; `empty`: no cluster of the stack is in it.
 */
export type WaveState = 'done' | 'proposed' | 'waiting' | 'stopped' | 'held' | 'empty'

/** Where a wave stands. */
export interface WaveDecision {
  readonly wave: string
  /** `namespace/name`, in order. */
  readonly clusters: readonly string[]
  /** The oldest release that a cluster of it asks for, by class name. */
  readonly release?: string | undefined
  readonly state: WaveState
  /** One clause. */
  readonly reason?: string
  /** When the next wave may follow, if that is all that is waited for; RFC 3339. */
  readonly restsUntil?: string | undefined
  readonly moves: readonly RolloutMove[]
}

/** Where a stack stands. */
export interface RolloutDecision {
  readonly waves: readonly WaveDecision[]
  /** Clusters that no wave moves: `namespace/name`, and why. */
  readonly left: readonly { readonly cluster: string; readonly reason: string }[]
}

/**
 * The result of a wave for the next one: a release; or why there is none. The first wave takes any release on offer.
 */
type Proof = 'anything' | { readonly release: ReleaseName; readonly wave: string } | { readonly reason: string }

/**
 * Decides what each wave of a stack does. A wave takes the release at which the one before stands: all of its clusters,
 * on the branch, reported as successful, and rested. All of it is read from the branch as it is now, so what somebody
 * changes by hand counts as if a wave had done it.
 */
export function decideRollout({ rollout, clusters, labels, now }: RolloutSituation): RolloutDecision {
  const { waves } = rollout
  const maxMinor = minorOf(rollout.kubernetesVersion)
  const members = new Map<WaveConfig, RolloutCluster[]>(waves.map((wave) => [wave, []]))
  const left: { readonly cluster: string; readonly reason: string }[] = []
  for (const cluster of clusters.toSorted(byPath)) {
    const mine = waves.filter((wave) => selects(wave.clusters, cluster.labels))
    const [wave, second] = mine
    const reason =
      cluster.wanted.version.channel !== 'stable'
        ? 'its version has no order'
        : wave === undefined
          ? 'no wave has its labels'
          : second === undefined
            ? undefined
            : `waves ${mine.map(({ name }) => name).join(' and ')} have its labels`
    if (reason !== undefined) left.push({ cluster: objectPath(cluster), reason })
    else if (wave !== undefined) members.get(wave)?.push(cluster)
  }
  const decisions: WaveDecision[] = []
  let proof: Proof = 'anything'
  for (const wave of waves) {
    const isUnknown = !labels.some((one) => selects(wave.clusters, one))
    const own = members.get(wave) ?? []
    const decided = decideWave({ wave, own, isUnknown }, { proof, now, maxMinor })
    decisions.push(decided.decision)
    proof = decided.proof
  }
  return { waves: decisions, left }
}

interface WaveMembers {
  readonly wave: WaveConfig
  readonly own: readonly RolloutCluster[]
  /** True if no cluster of the fleet has its labels: they may be misspelt. */
  readonly isUnknown: boolean
}

interface WaveBefore {
  readonly proof: Proof
  readonly now: number
  readonly maxMinor: number | undefined
}

interface DecidedWave {
  readonly decision: WaveDecision
  readonly proof: Proof
}

function decideWave({ wave, own, isUnknown }: WaveMembers, before: WaveBefore): DecidedWave {
  const { name } = wave
  const common = { wave: name, clusters: own.map(objectPath), moves: [] }
  if (own.length === 0) {
    if (!isUnknown) return { decision: { ...common, state: 'empty' }, proof: before.proof }
    const reason = 'no cluster of the fleet has its labels'
    return { decision: { ...common, state: 'waiting', reason }, proof: { reason: `wave ${name} has no cluster` } }
  }
  const active = own.filter(({ held }) => held === undefined)
  const [first, ...others] = active.map(({ wanted }) => wanted)
  const end = (state: WaveState, reason: string, next = `wave ${name} is not through`): DecidedWave => ({
    decision: { ...common, release: lowest === undefined ? undefined : formatClassName(lowest), state, reason },
    proof: { reason: next },
  })
  const lowest = first && others.reduce((a, b) => (compareReleases(b, a) < 0 ? b : a), first)
  if (wave.hold !== undefined) return end('held', wave.hold, `wave ${name} is held`)
  if (lowest === undefined) {
    const reasons = own.map(({ held = '', ...cluster }) => `${objectPath(cluster)} ${held}`)
    return end('held', reasons.join('; '), `all clusters of wave ${name} are held`)
  }
  const named = (clusters: readonly RolloutCluster[]): string =>
    clusters.map((cluster) => `${objectPath(cluster)}: ${cluster.awaited.join(', ')}`).join('; ')
  const failed = active.filter(({ status }) => status === 'failure' || status === 'skipped')
  if (failed.length > 0) return end('stopped', named(failed), `wave ${name} is stopped`)
  const moving = active.filter(({ isAtRest }) => !isAtRest)
  if (moving.length > 0) return end('waiting', `${moving.map(objectPath).join(', ')}: steps of an upgrade are to come`)
  const unknown = active.filter(({ status }) => status !== 'success')
  if (unknown.length > 0) return end('waiting', named(unknown))
  return decideStanding(wave, { active, lowest }, { ...before, common })
}

/** A wave whose clusters all stand, and are well. */
function decideStanding(
  { name, rest }: WaveConfig,
  { active, lowest }: { readonly active: readonly RolloutCluster[]; readonly lowest: ReleaseName },
  { proof, now, maxMinor, common }: WaveBefore & { readonly common: Omit<WaveDecision, 'state'> },
): DecidedWave {
  const [moves, blocked]: [RolloutMove[], string[]] = [[], []]
  let isNewer = false
  for (const cluster of active) {
    const choice = {
      current: cluster.wanted,
      offered: cluster.offered,
      maxMinor,
      limit: typeof proof === 'object' && 'release' in proof ? proof.release : undefined,
    }
    if (newerReleases(choice).length > 0) isNewer = true
    const next = typeof proof === 'object' && 'reason' in proof ? undefined : nextRelease(choice)
    if (next === undefined) continue
    const { namespace, name: own } = cluster
    if ('release' in next) moves.push({ cluster: { namespace, name: own }, release: next.release })
    else blocked.push(`${objectPath(cluster)}: ${next.blocked}`)
  }
  const known = active.map(({ since }) => (since === undefined ? Number.NaN : Date.parse(since)))
  const rested = Math.max(...known) + rest
  const isRested = rest === 0 || now >= rested
  const until = Number.isNaN(rested) ? undefined : new Date(rested).toISOString()
  const after: Proof = isRested
    ? { release: lowest, wave: name }
    : { reason: until === undefined ? `nobody knows how long wave ${name} rests` : `wave ${name} rests until ${until}` }
  const decision = {
    ...common,
    release: formatClassName(lowest),
    restsUntil: isRested ? undefined : until,
  }
  if (moves.length > 0) return { decision: { ...decision, state: 'proposed', moves }, proof: after }
  if (blocked.length > 0)
    return { decision: { ...decision, state: 'waiting', reason: blocked.join('; ') }, proof: after }
  if (!isNewer || proof === 'anything') return { decision: { ...decision, state: 'done' }, proof: after }
  const reason = 'reason' in proof ? proof.reason : `wave ${proof.wave} is at ${formatClassName(proof.release)}`
  return { decision: { ...decision, state: 'waiting', reason }, proof: after }
}

function byPath(a: ObjectName, b: ObjectName): number {
  return objectPath(a) < objectPath(b) ? -1 : 1
}

function minorOf(version: string | undefined): number | undefined {
  const minor = version?.split('.')[1]
  return minor === undefined ? undefined : Number(minor)
}
