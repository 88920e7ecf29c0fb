import { describe, expect, test } from 'vitest'
import { countFindings } from '../../src/report/count-findings.ts'
import { wrapWords } from '../../src/report/wrap-words.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'

describe('wrapWords', () => {
  test.each([
    { line: '', want: '' },
    { line: 'short', want: 'short' },
    { line: 'one two three', want: 'one two\n  three' },
    { line: 'one two thre', want: 'one two\n  thre' },
    { line: 'a /very/long/path/of/a/file b', want: 'a\n  /very/long/path/of/a/file\n  b' },
    { line: '  → one two three', want: '  → one\n  two\n  three' },
    { line: '\u001B[1;31mone\u001B[0m two', want: '\u001B[1;31mone\u001B[0m two' },
  ])('$line', ({ line, want }) => {
    expect(wrapWords(line, { width: 8, indent: '  ' })).toBe(want)
  })
})

const finding = (severity: Diagnostic['severity'], message = 'm', cluster = 'a/b'): Diagnostic => ({
  code: 'CONFIG_SYNTAX',
  severity,
  message,
  about: { cluster },
})

describe('countFindings', () => {
  test.each([
    { given: [], want: '' },
    { given: [finding('error')], want: '1 error' },
    { given: [finding('warning'), finding('warning', 'm', 'a/c')], want: '1 warning' },
    {
      given: [finding('note'), finding('warning'), finding('warning', 'n')],
      want: '2 warnings, 1 note (-o json lists it)',
    },
    { given: [finding('note'), finding('note', 'n')], want: '2 notes (-o json lists them)' },
  ])('$want', ({ given, want }) => {
    expect(countFindings(given)).toBe(want)
  })
})
