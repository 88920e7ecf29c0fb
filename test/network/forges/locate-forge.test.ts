import { expect, test } from 'vitest'
import { adviceOnForge, apiUrlOf, type ForgeHints, locateForge } from '../../../src/network/forges/locate-forge.ts'

interface Case {
  readonly remote: string
  readonly hints?: ForgeHints
  readonly variables?: Readonly<Record<string, string>>
  /** Kind, repository, and the root of the API. */
  readonly want: string
}

const actions = { GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://code.example.org' }
const forgejo = { ...actions, FORGEJO_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://example.org/forge/' }
const gitlab = { GITLAB_CI: 'true', CI_SERVER_URL: 'https://code.example.org:8443' }

test.each<Case>([
  { remote: 'https://github.com/acme/fleet.git', want: 'github acme/fleet https://api.github.com' },
  { remote: 'https://x-access-token:t@github.com/acme/fleet', want: 'github acme/fleet https://api.github.com' },
  { remote: 'git@github.com:acme/fleet.git', want: 'github acme/fleet https://api.github.com' },
  { remote: 'github.com:acme/fleet.git', want: 'github acme/fleet https://api.github.com' },
  { remote: 'ssh://git@github.com:22/acme/fleet.git/', want: 'github acme/fleet https://api.github.com' },
  { remote: 'https://acme.ghe.com/a/b', want: 'github a/b https://api.acme.ghe.com' },
  { remote: 'https://github.example.org/a/b', want: 'github a/b https://github.example.org/api/v3' },
  { remote: 'https://codeberg.org/a/b', want: 'gitea a/b https://codeberg.org/api/v1' },
  { remote: 'git@forgejo.example.org:a/b.git', want: 'gitea a/b https://forgejo.example.org/api/v1' },
  { remote: 'http://gitea.example.org:3000/a/b', want: 'gitea a/b http://gitea.example.org:3000/api/v1' },
  { remote: 'https://gitlab.com/a/b/c/d.git', want: 'gitlab a/b/c/d https://gitlab.com/api/v4' },
  { remote: 'https://code.example.org/a/b', want: 'undefined' },
  {
    remote: 'https://code.example.org/a/b',
    hints: { kind: 'gitea' },
    want: 'gitea a/b https://code.example.org/api/v1',
  },
  {
    remote: 'git@code.example.org:a/b',
    hints: { kind: 'gitlab', url: 'https://code.example.org:8443/' },
    want: 'gitlab a/b https://code.example.org:8443/api/v4',
  },
  {
    remote: 'https://example.org/forge/a/b',
    hints: { kind: 'gitea', url: 'https://example.org/forge' },
    want: 'gitea a/b https://example.org/forge/api/v1',
  },
  { remote: 'https://code.example.org/a/b', variables: actions, want: 'github a/b https://code.example.org/api/v3' },
  { remote: 'https://example.org/forge/a/b', variables: forgejo, want: 'gitea a/b https://example.org/forge/api/v1' },
  {
    remote: 'ssh://git@code.example.org:2222/a/b/c',
    variables: gitlab,
    want: 'gitlab a/b/c https://code.example.org:8443/api/v4',
  },
  { remote: 'https://other.example.org/a/b', variables: gitlab, want: 'undefined' },
  {
    remote: 'http://code.example.org:3000/a/b',
    variables: { GITEA_SERVER_URL: 'http://code.example.org:3000/' },
    want: 'gitea a/b http://code.example.org:3000/api/v1',
  },
  {
    remote: 'git@code.example.org:a/b.git',
    variables: { FORGEJO_SERVER_URL: 'https://code.example.org:8443' },
    want: 'gitea a/b https://code.example.org:8443/api/v1',
  },
  {
    remote: 'https://code.example.org/a/b',
    variables: { GH_HOST: 'code.example.org' },
    want: 'github a/b https://code.example.org/api/v3',
  },
  {
    remote: 'https://code.example.org/a/b/c',
    variables: { GITLAB_HOST: 'code.example.org' },
    want: 'gitlab a/b/c https://code.example.org/api/v4',
  },
  { remote: 'https://other.example.org/a/b', variables: { GITEA_SERVER_URL: 'https://x.org' }, want: 'undefined' },
  { remote: 'https://code.example.org/a/b', variables: { GITEA_SERVER_URL: 'https://' }, want: 'undefined' },
  {
    remote: 'https://code.example.org/a/b',
    hints: { kind: 'gitlab' },
    variables: { GITEA_SERVER_URL: 'https://code.example.org' },
    want: 'gitlab a/b https://code.example.org/api/v4',
  },
  {
    remote: 'https://code.example.org/a/b',
    variables: { ...actions, GITEA_SERVER_URL: 'https://code.example.org' },
    want: 'github a/b https://code.example.org/api/v3',
  },
  { remote: 'https://github.com/acme', want: 'undefined' },
  { remote: 'https://github.com/a/b/c', want: 'undefined' },
  { remote: 'https://github.com/a/b%2fc', want: 'undefined' },
  { remote: 'https://github.com/a/b%', want: 'undefined' },
  { remote: '/srv/git/fleet.git', want: 'undefined' },
  { remote: '../fleet.git', want: 'undefined' },
  { remote: 'file:///srv/git/fleet.git', want: 'undefined' },
  { remote: 'C:/fleet/a', want: 'undefined' },
])('$remote lies at $want', ({ remote, hints = {}, variables = {}, want }) => {
  const values = new Map(Object.entries(variables))
  const place = locateForge(remote, hints, { get: (name) => values.get(name) })
  expect(place === undefined ? 'undefined' : `${place.kind} ${place.repository} ${apiUrlOf(place)}`).toBe(want)
})

const whole = { kind: 'gitea', url: 'https://me:hunter2@git.example.org/forge' } as const
const path =
  'The remote is no address of a server: set its url to that of the repository on the forge (`git remote set-url`)'
const name = 'Name it in spec.publish.forge of stackmason.yaml (kind and url)'

test.each<{ readonly remote: string; readonly hints: ForgeHints; readonly want: string }>([
  { remote: '/srv/git/fleet.git', hints: {}, want: path },
  { remote: '../fleet.git', hints: whole, want: path },
  { remote: 'file:///srv/git/fleet.git', hints: whole, want: path },
  { remote: 'https://git.example.org/a/b', hints: {}, want: name },
  { remote: 'https://git.example.org/a/b', hints: { kind: 'gitea' }, want: name },
  {
    remote: 'https://git.example.org/forge/b',
    hints: whole,
    want: 'Set the url of the remote to that of a repository on the forge, such as https://git.example.org/forge/owner/name (`git remote set-url`)',
  },
])('what is missing for $remote with $hints', ({ remote, hints, want }) => {
  expect(adviceOnForge(remote, hints)).toBe(want)
})
