import { expect, test } from 'vitest'
import { gitErrorOf } from '../../src/system/node-git-error.ts'

test.each([
  ['file:///nope?x=hunter2', "fatal: '/nope?x=hunter2' does not appear to be a git repository"],
  ['file:///nope?x=hunter%202', "fatal: '/nope?x=hunter 2' does not appear to be a git repository"],
  ['file:///nope#hunter2', "fatal: '/nope#hunter2' does not appear to be a git repository"],
])('what is behind the path of %s is not repeated', (url, printed) => {
  const { reason, message } = gitErrorOf(printed, { url, timeout: 1000 })
  expect([reason, message]).toEqual(['not-found', "fatal: '/nope' does not appear to be a git repository"])
})

const untold = 'git failed; what it or a credential helper printed is not repeated, because it may hold a password'
const unread = "fatal: could not read Password for 'https://u@git.example': terminal prompts disabled"

test.each<[string, string]>([
  [`fatal: vault refused hunter2\n${unread}`, unread],
  [`error: no login hunter2\nERROR: hunter2\nu@h: hunter2\n${unread}`, unread],
  ['hunter2', untold],
  ['fatal: hunter2', untold],
  ['fatal: could not open vault with hunter2', untold],
  ['ssh: hunter2', untold],
  ["remote: No\nfatal: repository 'https://a/' not found", "remote: No; fatal: repository 'https://a/' not found"],
  ["error: failed to push some refs to 'https://a/'", "error: failed to push some refs to 'https://a/'"],
])('lines that only a credential helper may have written are not repeated: %j', (printed, want) => {
  const remote = { url: 'https://git.example/a.git', timeout: 1000 }
  expect(gitErrorOf(printed.replace('https://u@', 'https://'), remote).message).toBe(
    want.replace('https://u@', 'https://'),
  )
})

test.each<[string, string | undefined, string]>([
  ['ERROR: Repository not found.', 'git@git.example:a.git', 'ERROR: Repository not found.'],
  ['u@h: Permission denied (publickey).', 'ssh://u@h/a', 'u@h: Permission denied (publickey).'],
  ['fatal: anything', undefined, 'fatal: anything'],
  ['anything', undefined, 'anything'],
])('lines of servers behind SSH, and of git alone, are repeated: %j', (printed, url, want) => {
  expect(gitErrorOf(printed, url === undefined ? undefined : { url, timeout: 1000 }).message).toBe(want)
})
