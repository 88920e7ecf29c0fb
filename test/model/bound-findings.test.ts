import { describe, expect, test } from 'vitest'
import { parsePositionedYaml } from '../../src/codec/yaml/positioned-yaml.ts'
import { boundFindings } from '../../src/model/bound-findings.ts'
import { type Diagnostic, StackmasonError } from '../../src/model/diagnostic.ts'

const source = { name: 'a.yaml', text: 'x' }
const at = { source, start: 0, end: 1 }
const error: Diagnostic = { code: 'CONFIG_WRONG_TYPE', severity: 'error', message: 'x', at }
const many = (count: number, finding: Diagnostic): readonly Diagnostic[] =>
  Array.from({ length: count }, (_, index) => ({ ...finding, message: `x${String(index)}` }))

describe('findings of a file', () => {
  test('are told up to twenty, and counted', () => {
    expect(boundFindings(many(20, error))).toHaveLength(20)
    const told = boundFindings([...many(30, error), { ...error, severity: 'warning' }])
    expect(told).toHaveLength(22)
    expect(told[20]?.message).toBe('and 10 more findings in this file, from here on')
    expect(told[21]?.severity).toBe('warning')
    expect(boundFindings(told)).toEqual(told)
  })

  test('count once where they are found for many clusters', () => {
    const clusters = Array.from({ length: 200 }, (_, index) => ({
      ...error,
      about: { cluster: `team/c${String(index)}` },
    }))
    const told = boundFindings([...clusters, ...many(21, error), ...clusters])
    expect(told).toHaveLength(200 + 19 + 1)
    expect(told[219]?.message).toBe('and 2 more findings in this file, from here on')
    expect(boundFindings(told)).toEqual(told)
  })

  test('do not crowd out those of another, nor those of no file', () => {
    const other = { ...error, at: { ...at, source: { ...source, name: 'b.yaml' } } }
    const { at: _, ...bare } = error
    const told = new StackmasonError([...many(30, error), other, ...many(30, bare)]).diagnostics
    expect(told.map((finding) => finding.at?.source.name ?? '').join('')).toBe('a.yaml'.repeat(21) + 'b.yaml')
  })

  /** How much text is looked at to find lines: what made many findings cost the square of their number. */
  function lookedAt(text: string): number {
    let looked = 0
    // oxlint-disable-next-line typescript/unbound-method -- called with what it was called on
    const indexOf = String.prototype.indexOf
    String.prototype.indexOf = function (this: string, wanted: string, from = 0): number {
      const found = indexOf.call(this, wanted, from)
      if (wanted === '\n') looked += (found === -1 ? this.length : found) - from
      return found
    }
    try {
      expect(parsePositionedYaml({ name: 'a.yaml', text }).problems).toHaveLength(21)
    } finally {
      String.prototype.indexOf = indexOf
    }
    return looked
  }

  test.each([
    { what: 'keys twice', line: 'a: 1\n' },
    { what: 'bad tags', line: '- !x 1\n' },
    { what: 'keys that are not text', line: '? [1]\n: 1\n' },
  ])('cost as much as the file is long: $what', ({ line }) => {
    expect(lookedAt(line.repeat(4000))).toBeLessThan(3 * lookedAt(line.repeat(2000)) + 1000)
  })
})
