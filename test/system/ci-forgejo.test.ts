import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { itemsAt, textAt } from '../../src/model/field.ts'
import { labFleet } from '../../tools/fleets/lab-fleet.ts'
import { runGit } from '../../tools/fleets/published-fleet.ts'
import { hasGitea, startGitea } from '../../tools/servers/gitea.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { bundled } from '../../tools/bundled.ts'
import { tempFolder } from '../support/temp-folder.ts'

const file = parseGoYaml(readFileSync(join(packageFolder, 'ci/forgejo.yml'), 'utf8'))
const [script = ''] = itemsAt(file, 'jobs', 'publish', 'steps').flatMap((step) => textAt(step, 'run') || [])

describe.skipIf(!hasGitea())('ci/forgejo.yml on a real Gitea', { timeout: 240_000 }, () => {
  test('publishes from the default branch, once, and by a schedule updates the same pull request', async () => {
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
      const main = await bundled(join(packageFolder, 'src/main.ts'))
      const version = textAt(file, 'env', 'STACKMASON_VERSION')
      const npx = `#!/bin/sh\n[ "$1 $2" = '--yes stackmason@${version}' ] || exit 9\nshift 2\nexec '${process.execPath}' '${main}' "$@"\n`
      writeFileSync(join(bin, 'npx'), npx)
      chmodSync(join(bin, 'npx'), 0o755)
      const run = (event: string): Promise<number> =>
        new Promise((resolve) => {
          const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
            cwd: checkout,
            env: {
              PATH: `${bin}:${process.env['PATH'] ?? ''}`,
              HOME: root,
              GIT_CONFIG_NOSYSTEM: '1',
              STACKMASON_CACHE: join(root, 'cache'),
              STACKMASON_VERSION: version,
              CI: 'true',
              GITEA_ACTIONS: 'true',
              GITHUB_ACTIONS: 'true',
              GITHUB_SERVER_URL: gitea.url,
              GITHUB_REPOSITORY: 'bot/fleet',
              GITHUB_EVENT_NAME: event,
              GITHUB_REF: 'refs/heads/main',
              FORGEJO_TOKEN: token,
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
    } finally {
      await gitea.close()
    }
  })
})

/** What somebody has written of pull requests: about their repositories Gitea learns more later. */
function writtenOf(pulls: unknown): string {
  return JSON.stringify(pulls, (key, value: unknown) => (key === 'repo' || key === 'repository' ? undefined : value))
}
