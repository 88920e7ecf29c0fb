import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { bootstrapHealth, imageHealth, ownKindsHealth, rolloutHealth } from '../../../src/handoff/gates/health-exprs.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/16-gates.md', import.meta.url)), 'utf8')

describe('health expressions', () => {
  test('the documentation shows those that are written', () => {
    const shown = [...page.matchAll(/^```yaml\n(healthCheckExprs:.*?)^```/gms)].map(([, text = '']): unknown =>
      parse(text),
    )
    expect(shown).toEqual([{ healthCheckExprs: bootstrapHealth() }, { healthCheckExprs: rolloutHealth() }])
  })

  test.each([...bootstrapHealth(), ...rolloutHealth(), ...imageHealth(), ...ownKindsHealth()])(
    '$apiVersion $kind: nothing is true of an empty list, and what is deleted never passes',
    ({ current, inProgress, failed }) => {
      expect(`${current} ${failed ?? ''}`).not.toMatch(/\.(?:all|filter)\(/)
      expect(inProgress).toBe('has(metadata.deletionTimestamp)')
    },
  )
})
