import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { itemsAt, textAt } from '../../src/model/field.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { runGit } from '../../tools/fleets/published-fleet.ts'
import { hasGitea, startGitea } from '../../tools/servers/gitea.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { builtProgram } from '../../tools/built-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

const file = parseGoYaml(readFileSync(join(packageFolder, 'ci/forgejo.yml'), 'utf8'))
const [publishing = '', checking = ''] = ['publish', 'check'].map((job) =>
  itemsAt(file, 'jobs', job, 'steps')
    .map((step) => textAt(step, 'run'))
    .join(''),
)

describe.skipIf(!hasGitea())('ci/forgejo.yml on a real Gitea', { timeout: 240_000 }, () => {
  test('publishes once, by a schedule updates the same pull request, and checks what people propose', async () => {
    const gitea = await startGitea()
    try {
      const token = await gitea.addUser('bot', ['write:repository', 'write:issue', 'write:user'])
      await gitea.ask('bot', { to: 'POST /user/repos', body: { name: 'fleet', default_branch: 'main' } })
      const root = await tempFolder()
      const author = labFleet(join(root, 'author'), ['publish: {forge: {kind: gitea, plainHttp: true}}'])
      author.git('init', '--quiet', '--initial-branch=main')
      author.commit()
      const address = `${gitea.url}/bot/fleet.git`
      await runGit(author.folder, ['push', '--quiet', address.replace('//', `//bot:${token}@`), 'main'])
      // what the checkout step leaves
      await runGit(root, ['clone', '--quiet', '--depth=1', address, 'checkout'])
      const basic = Buffer.from(`bot:${token}`).toString('base64')
      const checkout = join(root, 'checkout')
      await runGit(checkout, ['config', `http.${gitea.url}/.extraheader`, `AUTHORIZATION: basic ${basic}`])
      const bin = join(root, 'bin')
      mkdirSync(bin)
      const main = await builtProgram()
      const version = textAt(file, 'env', 'STACKMASON_VERSION')
      const fleetFolder = textAt(file, 'env', 'STACKMASON_FOLDER')
      const npx = `#!/bin/sh\n[ "$1 $2" = '--yes stackmason@${version}' ] || exit 9\nshift 2\nexec '${process.execPath}' '${main}' "$@"\n`
      writeFileSync(join(bin, 'npx'), npx)
      chmodSync(join(bin, 'npx'), 0o755)
      const run = (event: string, { script = publishing, ...more } = {}): Promise<number> =>
        new Promise((resolve) => {
          const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
            cwd: checkout,
            env: {
              PATH: `${bin}:${process.env['PATH'] ?? ''}`,
              HOME: root,
              GIT_CONFIG_NOSYSTEM: '1',
              STACKMASON_CACHE: join(root, 'cache'),
              STACKMASON_VERSION: version,
              STACKMASON_FOLDER: fleetFolder,
              CI: 'true',
              GITEA_ACTIONS: 'true',
              GITHUB_ACTIONS: 'true',
              GITHUB_SERVER_URL: gitea.url,
              GITHUB_REPOSITORY: 'bot/fleet',
              GITHUB_EVENT_NAME: event,
              GITHUB_REF: 'refs/heads/main',
              FORGEJO_TOKEN: token,
              ...more,
            },
            stdio: ['ignore', 'inherit', 'inherit'],
          })
          child.once('close', (code) => resolve(code ?? -1))
        })
      const pulls = async (): Promise<unknown> => gitea.ask('bot', { to: 'GET /repos/bot/fleet/pulls?state=all' })
      expect(await run('push')).toBe(0)
      expect(await pulls()).toMatchObject([{ number: 1, state: 'open', head: { ref: 'stackmason/lab/main' } }])
      const before = writtenOf(await pulls())
      expect(before).toContain('stackmason')
      expect(await run('push')).toBe(0)
      expect(writtenOf(await pulls())).toBe(before)
      expect(await run('schedule')).toBe(0)
      expect(await pulls()).toHaveLength(1)
      // somebody proposes a mistake
      author.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
      const commit = author.commit('Set nope')
      await runGit(author.folder, ['push', '--quiet', address.replace('//', `//bot:${token}@`), 'HEAD:feature'])
      const body = { title: 'Set nope', head: 'feature', base: 'main' }
      await gitea.ask('bot', { to: 'POST /repos/bot/fleet/pulls', body })
      await runGit(checkout, ['fetch', '--quiet', 'origin', '+refs/heads/*:refs/remotes/origin/*'])
      await runGit(checkout, ['checkout', '--quiet', '--detach', commit])
      const side = (ref: string, sha: string): object => ({ ref, sha, repo: { full_name: 'bot/fleet' } })
      const event = { pull_request: { number: 2, head: side('feature', commit), base: side('main', '') } }
      writeFileSync(join(root, 'event.json'), JSON.stringify(event))
      const asked = {
        script: checking,
        GITHUB_EVENT_PATH: join(root, 'event.json'),
        GITHUB_REF: 'refs/pull/2/head',
        GITHUB_BASE_REF: 'main',
        GITHUB_HEAD_REF: 'feature',
      }
      expect(await run('pull_request', asked)).toBe(1)
      expect(await gitea.ask('bot', { to: `GET /repos/bot/fleet/commits/${commit}/statuses` })).toMatchObject([
        { context: 'stackmason/lab', status: 'failure' },
      ])
      const comments = await gitea.ask('bot', { to: 'GET /repos/bot/fleet/issues/2/comments' })
      expect(comments).toMatchObject([{ body: expect.stringContaining('CLASS\\_VARIABLE\\_UNKNOWN') }])
    } finally {
      await gitea.close()
    }
  })
})

/** What somebody has written of pull requests: about their repositories Gitea learns more later. */
function writtenOf(pulls: unknown): string {
  return JSON.stringify(pulls, (key, value: unknown) => (key === 'repo' || key === 'repository' ? undefined : value))
}
