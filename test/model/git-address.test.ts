import { expect, test } from 'vitest'
import { isOtherRepository } from '../../src/model/git-address.ts'

test.each([
  ['https://git.example.com/team/fleet.git', 'https://git.example.com/team/fleet', false],
  ['https://git.example.com/team/fleet.git/', 'git@GIT.example.com:Team/fleet.git', false],
  ['https://user@git.example.com:8443/team/fleet', 'ssh://git@git.example.com:2222/team/fleet', false],
  ['https://github.com/team/fleet', 'ssh://git@ssh.github.com:443/team/fleet.git', false],
  ['https://git.example.com/scm/team/fleet.git', 'ssh://git@git.example.com:7999/team/fleet.git', false],
  ['https://dev.azure.com/org/team/_git/fleet', 'git@ssh.dev.azure.com:v3/org/team/fleet', false],
  ['https://git.example.com/team/fleet', 'http://gitea.git.svc/team/fleet', false],
  ['https://git.example.com/team/fleet', 'git@work:team/fleet', false],
  ['https://git.example.com/team/fleet', 'http://10.0.0.1/team/fleet', false],
  ['/srv/git/live.git', 'https://git.example.com/team/fleet', false],
  ['file:///srv/git/live.git', 'https://git.example.com/team/fleet', false],
  ['https://git.example.com', 'https://git.example.com/team/fleet', false],
  ['https://git.example.com/team/live', 'https://git.example.com/team/fleet', true],
  ['git@git.example.com:team/live.git', 'https://git.example.com/team/fleet', true],
  ['https://git.example.com/team/fleet', 'https://git.example.org/team/fleet', true],
  ['git@work:team/live', 'https://git.example.com/team/fleet', true],
])('%s and %s name different repositories: %s', (one, other, want) => {
  expect([isOtherRepository(one, other), isOtherRepository(other, one)]).toEqual([want, want])
})
