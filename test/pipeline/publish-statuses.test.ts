import { describe, expect, it, onTestFinished } from 'vitest'
import type { PublishResult } from '../../src/pipeline/commands/publish-run.ts'
import type { TreeChange } from '../../src/model/tree-change.ts'
import { check, type CheckOptions } from '../../src/pipeline/commands/check.ts'
import { portsWith, publishFrom, type PublishedFleet, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { classOf, makeRolloutFleet, writeCluster } from '../../tools/fleets/rollout-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { MemoryForge } from '../support/memory-forge.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const releases = ['1-34-v1', '1-34-v2', '1-35-v1', '1-36-v1']
const statuses = 'statuses: {addons: ["kustomization/{unit}/*"], class: ["rollout/{namespace}/{cluster}"]}'

interface Place {
  readonly fleet: PublishedFleet
  readonly memory: MemoryForge
  readonly run: () => Promise<PublishResult>
  /** Publishes, and gives the step of the cluster that main has then. */
  readonly step: () => Promise<string>
  /** Changes the fleet as people do, on top of what main has. */
  readonly edit: (change: () => void) => Promise<void>
}

/** A fleet of one cluster at 1.34 that is to go to a release. */
async function place(publish: string): Promise<Place> {
  const fleet = await servePublishedFleet(await tempFolder())
  onTestFinished(() => fleet.server.close())
  const { author } = fleet
  makeRolloutFleet(author, {
    releases,
    clusters: [{ name: 'one', release: '1-34-v1' }],
    spec: [`publish: {forge: {kind: gitea, plainHttp: true}, ${publish}}`],
  })
  author.git('fetch', '--quiet', 'origin')
  await author.render()
  await fleet.push()
  const clone = await fleet.clone('ci')
  const memory = new MemoryForge(await fleet.clone('people'), fleet.repository.path)
  const run = (): Promise<PublishResult> => publishFrom(clone, { openForge: () => Promise.resolve(memory.forge) })
  const edit = async (change: () => void): Promise<void> => {
    author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    change()
    await fleet.push()
  }
  const step = async (): Promise<string> => {
    await run()
    return stepOf(fleet)
  }
  return { fleet, memory, run, edit, step }
}

/** What main has of the cluster: `class, addons`. */
function stepOf({ repository }: PublishedFleet): string {
  const text = repository.git(['show', 'main:rendered/clusters/team/one/cluster/cluster-one.yaml'])
  const [, className = ''] = /class: docker-lab-(\S+)/.exec(text) ?? []
  const [, addons = className] = /addons-release: docker-lab-(\S+)/.exec(text) ?? []
  return `${className}, addons ${addons}`
}

const reports = {
  addons: (memory: MemoryForge, state: 'success' | 'pending' | 'failure' | 'skipped', commit?: string) => {
    memory.report('kustomization/one/6f1a', 'success', commit)
    memory.report('kustomization/one-addons/6f1a', state, commit)
  },
  class: (memory: MemoryForge, state: 'success' | 'pending' | 'failure', commit?: string) => {
    memory.report('rollout/team/one', state, commit)
  },
}

describe('the next step of an upgrade', { timeout: 180_000 }, () => {
  it('follows when the statuses of the one before are successful, minor by minor, until one fails', async () => {
    const { fleet, memory, run, step, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-36-v1' }))
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    const missing = await run()
    const since = memory.main()
    expect(missing).toMatchObject({ status: 'unchanged', findings: [] })
    expect(missing.waiting).toEqual(
      ['kustomization/one-addons/*', 'kustomization/one/*'].map((context) => ({
        cluster: 'team/one',
        step: 'addons',
        release: classOf('1-35-v1'),
        since,
        context,
        state: 'missing',
      })),
    )
    expect(missing.steps.map(({ due }) => [due.action, due.before])).toEqual([
      [
        'wait',
        [
          `Commit status kustomization/one-addons/* of commit ${since.slice(0, 12)}, or of a later one, is successful.`,
          `Commit status kustomization/one/* of commit ${since.slice(0, 12)}, or of a later one, is successful.`,
          "The GitOps tool has applied this commit's addons of one: unit one-addons is ready, and so are the addons' pods.",
          'The next step follows then. If you have checked all of this yourself, write `addonsApplied: docker-lab-1-35-v1` under spec.upgrade in clusters/team/one/options.yaml.',
        ],
      ],
    ])
    reports.addons(memory, 'pending')
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    reports.addons(memory, 'success')
    expect(await step()).toBe('1-35-v1, addons 1-35-v1')
    // those of the commit before do not count
    expect(await step()).toBe('1-35-v1, addons 1-35-v1')
    reports.class(memory, 'success')
    expect(await step()).toBe('1-35-v1, addons 1-36-v1')
    reports.addons(memory, 'failure')
    const failed = await run()
    expect(stepOf(fleet)).toBe('1-35-v1, addons 1-36-v1')
    expect(failed.findings).toEqual([
      {
        code: 'PUBLISH_STATUS_FAILED',
        severity: 'error',
        message: `the upgrade of team/one stops at the addons of docker-lab-1-36-v1: commit status kustomization/one-addons/* has failed on commit ${memory.main().slice(0, 12)}`,
        hint: 'Mend what it is about: the upgrade goes on once it is successful on that commit, or on a later one.',
        about: { cluster: 'team/one' },
      },
    ])
    reports.addons(memory, 'skipped')
    const skipped = await run()
    expect(stepOf(fleet)).toBe('1-35-v1, addons 1-36-v1')
    expect(skipped.findings).toEqual([
      {
        code: 'PUBLISH_STATUS_FAILED',
        severity: 'error',
        message: `the upgrade of team/one stops at the addons of docker-lab-1-36-v1: commit status kustomization/one-addons/* was skipped, or is neutral, on commit ${memory.main().slice(0, 12)}`,
        hint: 'A job is skipped where one that it needs has failed, or by its own condition. Mend that, and let it run: the upgrade goes on once it is successful on that commit, or on a later one.',
        about: { cluster: 'team/one' },
      },
    ])
    reports.addons(memory, 'success')
    expect(await step()).toBe('1-36-v1, addons 1-36-v1')
    expect(await run()).toMatchObject({ status: 'unchanged', waiting: [] })
  })

  it('is not judged before it is due: a check waits for what publish waits for', async () => {
    const { fleet, step, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    fleet.author.git('pull', '--quiet', '--rebase', 'origin', 'main')
    const changesWhere = async (options: Pick<CheckOptions, 'awaited'>): Promise<number> => {
      let changes = -1
      const change = (found: TreeChange): void => {
        changes = found.changes.length
      }
      const all = { start: fleet.author.folder, clusters: [], stacks: [], ...options }
      await check(all, portsWith(), () => undefined, { unit: () => undefined, change })
      return changes
    }
    expect(await changesWhere({ awaited: () => Promise.resolve(['It is green.']) })).toBe(0)
    expect(await changesWhere({ awaited: () => Promise.resolve([]) })).toBe(await changesWhere({}))
    expect(await changesWhere({})).toBeGreaterThan(0)
  })

  it('counts what is reported on later commits, while the rest of the fleet goes on', async () => {
    const { fleet, memory, run, step, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    await step()
    const brought = memory.main()
    await edit(() => writeCluster(fleet.author, { name: 'two', release: '1-34-v1' }))
    expect(await run()).toMatchObject({ status: 'published', clusters: ['team/two'] })
    reports.addons(memory, 'success', brought)
    // Flux has seen a later commit, and fails there
    reports.addons(memory, 'failure')
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    await edit(() => fleet.author.write('README.md', 'Hello\n'))
    reports.addons(memory, 'pending')
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    await edit(() => fleet.author.write('README.md', 'Hello again\n'))
    reports.addons(memory, 'success')
    expect(await step()).toBe('1-35-v1, addons 1-35-v1')
  })

  it('does not keep people from replacing addons that fail, or from saying that they run', async () => {
    const { fleet, memory, step, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-34-v2' }))
    expect(await step()).toBe('1-34-v1, addons 1-34-v2')
    reports.addons(memory, 'failure')
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-34-v1' }))
    expect(await step()).toBe('1-34-v1, addons 1-34-v1')
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    await edit(() => {
      fleet.author.write(
        'clusters/team/one/options.yaml',
        'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {upgrade: {addonsApplied: docker-lab-1-35-v1}}\n',
      )
    })
    expect(await step()).toBe('1-35-v1, addons 1-35-v1')
  })

  it('is proposed when the pull request of the one before is merged and green', async () => {
    const { fleet, memory, run, edit } = await place(`pullRequest: {autoMerge: squash}, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    await run()
    expect(memory.writes.splice(0)).toEqual([
      'create stackmason/lab/main into main',
      'merge 1 by squash',
      'update 1: body',
    ])
    memory.merge(1)
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(memory.writes).toEqual([])
    reports.addons(memory, 'success')
    await run()
    expect(memory.writes.splice(0)).toEqual([
      'create stackmason/lab/main into main',
      'merge 2 by squash',
      'update 2: body',
    ])
    memory.merge(2)
    expect(stepOf(fleet)).toBe('1-35-v1, addons 1-35-v1')
  })

  it('tells of files as the repository has them, and so the same in each run', async () => {
    const { fleet, memory, run, edit } = await place(`pullRequest: {autoMerge: squash}, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    await run()
    memory.merge(1)
    reports.addons(memory, 'success')
    await edit(() => fleet.author.write('clusters/team/one/values/web.yaml', 'message: a\n'))
    const { steps } = await run()
    expect(steps[0]?.due.before[0]).toContain(`: ${fleet.root}/ci/rendered/clusters/team/one/`)
    memory.writes.splice(0)
    const [open] = memory.open()
    expect(open?.body).toContain('it may not be applied: rendered/clusters/team/one/')
    expect(open?.body).not.toContain(fleet.root)
    expect(await run()).toMatchObject({ status: 'unchanged' })
    expect(memory.writes).toEqual([])
  })

  it("waits on an author's branch, too, for what is reported of its base", async () => {
    const { fleet, memory, step, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => writeCluster(fleet.author, { name: 'one', release: '1-35-v1' }))
    expect(await step()).toBe('1-34-v1, addons 1-35-v1')
    const clone = await fleet.clone('feature')
    const publishFeature = async (message: string): Promise<readonly string[]> => {
      fleet.author.git('fetch', '--quiet', 'origin')
      fleet.author.git('checkout', '--quiet', '-B', 'feature', 'origin/main')
      fleet.author.write('README.md', message)
      await fleet.push(`feature-${message}`)
      const openForge = (): Promise<MemoryForge['forge']> => Promise.resolve(memory.forge)
      const { status, waiting } = await publishFrom(clone, { branch: `feature-${message}`, openForge })
      const text = fleet.repository.git([
        'show',
        `feature-${message}:rendered/clusters/team/one/cluster/cluster-one.yaml`,
      ])
      return [
        status,
        /class: docker-lab-(\S+)/.exec(text)?.[1] ?? '',
        ...waiting.map(({ context, state }) => `${context} ${state}`),
      ]
    }
    reports.addons(memory, 'pending')
    expect(await publishFeature('a')).toEqual(['unchanged', '1-34-v1', 'kustomization/one-addons/* pending'])
    reports.addons(memory, 'success')
    expect(await publishFeature('b')).toEqual(['published', '1-35-v1'])
  })

  it('waits where nothing tells which forge reports, and that is said', async () => {
    const { fleet, edit } = await place(`into: branch, ${statuses}`)
    await edit(() => {
      fleet.author.edit('stackmason.yaml', 'kind: gitea, ', '')
      writeCluster(fleet.author, { name: 'one', release: '1-35-v1' })
    })
    const clone = await fleet.clone('other')
    await publishFrom(clone)
    const result = await publishFrom(clone)
    expect(stepOf(fleet)).toBe('1-34-v1, addons 1-35-v1')
    expect(result.findings.map(({ code }) => code)).toEqual(['PUBLISH_STATUS_UNKNOWN'])
    expect(result.waiting).toHaveLength(2)
  })

  it.each([
    { into: 'branch', acts: 'pp', want: ['1-34-v1, addons 1-35-v1', '1-35-v1, addons 1-35-v1'] },
    {
      into: 'pullRequest',
      acts: 'ppmpmp',
      want: [
        '1-34-v1, addons 1-34-v1',
        '1-34-v1, addons 1-34-v1',
        '1-34-v1, addons 1-35-v1',
        '1-35-v1, addons 1-35-v1',
      ],
    },
  ])('without statuses and a forge follows what is on the branch: into $into', async ({ into, acts, want }) => {
    const { fleet, edit } = await place(`into: ${into}`)
    await edit(() => {
      fleet.author.edit('stackmason.yaml', 'kind: gitea, ', '')
      writeCluster(fleet.author, { name: 'one', release: '1-35-v1' })
    })
    const clone = await fleet.clone('other')
    const steps: string[] = []
    for (const act of acts) {
      // publishes, or merges as people do
      if (act === 'p') {
        await publishFrom(clone)
        steps.push(stepOf(fleet))
      } else fleet.repository.git(['update-ref', 'refs/heads/main', 'stackmason/lab/main'])
    }
    expect(steps).toEqual(want)
  })
})
