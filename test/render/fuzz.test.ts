import { expect, test } from 'vitest'
import { fuzzRender } from '../../tools/fuzz-render.ts'

/** Long enough to see much where it counts; a taste of it on a developer's machine. Minutes of it: `npm run fuzz`. */
const seconds = process.env['CI'] === undefined ? 3 : 15

test('random templates and values end in output or one of our errors, in time, and change no prototype', () => {
  const { cases, faults } = fuzzRender({ seconds, seed: 20_261_121 })
  expect(faults).toEqual([])
  expect(cases).toBeGreaterThan(100)
}, 120_000)
