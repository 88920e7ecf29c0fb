import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type GiteaServer, startGitea } from '../../../tools/servers/gitea.ts'
import type { ForgeWorld } from './forge-lab.ts'

/** The real Gitea with what a world has. */
export async function startGiteaWorld(): Promise<ForgeWorld & { readonly server: GiteaServer }> {
  const server = await startGitea()
  const { ask } = server
  const repository = '/repos/acme/fleet'
  const token = await server.addUser('bot', ['write:repository', 'write:issue'])
  await server.addUser('alice', ['write:repository'])
  await ask('admin', { to: 'POST /orgs', body: { username: 'acme' } })
  await ask('admin', { to: 'POST /orgs/acme/repos', body: { name: 'fleet', auto_init: true, default_branch: 'main' } })
  // starts Gitea once more for each branch, and looks at none but those of pull requests
  await rm(join(server.repositories, 'acme/fleet.git/hooks/update.d/gitea'))
  for (const name of ['bot', 'alice'])
    await ask('admin', { to: `PUT ${repository}/collaborators/${name}`, body: { permission: 'write' } })
  const team = { name: 'platform', permission: 'write', units: ['repo.code', 'repo.pulls'] }
  const made = await ask('admin', { to: 'POST /orgs/acme/teams', body: team })
  await ask('admin', { to: `PUT /teams/${String(Object.assign({ id: 0 }, made).id)}/repos/acme/fleet` })
  let files = 0
  const commit = async (user: string, place: string, branch: string): Promise<string> => {
    const answer = await ask(user, {
      to: `POST ${place}/contents/file-${++files}`,
      body: { content: btoa(`${files}\n`), message: `file ${files}`, branch: 'main', new_branch: branch },
    })
    return Object.assign({ commit: { sha: '' } }, answer).commit.sha
  }
  return {
    server,
    kind: 'gitea',
    url: server.url,
    token,
    readToken: await server.addToken('bot', ['read:repository', 'read:issue']),
    addBranch: (name) => commit('admin', repository, name),
    deleteBranch: async (name) => {
      await ask('admin', { to: `DELETE ${repository}/branches/${encodeURIComponent(name)}` })
    },
    merge: async (number) => {
      // Gitea looks after a push whether it can be merged
      for (let attempt = 0; ; attempt++) {
        try {
          await ask('admin', { to: `POST ${repository}/pulls/${number}/merge`, body: { Do: 'merge' } })
          return
        } catch (error) {
          if (attempt > 50 || !String(error).includes('try again later')) throw error
          await setTimeout(100)
        }
      }
    },
    close: async (number) => {
      await ask('admin', { to: `PATCH ${repository}/pulls/${number}`, body: { state: 'closed' } })
    },
    writeBody: async (number, body) => {
      await ask('admin', { to: `PATCH ${repository}/pulls/${number}`, body: { body } })
    },
    openFromFork: async (branch) => {
      await ask('alice', { to: `POST ${repository}/forks`, body: { name: 'fork' } })
      await commit('alice', '/repos/alice/fork', branch)
      const body = { title: 'from a fork', head: `alice:${branch}`, base: 'main' }
      await ask('alice', { to: `POST ${repository}/pulls`, body })
    },
    setStatus: async (sha, context, state) => {
      await ask('admin', { to: `POST ${repository}/statuses/${sha}`, body: { state, context } })
    },
    requireStatus: async (context) => {
      await ask('admin', {
        to: `POST ${repository}/branch_protections`,
        body: { rule_name: 'main', enable_status_check: true, status_check_contexts: [context], enable_push: false },
      })
    },
  }
}
