import { describe, expect, test } from 'vitest'
import { brokenFleets, goldenOfMistake, seenOf } from './broken-fleets.ts'

/** Texts in test/golden/findings, `vitest -u` writes them anew: read the difference as a user would. */
describe('what a user sees for', () => {
  test.each(Object.entries(brokenFleets))('%s', async (name, files) => {
    await expect(await seenOf(files)).toMatchFileSnapshot(goldenOfMistake(name))
  })
})
