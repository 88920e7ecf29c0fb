import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { labFleet } from '../../tools/fleets/lab-fleet.ts'
import { portsWith, publishFrom, runGit } from '../../tools/fleets/published-fleet.ts'
import { makeRolloutFleet } from '../../tools/fleets/rollout-fleet.ts'
import { type GiteaServer, hasGitea, startGitea } from '../../tools/servers/gitea.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const spec = [
  'publish: {forge: {kind: gitea, plainHttp: true, credentialsFrom: {token: FORGE_TOKEN}}, statuses: {addons: ["kustomization/{unit}/*"], class: ["rollout/{cluster}"]}}',
  'rollouts: [{waves: [{name: all, clusters: {matchLabels: {stage: dev}}}]}]',
]

describe.skipIf(!hasGitea())('on a real Gitea', { timeout: 240_000 }, () => {
  let gitea: GiteaServer
  // before a test has git see nothing of its configuration: it wants to write one
  beforeAll(async () => {
    gitea = await startGitea()
  }, 120_000)
  afterAll(() => gitea.close())

  test('a wave and its steps follow each other, each when the statuses of the one before are successful', async () => {
    const token = await gitea.addUser('bot', ['write:repository', 'write:issue', 'write:user'])
    await gitea.ask('bot', { to: 'POST /user/repos', body: { name: 'fleet', default_branch: 'main' } })
    const root = await tempFolder()
    const author = labFleet(join(root, 'author'))
    makeRolloutFleet(author, {
      releases: ['1-34-v1', '1-34-v2'],
      clusters: [{ name: 'one', labels: { stage: 'dev' }, release: '1-34-v1' }],
      spec,
    })
    await author.render()
    author.git('init', '--quiet', '--initial-branch=main')
    author.commit()
    const address = `${gitea.url}/bot/fleet.git`
    await runGit(author.folder, ['push', '--quiet', address.replace('//', `//bot:${token}@`), 'main'])
    await runGit(root, ['clone', '--quiet', address, 'ci'])
    const clone = new FleetFolder(join(root, 'ci'))
    const run = async (): Promise<string> => {
      const { status, target, rollouts } = await publishFrom(clone, {}, portsWith({ FORGE_TOKEN: token }))
      const states = rollouts.flatMap(({ waves }) => waves.map((wave) => wave.state))
      return `${status} ${target.head?.replace('stackmason/lab/', '') ?? ''} ${states.join(' ')}`
    }
    const tip = async (): Promise<string> => {
      const branch = await gitea.ask('bot', { to: 'GET /repos/bot/fleet/branches/main' })
      return /"commit":\{"id":"(\w+)"/.exec(JSON.stringify(branch))?.[1] ?? ''
    }
    const report = async (state: string, ...contexts: readonly string[]): Promise<void> => {
      const to = `POST /repos/bot/fleet/statuses/${await tip()}`
      for (const context of contexts) await gitea.ask('bot', { to, body: { context, state } })
    }
    const merge = async (number: number): Promise<void> => {
      const body = { Do: 'merge', delete_branch_after_merge: true }
      // it looks first whether the branch merges
      await expect
        .poll(() => gitea.ask('bot', { to: `POST /repos/bot/fleet/pulls/${String(number)}/merge`, body }), {
          timeout: 30_000,
          interval: 500,
        })
        .toBeUndefined()
    }
    const units = ['kustomization/one/6f1a2b3c', 'kustomization/one-addons/6f1a2b3c']
    expect(await run()).toBe('unchanged main waiting')
    await report('success', ...units, 'rollout/one')
    expect(await run()).toBe('published main--rollout.docker-lab.all proposed')
    await merge(1)
    await report('pending', ...units)
    expect(await run()).toBe('unchanged main waiting')
    await report('success', ...units)
    expect(await run()).toBe('published main waiting')
    await merge(2)
    await report('failure', ...units)
    expect(await run()).toBe('unchanged main stopped')
    await report('success', ...units, 'rollout/one')
    expect(await run()).toBe('unchanged main done')
  })
})
