import { expect, test } from 'vitest'
import { compilePathPattern, PathPatternError } from '../../src/codec/match-path.ts'

// From Go's path/filepath match_test.go's cases and more, each run with Go 1.26's filepath.Match.
const rows: readonly (readonly [string, string, boolean | 'error'])[] = [
  ['abc', 'abc', true],
  ['*', 'abc', true],
  ['*c', 'abc', true],
  ['a*', 'a', true],
  ['a*', 'ab/c', false],
  ['a*/b', 'abc/b', true],
  ['a*/b', 'a/c/b', false],
  ['a*b*c*d*e*/f', 'axbxcxdxe/f', true],
  ['a*b*c*d*e*/f', 'axbxcxdxexxx/f', true],
  ['a*b*c*d*e*/f', 'axbxcxdxe/xxx/f', false],
  ['a*b*c*d*e*/f', 'axbxcxdxexxx/fff', false],
  ['a*b?c*x', 'abxbbxdbxebxczzx', true],
  ['a*b?c*x', 'abxbbxdbxebxczzy', false],
  ['ab[c]', 'abc', true],
  ['ab[b-d]', 'abc', true],
  ['ab[e-g]', 'abc', false],
  ['ab[^c]', 'abc', false],
  ['ab[^e-g]', 'abc', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'ab', false],
  ['a?b', 'a☺b', true],
  ['a[^a]b', 'a☺b', true],
  ['a???b', 'a☺b', false],
  ['[a-ζ]*', 'α', true],
  ['*[a-ζ]', 'A', false],
  ['a?b', 'a/b', false],
  ['a*b', 'a/b', false],
  ['[\\]a]', ']', true],
  ['[\\-x]', 'x', true],
  ['[x\\-]', '-', true],
  ['[]a]', ']', 'error'],
  ['[-]', '-', 'error'],
  ['[x-]', 'x', 'error'],
  ['[a-b-c]', 'a', 'error'],
  ['[', 'a', 'error'],
  ['[^', 'a', 'error'],
  ['[^bc', 'a', 'error'],
  ['a[', 'ab', 'error'],
  ['\\', 'a', 'error'],
  ['*x', 'xxx', true],
  ['', '', true],
  ['', 'a', false],
  ['templates/.?*', 'templates/.hidden', true],
  ['templates/.?*', 'templates/.', false],
]

function outcome(pattern: string, path: string): boolean | 'error' {
  try {
    return compilePathPattern(pattern)(path)
  } catch (error) {
    if (error instanceof PathPatternError) return 'error'
    throw error
  }
}

test.each(rows)('%s against %s: %s', (pattern, path, want) => {
  expect(outcome(pattern, path)).toBe(want)
})

test('a hostile pattern ends', () => {
  expect(compilePathPattern(`${'*a'.repeat(50)}*b`)('a'.repeat(5000))).toBe(false)
})
