import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RandomFleet, steps } from '../../tools/fleets/random-fleet.ts'
import { findDifference } from '../../tools/fleets/random-life.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LENGTH = 12

// every kind of step is in each of these short lives; `bench/random-life.ts` lives longer ones, as many as asked
test.each([
  { tool: 'flux', seed: 5283 },
  { tool: 'argocd', seed: 5108 },
  { tool: 'none', seed: 2670 },
] as const)(
  'at every step of a life with $tool a check passes exactly when there is nothing to write',
  { timeout: 300_000 },
  async ({ tool, seed }) => {
    const [life = []] = fc.sample(fc.array(steps, { minLength: LENGTH, maxLength: LENGTH }), { numRuns: 1, seed })
    expect(new Set(life.map(({ does }) => does)).size).toBe(8)
    expect(await findDifference(await RandomFleet.open(await tempFolder(), tool), life)).toBeUndefined()
  },
)
