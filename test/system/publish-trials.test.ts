import { afterEach, beforeEach, expect, it } from 'vitest'
import { killPublishers, racePublishers } from '../../tools/fleets/publish-trial.ts'
import { tempFolder } from '../support/temp-folder.ts'

const saved = { ...process.env }

beforeEach(() => {
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
})
afterEach(() => {
  process.env = { ...saved }
})

// the long forms: bench/publish-races.ts and bench/publish-kills.ts
it('publishers at once lose nothing and do nothing twice', { timeout: 300_000 }, async () => {
  const { faults } = await racePublishers({ root: await tempFolder(), publishers: 4, rounds: 2, seed: 1 })
  expect(faults).toEqual([])
})

it('a publisher that is killed leaves nothing that the next does not mend', { timeout: 300_000 }, async () => {
  const { faults, ends } = await killPublishers({ root: await tempFolder(), rounds: 3, seed: 1 })
  expect(faults).toEqual([])
  expect(Object.values(ends).reduce((sum, times) => sum + times, 0)).toBe(3)
})
