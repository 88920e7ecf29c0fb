import { expect, test } from 'vitest'
import { parseGiteaPullRequest } from '../../../src/network/forges/gitea/gitea-pull-request.ts'

const given = {
  number: 3,
  html_url: 'https://forge.example/acme/fleet/pulls/3',
  state: 'open',
  merged: false,
  labels: null,
  head: { label: 'stackmason/fleet', ref: 'refs/pull/3/head', sha: 'a'.repeat(40), repo_id: 1 },
  base: { label: 'main', ref: 'main', sha: 'b'.repeat(40), repo_id: 1 },
}

test.each([
  { more: { title: 'WIP: Update', draft: true }, want: { title: 'Update', isDraft: true } },
  { more: { title: '[wip] Update', draft: true }, want: { title: 'Update', isDraft: true } },
  { more: { title: 'WIP: Update', draft: false }, want: { title: 'WIP: Update', isDraft: false } },
  { more: { title: 'WIP: Update' }, want: { title: 'Update', isDraft: true } },
  { more: { title: 'Update' }, want: { title: 'Update', isDraft: false } },
  { more: { title: 'WIP:', draft: true }, want: { title: 'WIP:', isDraft: true } },
  { more: { title: 'Update', state: 'closed', merged: true }, want: { state: 'merged' } },
  { more: { title: 'Update', state: 'closed' }, want: { state: 'closed' } },
  { more: { title: 'Update', head: { ...given.head, repo_id: 2 } }, want: { isFromFork: true } },
])('Gitea says $more, which is $want', ({ more, want }) => {
  expect(parseGiteaPullRequest({ ...given, ...more })).toMatchObject({ head: 'stackmason/fleet', labels: [], ...want })
})
