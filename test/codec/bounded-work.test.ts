import { describe, expect, test } from 'vitest'
import { createHandlebars } from '../../src/codec/handlebars.ts'
import { dict } from '../../src/model/value.ts'
import { wrapText } from '../../src/render/functions/text-layout.ts'

describe('work that no step counts', () => {
  test('a template of Handlebars that is too long is not read', () => {
    const text = `{{quote "${'x'.repeat(65_536)}"}}`
    expect(() => createHandlebars()({ name: 't', text }, { data: dict([]), code: 'HANDOFF_TEMPLATE' })).toThrow(
      'the template has more than 65536 characters',
    )
  })

  test('wrapping is charged before its lines are all there', () => {
    const charges: number[] = []
    const charge = (amount: number): void => {
      charges.push(amount)
      if (charges.length === 2) throw new Error('stopped')
    }
    const options = { width: 1, longWords: 'keep' as const, charge }
    expect(() => wrapText('a '.repeat(20_000), options)).toThrow('stopped')
    expect(charges).toEqual([131_072, 131_072])
  })
})
