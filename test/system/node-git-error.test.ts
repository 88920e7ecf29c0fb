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
