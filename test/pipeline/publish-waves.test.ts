import { describe, expect, it, onTestFinished } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { Forge } from '../../src/model/forge.ts'
import type { Ports } from '../../src/model/ports.ts'
import type { PublishResult } from '../../src/pipeline/commands/publish-run.ts'
import { portsWith, publishFrom, type PublishedFleet, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { makeRolloutFleet, type RolloutCluster } from '../../tools/fleets/rollout-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { MemoryForge } from '../support/memory-forge.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const HOUR = 3_600_000
const START = Date.parse('2027-01-04T08:00:00Z')

interface Place {
  readonly fleet: PublishedFleet
  readonly memory: MemoryForge
  /** The clock of the forge and of the program; in hours since the start. */
  readonly wait: (hours: number) => void
  /** Publishes, and gives the waves: `name state release`. */
  readonly run: (forge?: Partial<Forge>) => Promise<PublishResult>
  readonly waves: () => Promise<readonly string[]>
  /** Merges what is open. */
  readonly merge: () => readonly string[]
  /** Merges and reports, until nothing is proposed but what a wave wants. */
  readonly edit: (change: () => void) => Promise<void>
  readonly releaseOf: (name: string) => string
}

async function place(
  clusters: readonly RolloutCluster[],
  waves: readonly string[],
  releases: readonly string[],
): Promise<Place> {
  const fleet = await servePublishedFleet(await tempFolder())
  onTestFinished(() => fleet.server.close())
  const { author } = fleet
  makeRolloutFleet(author, {
    releases,
    clusters,
    spec: [
      'publish: {forge: {kind: gitea, plainHttp: true}, statuses: {addons: ["addons/{cluster}"], class: ["class/{cluster}"]}}',
      `rollouts: [{waves: [${waves.join(', ')}]}]`,
    ],
  })
  await author.render()
  await fleet.push()
  const clone = await fleet.clone('ci')
  const memory = new MemoryForge(await fleet.clone('people'), fleet.repository.path)
  let now = START
  const ports: Ports = { ...portsWith(), clock: { ...portsWith().clock, now: () => now } }
  const run: Place['run'] = (forge = {}) =>
    publishFrom(clone, { openForge: () => Promise.resolve({ ...memory.forge, ...forge }) }, ports)
  return {
    fleet,
    memory,
    wait: (hours) => {
      now += hours * HOUR
    },
    run,
    waves: async () =>
      (await run()).rollouts.flatMap((rollout) =>
        rollout.waves.map(({ wave, state, release = '-', reason = '' }) =>
          [wave, state, release.replace('docker-lab-', ''), reason].join(' ').trim(),
        ),
      ),
    merge: () =>
      memory.open().map(({ number, head }) => {
        memory.merge(number, new Date(now).toISOString())
        return head.replace('stackmason/lab/main', 'main')
      }),
    edit: async (change) => {
      author.git('pull', '--quiet', '--rebase', 'origin', 'main')
      change()
      await fleet.push()
    },
    releaseOf: (name) => {
      const text = fleet.repository.git(['show', `main:clusters/team/${name}/cluster.yaml`])
      return `${/class: docker-lab-(\S+)/.exec(text)?.[1] ?? ''} ${/version: (\S+)/.exec(text)?.[1] ?? ''}`
    },
  }
}

function green(memory: MemoryForge, ...names: readonly string[]): void {
  for (const name of names) for (const kind of ['addons', 'class']) memory.report(`${kind}/${name}`, 'success')
}

const stages: readonly RolloutCluster[] = [
  { name: 'dev', labels: { stage: 'dev' }, release: '1-34-v1' },
  { name: 'prod', labels: { stage: 'prod' }, release: '1-34-v1' },
]
const twoWaves = [
  '{name: canary, clusters: {matchLabels: {stage: dev}}, rest: 24h}',
  '{name: production, clusters: {matchExpressions: [{key: stage, operator: In, values: [prod]}]}}',
]

describe('a release', () => {
  it('reaches the next wave when the one before is on the branch, green and rested', { timeout: 180_000 }, async () => {
    const { fleet, memory, wait, run, waves, merge, releaseOf } = await place(stages, twoWaves, ['1-34-v1', '1-34-v2'])
    expect(await waves()).toEqual([
      'canary waiting 1-34-v1 team/dev: addons/dev is missing, class/dev is missing',
      'production waiting 1-34-v1 team/prod: addons/prod is missing, class/prod is missing',
    ])
    green(memory, 'dev', 'prod')
    expect(await waves()).toEqual([
      'canary proposed 1-34-v1',
      'production waiting 1-34-v1 wave canary is at docker-lab-1-34-v1',
    ])
    expect(memory.writes.splice(0)).toEqual(['create stackmason/lab/main--rollout.docker-lab.canary into main'])
    // again: nothing is written
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(memory.writes).toEqual([])
    expect(merge()).toEqual(['main--rollout.docker-lab.canary'])
    expect(releaseOf('dev')).toBe('1-34-v2 "v1.34.1"')
    const text = fleet.repository.git(['show', 'main:clusters/team/dev/cluster.yaml'])
    expect(text).toContain('# dev, ask platform before you touch it\n')
    expect(text).toContain('    class: docker-lab-1-34-v2 # the release\n')
    const moving = [
      'canary waiting 1-34-v2 team/dev: steps of an upgrade are to come',
      'production waiting 1-34-v1 wave canary is not through',
    ]
    expect(await waves()).toEqual(moving)
    memory.report('addons/dev', 'success')
    green(memory, 'prod')
    expect(await waves()).toEqual(moving)
    expect(merge()).toEqual(['main'])
    expect(await waves()).toEqual([
      'canary waiting 1-34-v2 team/dev: addons/dev is missing, class/dev is missing',
      'production waiting 1-34-v1 wave canary is not through',
    ])
    wait(2)
    green(memory, 'dev', 'prod')
    expect(await waves()).toEqual([
      'canary done 1-34-v2',
      'production waiting 1-34-v1 wave canary rests until 2027-01-05T08:00:00.000Z',
    ])
    wait(22)
    expect(await waves()).toEqual(['canary done 1-34-v2', 'production proposed 1-34-v1'])
    expect(merge()).toEqual(['main--rollout.docker-lab.production'])
    expect(releaseOf('prod')).toBe('1-34-v2 "v1.34.1"')
    memory.report('addons/prod', 'failure')
    const stopped = await run()
    expect(stopped.findings.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      [
        'PUBLISH_STATUS_FAILED',
        'error',
        `the upgrade of team/prod stops at the addons of docker-lab-1-34-v2: commit status addons/prod has failed on commit ${memory.main().slice(0, 12)}`,
      ],
      ['PUBLISH_WAVE_STOPPED', 'error', 'wave production of docker-lab stops: team/prod: addons/prod has failed'],
    ])
    expect(memory.open()).toEqual([])
  })

  it('goes minor by minor, and what people change in between counts', { timeout: 180_000 }, async () => {
    const wave = '{name: all, clusters: {matchLabels: {stage: dev}}}'
    const releases = ['1-34-v1', '1-34-v2', '1-35-v1', '1-36-v1']
    const { fleet, memory, waves, merge, edit, releaseOf } = await place(stages.slice(0, 1), [wave], releases)
    green(memory, 'dev')
    expect(await waves()).toEqual(['all proposed 1-34-v1'])
    // somebody is faster, and has another idea
    await edit(() => {
      fleet.author.edit('clusters/team/dev/cluster.yaml', '1-34-v1 # the release', '1-34-v2 # mine')
    })
    expect(await waves()).toEqual(['all waiting 1-34-v2 team/dev: steps of an upgrade are to come'])
    expect(memory.open().map(({ head }) => head)).toEqual(['stackmason/lab/main'])
    const merged: string[] = []
    while (merged.length < 4) {
      merged.push(...merge())
      green(memory, 'dev')
      await waves()
    }
    expect(merged).toEqual(['main', 'main', 'main--rollout.docker-lab.all', 'main'])
    expect(releaseOf('dev')).toBe('1-35-v1 "v1.35.1"')
    expect(fleet.repository.git(['show', 'main:clusters/team/dev/cluster.yaml'])).toContain('1-35-v1 # mine')
  })
})

it('a cluster.yaml that cannot be changed by itself holds back its wave', { timeout: 120_000 }, async () => {
  const { fleet, memory, run, edit } = await place(stages, twoWaves, ['1-34-v1', '1-34-v2'])
  await edit(() => {
    fleet.author.edit('clusters/team/dev/cluster.yaml', /class: (\S+) .*/, 'class: >-\n      $1')
  })
  green(memory, 'dev', 'prod')
  const result = await run()
  expect(result.findings.map(({ code, message }) => [code, message])).toEqual([
    ['PUBLISH_WAVE_EDIT', 'text of several lines is not replaced'],
  ])
  expect(result.proposals.map(({ group, status }) => [group, status])).toEqual([
    ['fleet', 'current'],
    ['rollout/docker-lab/canary', 'held'],
  ])
  const [wave] = result.rollouts[0]?.waves ?? []
  expect(wave).toMatchObject({ state: 'waiting', reason: 'text of several lines is not replaced' })
})

it('says of a wave whose newest release cannot be rendered that it waits, and what stays open', async () => {
  const { fleet, memory, run, edit, waves } = await place(stages.slice(0, 1), twoWaves.slice(0, 1), [
    '1-34-v1',
    '1-34-v2',
  ])
  green(memory, 'dev')
  expect(await waves()).toEqual(['canary proposed 1-34-v1'])
  const { author } = fleet
  await edit(() => {
    for (const path of author.filesBelow('providers/1-34'))
      author.write(`providers/broken/${path}`, author.read(`providers/1-34/${path}`))
    author.write('providers/broken/cluster-addon/web/templates/web.yaml', '{{ fail "not for this platform" }}\n')
    author.edit(
      'stackmason.yaml',
      /^ {4}- \{name: r1-34-v2/m,
      '    - {name: r1-34-v3, providerDirectory: {path: providers/broken, version: v3}}\n$&',
    )
    author.edit('stacks/team-1-34.yaml', 'v1, v2', 'v1, v2, v3')
  })
  green(memory, 'dev')
  const refusal = new StackmasonError({ code: 'PUBLISH_REFUSED', severity: 'error', message: 'not so' })
  const stays = await run({ updatePullRequest: () => Promise.reject(refusal) })
  expect(stays.findings.map(({ code }) => code)).toContain('PUBLISH_REFUSED')
  expect(stays.rollouts[0]?.waves[0]?.reason).toMatch(/; pull request 1 stays open with what it has$/)
  const { proposals, rollouts } = await run()
  const held = proposals.find(({ group }) => group === 'rollout/docker-lab/canary')
  expect(held).toMatchObject({ status: 'held', pullRequest: { action: 'update', number: 1 } })
  expect(held?.held).toMatch(/^it cannot be rendered: .*not for this platform/)
  const [wave] = rollouts[0]?.waves ?? []
  expect(wave?.state).toBe('waiting')
  expect(wave?.reason).toMatch(/not for this platform.*; pull request 1 is a draft until then$/)
  const isDraft = (): boolean | undefined => memory.open().find(({ number }) => number === 1)?.isDraft
  expect(isDraft()).toBe(true)
  // again: nothing is written
  memory.writes.splice(0)
  await run()
  expect(memory.writes).toEqual([])
  await edit(() =>
    author.write(
      'providers/broken/cluster-addon/web/templates/web.yaml',
      author.read('providers/1-34/cluster-addon/web/templates/web.yaml'),
    ),
  )
  green(memory, 'dev')
  await run()
  expect(isDraft()).toBe(false)
  expect(memory.writes).toContain('update 1: body, isDraft, title')
}, 240_000)
