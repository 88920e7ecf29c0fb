import { expect, test } from 'vitest'
import { pushAuthorization } from '../../src/pipeline/publishing/push-authorization.ts'
import type { PublishForge } from '../../src/model/publish-config.ts'
import { portsWith } from '../../tools/fleets/published-fleet.ts'

interface Case {
  readonly name: string
  readonly url: string
  readonly forge?: Partial<PublishForge>
  readonly variables: Readonly<Record<string, string>>
  readonly want: string
}

const actions = { GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://code.example.org', GITHUB_TOKEN: 't1' }
const gitlab = { GITLAB_CI: 'true', CI_SERVER_URL: 'https://lab.example.org:8443', CI_JOB_TOKEN: 'job' }
const url = 'https://code.example.org/a/b.git'

test.each<Case>([
  { name: 'nothing', url, variables: {}, want: 'none' },
  { name: 'the token of its CI', url, variables: actions, want: 'x-access-token:t1' },
  {
    name: 'the token of Forgejo in its CI',
    url,
    variables: { ...actions, FORGEJO_ACTIONS: 'true', FORGEJO_TOKEN: 't2' },
    want: 'x-access-token:t2',
  },
  {
    name: 'the token of a Gitea outside of CI',
    url,
    variables: { GITEA_TOKEN: 't3', GITEA_SERVER_URL: 'https://code.example.org' },
    want: 'x-access-token:t3',
  },
  {
    name: "the token of GitHub's programs",
    url: 'https://github.com/a/b',
    variables: { GH_TOKEN: 't4' },
    want: 'x-access-token:t4',
  },
  {
    name: 'the token of a job, with its user',
    url: 'https://lab.example.org:8443/a/b.git',
    variables: gitlab,
    want: 'gitlab-ci-token:job',
  },
  {
    name: 'a token of GitLab, with its user',
    url: 'https://lab.example.org:8443/a/b.git',
    variables: { ...gitlab, GITLAB_TOKEN: 't5' },
    want: 'oauth2:t5',
  },
  { name: 'no token of another host', url: 'https://other.example.org/a/b', variables: actions, want: 'none' },
  { name: 'no token by ssh', url: 'git@code.example.org:a/b.git', variables: actions, want: 'none' },
  { name: 'no token without TLS', url: 'http://code.example.org/a/b', variables: actions, want: 'none' },
  {
    name: 'what the fleet names, and no other',
    url,
    forge: { credentials: { token: 'OURS' } },
    variables: { ...actions, OURS: 't6' },
    want: 'x-access-token:t6',
  },
  {
    name: 'no credentials that the fleet names for another host',
    url,
    forge: { url: 'https://other.example.org', credentials: { token: 'OURS' } },
    variables: { OURS: 't6' },
    want: 'none',
  },
])('git at $url is shown $name', async ({ url: address, forge, variables, want }) => {
  const publish = { forge: { plainHttp: false, ...forge } }
  const shown = await pushAuthorization(address, publish, portsWith(variables))
  const words = shown?.authorization.reveal().split(' ') ?? []
  expect(words.length === 2 ? Buffer.from(words[1] ?? '', 'base64').toString() : 'none').toBe(want)
  expect(variables[shown?.variables ?? '']).toBe(want === 'none' ? undefined : want.split(':')[1])
})
