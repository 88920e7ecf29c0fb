import { expect, onTestFinished, test } from 'vitest'
import { githubProblems } from '../../../tools/servers/github-description.ts'
import { startGitHubServer } from '../../../tools/servers/github-server.ts'

const releases = Array.from({ length: 31 }, (_, index) => ({
  tag: `openstack-scs2-1-34-v${index + 1}`,
  files: [
    { name: 'metadata.yaml', content: 'a' },
    { name: 'old.tgz', content: 'b', digest: null },
  ],
}))

const token = 'ghp_stand_in'

test.each([
  { path: '/repos/acme/stacks', status: 200 },
  { path: '/repos/acme/stacks/releases', status: 200, items: 30 },
  { path: '/repos/acme/stacks/releases?per_page=100', status: 200, items: 32 },
  { path: '/repos/acme/stacks/releases?per_page=10&page=4', status: 200, items: 2 },
  { path: '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v3', status: 200 },
  { path: '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v99', status: 404 },
  { path: '/repos/acme/stacks/releases/32', status: 200 },
  { path: '/repos/acme/stacks/releases/2/assets', status: 200, items: 2 },
  { path: '/repos/acme/stacks/releases/assets/20001', status: 200 },
  { path: '/repos/acme/stacks/releases/assets/1', status: 404 },
  { path: '/repos/acme/other', status: 404 },
])('the stand-in answers $path as GitHub describes it', async ({ path, status, items }) => {
  const server = await startGitHubServer({
    token,
    releases: [...releases, { tag: 'openstack-scs2-1-35-v1', kind: 'draft' }],
  })
  onTestFinished(server.close)
  const answer = await fetch(server.apiUrl + path, { headers: { authorization: `Bearer ${token}` } })
  const body: unknown = await answer.json()
  expect(answer.status).toBe(status)
  expect(githubProblems({ path: path.replace(/\?.*/, ''), status, body })).toEqual([])
  expect(Array.isArray(body) ? body.length : undefined).toBe(items)
})

test('the description refuses what GitHub would not say', () => {
  const body = [{ tag_name: 5 }]
  const problems = githubProblems({ path: '/repos/acme/stacks/releases', status: 200, body })
  expect(problems).toContain('/0/tag_name must be string')
  expect(problems).toContain("/0 must have required property 'assets_url'")
  expect(githubProblems({ path: '/repos/acme/stacks/things', status: 200, body })).toEqual([
    'no path /repos/acme/stacks/things',
  ])
})

test('downloads are redirected to another host, as the description says', async () => {
  const server = await startGitHubServer({ releases })
  onTestFinished(server.close)
  const path = '/repos/acme/stacks/releases/assets/10000'
  const answer = await fetch(server.apiUrl + path, {
    headers: { accept: 'application/octet-stream' },
    redirect: 'manual',
  })
  expect(answer.status).toBe(302)
  expect(githubProblems({ path, status: 302, body: undefined })).toEqual([])
  expect(new URL(answer.headers.get('location') ?? '').host).not.toBe(new URL(server.apiUrl).host)
})
