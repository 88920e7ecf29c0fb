import { expect, test } from 'vitest'
import type { ForgeConfig } from '../../../src/model/forge.ts'
import { forgeAuthorization } from '../../../src/network/credentials/forge-authorization.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

interface Case {
  readonly name: string
  readonly kind: ForgeConfig['kind']
  readonly url: string
  readonly credentials?: ForgeConfig['credentials']
  readonly variables: Readonly<Record<string, string>>
  readonly want: string
}

const actions = { GITHUB_TOKEN: 't1', GITHUB_SERVER_URL: 'https://code.example.org' }
const gitlab = { CI_JOB_TOKEN: 'job', CI_SERVER_URL: 'https://lab.example.org:8443' }

test.each<Case>([
  { name: 'nothing', kind: 'github', url: 'https://github.com', variables: {}, want: 'none' },
  {
    name: 'GITHUB_TOKEN',
    kind: 'github',
    url: 'https://github.com',
    variables: { GITHUB_TOKEN: 't1' },
    want: 'Bearer t1',
  },
  { name: 'GH_TOKEN', kind: 'github', url: 'https://github.com', variables: { GH_TOKEN: ' t2\n' }, want: 'Bearer t2' },
  { name: 'a token of another forge', kind: 'github', url: 'https://github.com', variables: actions, want: 'none' },
  {
    name: 'the token of its CI',
    kind: 'github',
    url: 'https://code.example.org',
    variables: actions,
    want: 'Bearer t1',
  },
  {
    name: 'a token on another port',
    kind: 'github',
    url: 'https://code.example.org:444',
    variables: actions,
    want: 'none',
  },
  {
    name: 'GH_ENTERPRISE_TOKEN',
    kind: 'github',
    url: 'https://code.example.org',
    variables: { GH_ENTERPRISE_TOKEN: 't3', GH_HOST: 'code.example.org', GH_TOKEN: 't2' },
    want: 'Bearer t3',
  },
  {
    name: 'a token of nowhere',
    kind: 'gitea',
    url: 'https://code.example.org',
    variables: { GITEA_TOKEN: 't4', FORGEJO_TOKEN: 't5' },
    want: 'none',
  },
  {
    name: 'the token of Forgejo',
    kind: 'gitea',
    url: 'https://code.example.org',
    variables: { ...actions, FORGEJO_TOKEN: 't5' },
    want: 'Bearer t5',
  },
  {
    name: 'the token of its CI',
    kind: 'gitea',
    url: 'https://code.example.org',
    variables: actions,
    want: 'Bearer t1',
  },
  {
    name: 'a token for another Gitea',
    kind: 'gitea',
    url: 'https://code.example.org',
    variables: { GITEA_TOKEN: 't4', GITEA_SERVER_URL: 'https://other.example.org' },
    want: 'none',
  },
  {
    name: 'GITLAB_TOKEN',
    kind: 'gitlab',
    url: 'https://gitlab.com',
    variables: { GITLAB_TOKEN: 't6' },
    want: 'Bearer t6',
  },
  {
    name: 'GITLAB_TOKEN where its own CI runs',
    kind: 'gitlab',
    url: 'https://lab.example.org:8443',
    variables: { ...gitlab, GITLAB_TOKEN: 't6' },
    want: 'Bearer t6',
  },
  {
    name: 'the token of a job',
    kind: 'gitlab',
    url: 'https://lab.example.org:8443',
    variables: gitlab,
    want: 'Bearer job',
  },
  { name: 'the token of a job elsewhere', kind: 'gitlab', url: 'https://gitlab.com', variables: gitlab, want: 'none' },
  {
    name: 'what the fleet names, and no other',
    kind: 'gitlab',
    url: 'https://lab.example.org:8443',
    credentials: { token: 'OURS' },
    variables: { ...gitlab, OURS: 't7' },
    want: 'Bearer t7',
  },
  {
    name: 'what the fleet names, though it is empty',
    kind: 'gitlab',
    url: 'https://lab.example.org:8443',
    credentials: { token: 'OURS' },
    variables: gitlab,
    want: 'the variable OURS, which the fleet names for credentials, is not set',
  },
  {
    name: 'what is no token',
    kind: 'github',
    url: 'https://github.com',
    variables: { GITHUB_TOKEN: 'a b' },
    want: 'the variable GITHUB_TOKEN holds what no server takes as a token',
  },
])('$kind at $url is shown $name', async ({ kind, url, credentials, variables, want }) => {
  const values = new Map(Object.entries(variables))
  const ports = { ...createNodePorts(), environment: { get: (name: string) => values.get(name) } }
  const config = { kind, url, repository: 'a/b', plainHttp: false, ...(credentials !== undefined && { credentials }) }
  const shown = await Promise.resolve()
    .then(forgeAuthorization(config, ports))
    .then(
      (secret) => secret?.reveal() ?? 'none',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  expect(shown).toBe(want)
})
