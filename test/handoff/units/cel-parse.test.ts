import { describe, expect, test } from 'vitest'
import { parseCel } from '../../../src/handoff/units/cel-parse.ts'
import { CelError } from '../../../src/handoff/units/cel-scan.ts'

function isRead(text: string): boolean {
  try {
    parseCel(text)
    return true
  } catch (error) {
    if (error instanceof CelError) return false
    throw error
  }
}

// What cel-go 0.26.1, which Flux evaluates with, says of each text.
describe('expressions are read as cel-go reads them', () => {
  test.each([
    'a.b == 1',
    '(a.b) == 1',
    'a.b // comment\n == 1',
    '// first\na.b == 1 // last',
    'a . b == 1',
    "a['b'].c == 1",
    '[1,2,].size() == a.n',
    '{"a":1,}.a == a.b',
    'a.if == 1',
    'a.as',
    'r"\\d" == a.b',
    '"""x\ny""" == a.b',
    'b"x" == a.b',
    'bR"x" == a.b',
    '0x1Fu == a.b',
    '.5 == a.b',
    '1e5 == a.b',
    '-1 == a.b',
    '--a.b == 1',
    '!!a.b',
    'a ? b : c ? d : e',
    'a.b in [1,2]',
    'a == 1 == 2',
    '"a\\x41\\u00e9\\U0001F600\\101\\?\\`" == a.b',
    'a.b\f == 1',
    '-9223372036854775808',
    '18446744073709551615u',
    '(((((((((((((((((((a.b)))))))))))))))))))',
    Array.from({ length: 300 }, () => 'a.b').join(' && '),
  ])('%j is one', (text) => {
    expect(isRead(text)).toBe(true)
  })

  test.each([
    'f(a.b,)',
    "rb'x' == a.b",
    'a.in == 1',
    'import.x == 1',
    'as',
    '1. == a.b',
    '12abc',
    '!-a.b',
    '-!a.b',
    'a ? b ? 1 : 2 : 3',
    'a.b=1',
    '"\\q" == a.b',
    '"\\ud800"',
    '"\\U00110000"',
    '"\\777"',
    '"\\08"',
    '"\\x4"',
    'b"\\u00e9"',
    "'a\nb' == a.b",
    "'abc",
    'a.b &',
    '',
    'a.b)',
    'a.b\v == 1',
    '9223372036854775808',
    '0xFFFFFFFFFFFFFFFFF',
    '18446744073709551616u',
    '1e999',
    'a' + '.b'.repeat(300),
    Array.from({ length: 300 }, () => 'a.b').join(' + '),
    '('.repeat(300) + 'a.b' + ')'.repeat(300),
  ])('%j is none', (text) => {
    expect(isRead(text)).toBe(false)
  })
})

test.each([
  ['(a.b) == 1 && c.d', [0, 17]],
  ['((a.b)) // why', [0, 7]],
  ['  !a.b  ', [2, 6]],
] satisfies [string, [number, number]][])('%j: a part knows where it stands, parentheses included', (text, span) => {
  const { root } = parseCel(text)
  expect([root.start, root.end]).toEqual(span)
})
