import { expect, test } from 'vitest'
import { createTokenTable } from '../../src/model/token.ts'
import { tokenIdentities } from '../../src/model/token-identity.ts'
import { countWork } from '../support/count-work.ts'

const made = (index: number): Parameters<ReturnType<typeof createTokenTable>['add']>[0] => ({
  kind: 'generated',
  type: 'string',
  part: 'value',
  generate: { function: 'randAlphaNum', arguments: [String(index)], identity: String(index) },
})

test('what tokens stand for is found once for a table, and again when it has grown', () => {
  const tokens = createTokenTable()
  const add = (index: number): string => tokens.add(made(index))
  for (let index = 0; index < 1000; index++) add(index)
  const first = countWork(() => tokenIdentities(tokens))
  const identities = tokenIdentities(tokens)
  expect(identities.size).toBe(1000)
  expect(countWork(() => tokenIdentities(tokens))).toBeLessThan(first / 100)
  const more = add(1000)
  expect([...tokenIdentities(tokens).values()]).toContain(more)
  expect([...identities.values()]).not.toContain(more)
})
