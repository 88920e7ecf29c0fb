import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { formatJsonReport } from '../../src/report/report.ts'
import { createShortenPath } from '../../src/report/shorten-path.ts'

const shorten = createShortenPath('/home/me/fleet')

const finding: Diagnostic = {
  code: 'CONFIG_SYNTAX',
  severity: 'error',
  message: 'see /home/me/fleet/b.yaml',
  at: { source: { name: '/home/me/fleet/a.yaml', text: 'a: 1\nb: 2\n' }, start: 8, end: 9 },
  trace: [
    { what: 'include "x"', at: { source: { name: '/chart/t.tpl', text: 'x' }, start: 0, end: 1 } },
    { what: 'y' },
  ],
  hint: 'h',
  about: { cluster: 'team-a/web' },
}

describe('formatJsonReport', () => {
  test('puts what a report holds into the envelope, in order, with the findings at its end', () => {
    expect(
      [...formatJsonReport({ kind: 'Example', content: { b: 1, a: [true] }, findings: [] }, shorten)].join(''),
    ).toBe(
      `{
  "apiVersion": "stackmason.dev/v1alpha1",
  "kind": "Example",
  "b": 1,
  "a": [
    true
  ],
  "findings": []
}
`,
    )
  })

  test.each([0, 1, 500, 1201])(
    'writes a list of %i items that is no array as if it were one, and in parts',
    (count) => {
      const items = Array.from({ length: count }, (_, index) => ({ path: `${String(index)}.yaml`, in: ['x'] }))
      const partsOf = (list: Iterable<unknown>): readonly string[] => [
        ...formatJsonReport({ kind: 'Example', content: { a: 1, list, b: 2 }, findings: [] }, shorten),
      ]
      const parts = partsOf(new Set(items))
      expect(parts.join('')).toBe(partsOf(items).join(''))
      expect(parts.filter((part) => part.includes('.yaml'))).toHaveLength(Math.ceil(count / 500))
    },
  )

  test('masks each text by its field', () => {
    const content = { message: 'x', list: new Set([{ path: 'x', parts: ['x'] }]) }
    const mask = (field: string, text: string): string => (text === 'x' ? `${field}!` : text)
    const text = [...formatJsonReport({ kind: 'Example', content, findings: [] }, shorten, mask)].join('')
    expect(JSON.parse(text)).toMatchObject({ message: 'message!', list: [{ path: 'path!', parts: ['0!'] }] })
  })

  test('names no findings where none can be made', () => {
    const text = [...formatJsonReport({ kind: 'Example', content: { a: 1 }, findings: undefined }, shorten)].join('')
    expect(JSON.parse(text)).toEqual({ apiVersion: 'stackmason.dev/v1alpha1', kind: 'Example', a: 1 })
  })

  test('writes a finding once, with its places, short paths and everything that it is about', () => {
    const findings = [finding, { ...finding, about: { cluster: 'team-b/web' } }]
    expect(
      JSON.parse([...formatJsonReport({ kind: 'Example', content: {}, findings }, shorten)].join('')),
    ).toMatchObject({
      findings: [
        {
          code: 'CONFIG_SYNTAX',
          severity: 'error',
          message: 'see b.yaml',
          file: 'a.yaml',
          line: 2,
          column: 4,
          trace: [{ what: 'include "x"', file: '/chart/t.tpl', line: 1, column: 1 }, { what: 'y' }],
          hint: 'h',
          about: [{ cluster: 'team-a/web' }, { cluster: 'team-b/web' }],
        },
      ],
    })
  })
})
