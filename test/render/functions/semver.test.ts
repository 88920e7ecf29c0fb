import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GoObject, goInt, type Value } from '../../../src/model/value.ts'
import { formatValue } from '../../../src/render/engine/format.ts'

import { checkConstraint } from '../../../src/codec/semver/semver-constraint.ts'
import { parseSemver, SemverError } from '../../../src/codec/semver/semver-version.ts'
import { nodeDeadline } from '../../../src/system/node-deadline.ts'
import { semverFunctions } from '../../../src/render/functions/semver.ts'
import { idleContext } from './recording-context.ts'

function call(name: string, ...args: readonly Value[]): Value {
  const found = semverFunctions.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args, idleContext())
}

function version(text: string): GoObject {
  const value = call('semver', text)
  if (!(value instanceof GoObject)) throw new TypeError('semver gives an object')
  return value
}

function method(object: GoObject, name: string, ...args: readonly Value[]): Value {
  const found = object.method(name)
  if (found === undefined) throw new Error(`no method ${name}`)
  return found.call(args)
}

function original(value: Value): string {
  if (!(value instanceof GoObject)) throw new TypeError('not a version')
  return value.toText()
}

function outcome(compute: () => string | boolean): string | boolean {
  try {
    return compute()
  } catch (error) {
    if (error instanceof SemverError) return error.message
    throw error
  }
}

/** Kind, two texts, and what the library said: an answer or its error. */
type Row = readonly [kind: string, a: string, b: string, want: string | boolean]

function parseRow(line: string): Row {
  const row: unknown = JSON.parse(line)
  if (!Array.isArray(row)) throw new TypeError('not a row')
  return [String(row[0]), String(row[1]), String(row[2]), typeof row[3] === 'boolean' ? row[3] : String(row[3])]
}

function answer(kind: string, a: string, b: string): string | boolean {
  if (kind === 'check') return checkConstraint(a, b)
  if (kind === 'parse') return parseSemver(a).original
  const left = version(a)
  const next = ['IncPatch', 'IncMinor', 'IncMajor'].map(
    (name) => (a.startsWith('v') ? 'v' : '') + original(method(left, name)),
  )
  return [method(left, 'Compare', version(b)), left, method(left, 'Original'), ...next]
    .map((value) => formatValue(value))
    .join(' ')
}

// Written by a Go program with Masterminds/semver v3.4.0.
describe('semver gives what the Go library gives', () => {
  const rows = readFileSync(new URL('./semver.rows.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(parseRow)
  test('the table is there', () => {
    expect(rows.length).toBeGreaterThan(600)
  })
  test.each(rows)('%s %j %j', (kind, a, b, want) => {
    expect(outcome(() => answer(kind, a, b))).toBe(want)
  })
})

test.each([
  ['>=1.20', '1.21.0-eks', false],
  ['>=1.20-0', '1.21.0-eks', true],
  ['>=1.16-0', 'v1.35.0', true],
  ['^1.2', 'v1.9', true],
  ['~1.2.3', '1.3.0', false],
  ['1.2 - 1.4', '1.4.9', true],
  ['<1.2 || >=2', '2.1', true],
  ['>= 1.25.0-0 < 1.36.0-0', 'v1.30.2+k3s1', true],
  ['1.x', '1.99.1', true],
  ['*', '0.0.1', true],
  ['!=1.2.x', '1.2.3', false],
])('semverCompare %j %j is %s', (constraint, text, want) => {
  expect(call('semverCompare', constraint, text)).toBe(want)
})

test('a version has the methods of *semver.Version', () => {
  const one = version('v1.2.3-rc.1+build.5')
  expect(one.goType).toBe('*semver.Version')
  expect(one.toText()).toBe('1.2.3-rc.1+build.5')
  expect(one.toValue()).toBe('1.2.3-rc.1+build.5')
  expect(method(one, 'Major')).toMatchObject({ value: 1n, kind: 'uint64' })
  expect(method(one, 'Minor')).toMatchObject({ value: 2n })
  expect(method(one, 'Patch')).toMatchObject({ value: 3n })
  expect(method(one, 'Prerelease')).toBe('rc.1')
  expect(method(one, 'Metadata')).toBe('build.5')
  expect(method(one, 'Original')).toBe('v1.2.3-rc.1+build.5')
  expect(method(one, 'LessThan', version('1.2.3'))).toBe(true)
  expect(method(one, 'Equal', version('1.2.3-rc.1'))).toBe(true)
  expect(method(one, 'Compare', version('1.2.2'))).toBe(goInt(1))
  expect(original(method(one, 'SetPrerelease', 'beta'))).toBe('1.2.3-beta+build.5')
  expect(() => method(one, 'SetPrerelease', 'a_b')).toThrow('invalid prerelease string')
  expect(() => method(one, 'SetMetadata', 'a..b')).toThrow('invalid metadata string')
  expect(() => method(one, 'Compare', 'text')).toThrow('wrong type for value; expected *semver.Version')
  expect(one.field('major')).toBeUndefined()
  expect(one.method('constructor')).toBeUndefined()
})

test('what the library returns by value lacks the methods of the pointer', () => {
  const next = method(version('1.2.3'), 'IncMinor')
  if (!(next instanceof GoObject)) throw new TypeError('not a version')
  expect(next.goType).toBe('semver.Version')
  expect(next.toText()).toBe('1.3.0')
  expect(next.method('Original')).toBeUndefined()
  expect(next.method('Major')).toBeDefined()
})

test.each([
  '1 '.repeat(2000) + '!',
  '1 , '.repeat(1000) + '!',
  '1.1-a '.repeat(600) + '!',
  '1  -  2  '.repeat(400) + '!',
  ' '.repeat(4000),
  '1'.repeat(4000) + '!',
  '1'.repeat(1_000_000),
])('a hostile constraint is refused soon %#', (constraint) => {
  // what a pattern looks at is in no count
  const check = (): boolean => nodeDeadline.within(20_000, () => checkConstraint(constraint, '1.2.3'))
  expect(check).toThrow(/^(improper constraint|constraint parser error)/)
})

test('a version of a million digits is refused', () => {
  expect(() => parseSemver('1'.repeat(1_000_000))).toThrow('value out of range')
})
