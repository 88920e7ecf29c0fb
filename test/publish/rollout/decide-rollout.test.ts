import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { CommitStatus } from '../../../src/model/forge.ts'
import { formatClassName, parseClassName } from '../../../src/model/release-name.ts'
import type { ReleaseName } from '../../../src/model/release.ts'
import type { WaveConfig } from '../../../src/model/rollout-config.ts'
import {
  decideRollout,
  type RolloutCluster,
  type RolloutDecision,
} from '../../../src/publish/rollout/decide-rollout.ts'
import { compareReleases } from '../../../src/publish/rollout/next-release.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2027-01-04T08:00:00Z')

function release(short: string): ReleaseName {
  return parseClassName(`docker-lab-${short}`)
}

function wave(name: string, rest = 0, hold?: string): WaveConfig {
  const clusters = { matchLabels: new Map([['wave', name]]), matchExpressions: [] }
  return { name, clusters, rest: rest * HOUR, ...(hold !== undefined && { hold }) }
}

const offered = ['1-34-v1', '1-34-v2', '1-35-v1', '1-36-v1', '1-36-v2'].map(release)

/** A cluster that stands at a release since long, and is well. */
function cluster(name: string, inWave: string, at: string, change: Partial<RolloutCluster> = {}): RolloutCluster {
  return {
    namespace: 'team',
    name,
    labels: new Map([['wave', inWave]]),
    wanted: release(at),
    isAtRest: true,
    since: new Date(NOW - 100 * HOUR).toISOString(),
    status: 'success',
    awaited: [],
    offered,
    ...change,
  }
}

function decide(
  waves: readonly WaveConfig[],
  clusters: readonly RolloutCluster[],
  { kubernetesVersion, others = [] }: { readonly kubernetesVersion?: string; readonly others?: readonly string[] } = {},
): RolloutDecision {
  return decideRollout({
    rollout: { waves, ...(kubernetesVersion !== undefined && { kubernetesVersion }) },
    clusters,
    labels: [...clusters.map(({ labels }) => labels), ...others.map((name) => new Map([['wave', name]]))],
    now: NOW,
  })
}

/** `wave state release reason > moves`. */
function told({ waves }: RolloutDecision): readonly string[] {
  return waves.map(({ wave: name, state, release: at = '-', reason = '', moves }) => {
    const goes = moves.map((move) => `${move.cluster.name} to ${short(formatClassName(move.release))}`).join(', ')
    return [name, state, short(at), reason, goes === '' ? '' : `> ${goes}`].filter((text) => text !== '').join(' ')
  })
}

function short(className: string): string {
  return className.replace('docker-lab-', '')
}

const missing = { status: 'missing', awaited: ['class/x is missing'] } as const
const failing = { status: 'failure', awaited: ['class/x has failed'] } as const
const skipped = { status: 'skipped', awaited: ['class/x was skipped, or is neutral'] } as const

const cases: readonly {
  readonly name: string
  readonly waves?: readonly WaveConfig[]
  readonly clusters: readonly RolloutCluster[]
  readonly options?: Parameters<typeof decide>[2]
  readonly want: readonly string[]
}[] = [
  {
    name: 'a status that was skipped stops a wave',
    clusters: [cluster('a', 'one', '1-34-v1', skipped), cluster('b', 'two', '1-34-v1')],
    want: ['one stopped 1-34-v1 team/a: class/x was skipped, or is neutral', 'two waiting 1-34-v1 wave one is stopped'],
  },
  {
    name: 'the first wave takes the newest, minor by minor; the next one waits',
    clusters: [cluster('a', 'one', '1-34-v1'), cluster('b', 'two', '1-34-v1')],
    want: ['one proposed 1-34-v1 > a to 1-35-v1', 'two waiting 1-34-v1 wave one is at docker-lab-1-34-v1'],
  },
  {
    name: 'the next wave takes what the one before is at, and nothing newer',
    clusters: [cluster('a', 'one', '1-35-v1'), cluster('b', 'two', '1-34-v1')],
    want: ['one proposed 1-35-v1 > a to 1-36-v2', 'two proposed 1-34-v1 > b to 1-35-v1'],
  },
  {
    name: 'no further than the minor that the fleet names',
    clusters: [cluster('a', 'one', '1-35-v1'), cluster('b', 'two', '1-34-v2')],
    options: { kubernetesVersion: '1.35' },
    want: ['one done 1-35-v1', 'two proposed 1-34-v2 > b to 1-35-v1'],
  },
  {
    name: 'a wave is through when all of its clusters are',
    clusters: [cluster('a', 'one', '1-34-v2'), cluster('c', 'one', '1-34-v1'), cluster('b', 'two', '1-34-v1')],
    options: { kubernetesVersion: '1.34' },
    want: ['one proposed 1-34-v1 > c to 1-34-v2', 'two waiting 1-34-v1 wave one is at docker-lab-1-34-v1'],
  },
  {
    name: 'steps are to come',
    clusters: [cluster('a', 'one', '1-34-v2', { isAtRest: false }), cluster('b', 'two', '1-34-v1')],
    want: [
      'one waiting 1-34-v2 team/a: steps of an upgrade are to come',
      'two waiting 1-34-v1 wave one is not through',
    ],
  },
  {
    name: 'nobody has reported',
    clusters: [cluster('a', 'one', '1-34-v2', missing), cluster('b', 'two', '1-34-v1')],
    want: ['one waiting 1-34-v2 team/a: class/x is missing', 'two waiting 1-34-v1 wave one is not through'],
  },
  {
    name: 'a wave that fails stops, and those behind it wait',
    clusters: [cluster('a', 'one', '1-34-v2', failing), cluster('b', 'two', '1-34-v1')],
    want: ['one stopped 1-34-v2 team/a: class/x has failed', 'two waiting 1-34-v1 wave one is stopped'],
  },
  {
    name: 'a wave rests',
    waves: [wave('one', 101), wave('two')],
    clusters: [cluster('a', 'one', '1-34-v2'), cluster('b', 'two', '1-34-v1')],
    options: { kubernetesVersion: '1.34' },
    want: ['one done 1-34-v2', 'two waiting 1-34-v1 wave one rests until 2027-01-04T09:00:00.000Z'],
  },
  {
    name: 'the rest begins with the last cluster',
    waves: [wave('one', 99), wave('two')],
    clusters: [
      cluster('a', 'one', '1-34-v2'),
      cluster('c', 'one', '1-34-v2', { since: new Date(NOW).toISOString() }),
      cluster('b', 'two', '1-34-v1'),
    ],
    options: { kubernetesVersion: '1.34' },
    want: ['one done 1-34-v2', 'two waiting 1-34-v1 wave one rests until 2027-01-08T11:00:00.000Z'],
  },
  {
    name: 'a held wave holds those behind it',
    waves: [wave('one', 0, 'freeze'), wave('two')],
    clusters: [cluster('a', 'one', '1-34-v2'), cluster('b', 'two', '1-34-v1')],
    want: ['one held 1-34-v2 freeze', 'two waiting 1-34-v1 wave one is held'],
  },
  {
    name: 'a held cluster is left out',
    clusters: [
      cluster('a', 'one', '1-34-v1', { held: 'is frozen' }),
      cluster('c', 'one', '1-34-v2'),
      cluster('b', 'two', '1-34-v1'),
    ],
    options: { kubernetesVersion: '1.34' },
    want: ['one done 1-34-v2', 'two proposed 1-34-v1 > b to 1-34-v2'],
  },
  {
    name: 'a wave of held clusters proves nothing',
    clusters: [cluster('a', 'one', '1-34-v2', { held: 'is frozen' }), cluster('b', 'two', '1-34-v1')],
    want: ['one held - team/a is frozen', 'two waiting 1-34-v1 all clusters of wave one are held'],
  },
  {
    name: 'a wave without clusters of the stack passes on',
    waves: [wave('zero'), wave('one')],
    clusters: [cluster('a', 'one', '1-34-v1')],
    options: { others: ['zero'], kubernetesVersion: '1.34' },
    want: ['zero empty -', 'one proposed 1-34-v1 > a to 1-34-v2'],
  },
  {
    name: 'a wave whose labels nobody has may be misspelt',
    waves: [wave('zero'), wave('one')],
    clusters: [cluster('a', 'one', '1-34-v1')],
    want: ['zero waiting - no cluster of the fleet has its labels', 'one waiting 1-34-v1 wave zero has no cluster'],
  },
  {
    name: 'what is not on offer to a cluster',
    clusters: [
      cluster('a', 'one', '1-34-v2'),
      cluster('b', 'two', '1-34-v1', { offered: ['1-34-v1', '1-34-v3'].map(release) }),
    ],
    options: { kubernetesVersion: '1.34' },
    want: ['one done 1-34-v2', 'two waiting 1-34-v1 team/b: docker-lab-1-34-v2 is not on offer for it'],
  },
  {
    name: 'never back, and never over a minor that is not there',
    clusters: [
      cluster('a', 'one', '1-34-v2', { offered: ['1-34-v1', '1-36-v1'].map(release) }),
      cluster('b', 'two', '1-35-v1'),
    ],
    want: [
      'one waiting 1-34-v2 team/a: no release of 1.35 is on offer for it',
      'two waiting 1-35-v1 wave one is at docker-lab-1-34-v2',
    ],
  },
]

describe('a wave', () => {
  it.each(cases)('$name', ({ waves = [wave('one'), wave('two')], clusters, options, want }) => {
    expect(told(decide(waves, clusters, options))).toEqual(want)
  })
})

test('clusters in no wave, in two, or without an order are left, and that is said', () => {
  const both = { name: 'both', clusters: { matchLabels: new Map(), matchExpressions: [] }, rest: 0 }
  const { left } = decide(
    [wave('one'), { ...both, clusters: { ...both.clusters, matchLabels: new Map([['extra', 'x']]) } }],
    [
      cluster('a', 'none', '1-34-v1'),
      cluster('b', 'one', '1-34-v1', {
        labels: new Map([
          ['wave', 'one'],
          ['extra', 'x'],
        ]),
      }),
      cluster('c', 'one', '1-34-v0-sha.abc1234'),
      cluster('d', 'one', '1-34-v1'),
    ],
  )
  expect(left).toEqual([
    { cluster: 'team/a', reason: 'no wave has its labels' },
    { cluster: 'team/b', reason: 'waves one and both have its labels' },
    { cluster: 'team/c', reason: 'its version has no order' },
  ])
})

/** What happens to a fleet between two runs: to all that it concerns in a wave, or to one cluster. */
type Event =
  | { readonly does: 'merge' | 'step' | 'report'; readonly wave: number }
  | { readonly does: 'fail' | 'hold'; readonly cluster: number }
  | { readonly does: 'edit'; readonly cluster: number; readonly release: number }
  | { readonly does: 'time'; readonly hours: number }
  | { readonly does: 'offer' }

const shorts = ['1-34-v1', '1-34-v2', '1-35-v1', '1-35-v2', '1-36-v1', '1-37-v1', '1-37-v2']
const rests = [24, 5, 0]
/** The wave of each cluster. */
const homes = [0, 0, 1, 1, 2]

const waveNumber = fc.nat(rests.length - 1)
const clusterNumber = fc.nat(homes.length - 1)
const events: fc.Arbitrary<Event> = fc.oneof(
  ...(['merge', 'step', 'report'] as const).map((does) => ({
    weight: 12,
    arbitrary: fc.record({ does: fc.constant(does), wave: waveNumber }),
  })),
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('fail' as const, 'hold'), cluster: clusterNumber }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('edit' as const),
      cluster: clusterNumber,
      release: fc.nat(shorts.length - 1),
    }),
  },
  { weight: 12, arbitrary: fc.record({ does: fc.constant('time' as const), hours: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.constant<Event>({ does: 'offer' }) },
)

interface Member {
  wanted: string
  isAtRest: boolean
  since: number
  status: CommitStatus
  isHeld: boolean
}

const waves = rests.map((rest, index) => wave(`w${String(index)}`, rest))

function decideAt(
  fleet: readonly Member[],
  { now, known }: { readonly now: number; readonly known: number },
): RolloutDecision {
  const clusters = fleet.map(({ wanted, isAtRest, since, status, isHeld }, index) =>
    cluster(`c${String(index)}`, `w${String(homes[index])}`, wanted, {
      isAtRest,
      since: new Date(since).toISOString(),
      status,
      awaited: status === 'success' ? [] : [`x ${status}`],
      offered: shorts.slice(0, known).map(release),
      ...(isHeld && { held: 'is frozen' }),
    }),
  )
  const labels = waves.map(({ name }) => new Map([['wave', name]]))
  return decideRollout({ rollout: { waves }, clusters, labels, now })
}

/** What is wrong with the moves of a wave. */
function wrongMoves({ waves: decided }: RolloutDecision, fleet: readonly Member[], now: number): readonly string[] {
  return decided.flatMap(({ moves }, index) =>
    moves.flatMap(({ cluster: at, release: to }) => {
      const own = fleet[Number(at.name.slice(1))]
      const from = release(own?.wanted ?? '')
      const before = fleet.filter(({ isHeld }, other) => homes[other] === index - 1 && !isHeld)
      const isThrough = before.every(
        ({ wanted, isAtRest, status, since }) =>
          isAtRest &&
          status === 'success' &&
          compareReleases(release(wanted), to) >= 0 &&
          now - since >= (rests[index - 1] ?? 0) * HOUR,
      )
      return [
        ...(own?.isAtRest === true && own.status === 'success' && !own.isHeld ? [] : ['it is not well']),
        ...(compareReleases(to, from) > 0 ? [] : ['it goes back']),
        ...(to.kubernetes.minor - from.kubernetes.minor <= 1 ? [] : ['it skips a minor']),
        ...(index === 0 || (before.length > 0 && isThrough) ? [] : ['the wave before is not through']),
      ]
    }),
  )
}

test('whatever happens in between: no wave begins before the one before is through, and nobody skips a minor', () => {
  const moved = [0, 0, 0]
  fc.assert(
    fc.property(fc.array(events, { minLength: 60, maxLength: 120 }), (happens) => {
      const fleet = homes.map((): Member => ({
        wanted: '1-34-v1',
        isAtRest: true,
        since: 0,
        status: 'success',
        isHeld: false,
      }))
      let [now, known] = [0, 2]
      for (const event of happens) {
        const decision = decideAt(fleet, { now, known })
        expect(wrongMoves(decision, fleet, now)).toEqual([])
        if (event.does === 'time') now += event.hours * HOUR
        if (event.does === 'offer') known = Math.min(known + 1, shorts.length)
        if ('wave' in event) {
          const mine = fleet.filter((_, index) => homes[index] === event.wave)
          const moves = event.does === 'merge' ? (decision.waves[event.wave]?.moves ?? []) : []
          for (const { cluster: at, release: to } of moves)
            Object.assign(fleet[Number(at.name.slice(1))] ?? {}, {
              wanted: short(formatClassName(to)),
              isAtRest: false,
            })
          if (moves.length > 0) moved[event.wave]! += 1
          for (const member of mine.filter(({ isAtRest }) => !isAtRest && event.does === 'step'))
            Object.assign(member, { isAtRest: true, since: now, status: 'missing' })
          if (event.does === 'report') for (const member of mine) member.status = 'success'
        }
        const own = 'cluster' in event ? fleet[event.cluster] : undefined
        if (own === undefined) continue
        if (event.does === 'hold') own.isHeld = !own.isHeld
        if (event.does === 'fail') own.status = 'failure'
        if (event.does === 'edit')
          Object.assign(own, { wanted: shorts[Math.min(event.release, known - 1)], isAtRest: false })
      }
      // a run that is repeated decides the same
      expect(decideAt(fleet, { now, known })).toEqual(decideAt(fleet, { now, known }))
    }),
    { seed: 20_270_104, numRuns: 100 },
  )
  expect(moved.map((count) => count > 20)).toEqual([true, true, true])
})
