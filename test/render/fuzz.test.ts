import { expect, test } from 'vitest'
import { fuzzRender } from '../../tools/fuzz-render.ts'

/** The same ones in each run, however busy the machine is. Others, and minutes of them: `npm run fuzz`. */
const CASES = process.env['CI'] === undefined ? 300 : 1500

test('random templates and values end in output or one of our errors, in time, and change no prototype', () => {
  const { cases, rendered, refused, faults } = fuzzRender({ cases: CASES, seed: 20_261_121 })
  expect(faults).toEqual([])
  expect(cases).toBe(CASES)
  expect(Math.min(rendered, refused)).toBeGreaterThan(CASES / 20)
}, 120_000)
