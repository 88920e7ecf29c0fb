import { expect, test } from 'vitest'
import { watchSecrets } from '../../src/pipeline/watch-secrets.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { countWork } from '../support/count-work.ts'

const file = (name: string): string => `# ${name}\n${'password: hunter22, {a: b}\n'.repeat(500)}`

test('a text that was looked through is not looked through again', () => {
  const watch = watchSecrets(createNodePorts())
  const look = (text: string): number =>
    countWork(() => {
      watch.note(text)
      watch.mask('one line')
    })
  look(file('warm'))
  const first = look(file('first'))
  expect(look(file('first')) * 100).toBeLessThan(first)
  expect(look(file('other'))).toBeGreaterThan(first / 2)
  expect(watch.mask('hunter22')).toBe('********')
})
