import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { nodeDeadline } from '../../src/system/node-deadline.ts'
import { gitErrorOf } from '../../src/system/node-git-error.ts'
import { testGrowth } from '../support/growth.ts'

const authorization = new Secret(`Basic ${Buffer.from('user:hunter2Kanarienvogel').toString('base64')}`)

describe('what git prints, of twice the size, takes twice the steps:', () => {
  testGrowth(
    [
      'a',
      '://',
      'a://',
      'a://b',
      'a@',
      '@',
      'repository ',
      'repository not ',
      '\n',
      'fatal: x\n',
      'fatal: same',
      'user:hunter2Kanarienvogel',
      ' ',
      ' \n',
      '\0',
    ].map((unit) => ({ what: JSON.stringify(unit), make: (count: number) => unit.repeat(count) })),
    (text) => gitErrorOf(text, { url: 'https://git.example/x', authorization, timeout: 1 }),
  )
})

test.each(['repository ', 'a', 'a@'])('millions of characters of git are looked at soon: %s', (unit) => {
  const printed = unit.repeat(200_000)
  const message = nodeDeadline.within(5000, () => gitErrorOf(printed, undefined).message)
  expect(message).toBe(`${printed.trim().slice(0, 600)}…`)
})
