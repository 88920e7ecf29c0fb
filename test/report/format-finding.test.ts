import { describe, expect, test } from 'vitest'
import { type FindingFormat, formatFinding } from '../../src/report/format-finding.ts'
import { createPalette } from '../../src/report/palette.ts'
import { createShortenPath } from '../../src/report/shorten-path.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import type { Span } from '../../src/model/source.ts'

const shorten = createShortenPath('/home/me/fleet')
const plain = { palette: createPalette('plain'), shorten }

/** The span of `[…]` in the text. */
function spanOf(marked: string, name = '/home/me/fleet/clusters/a/cluster.yaml'): Span {
  const start = marked.indexOf('[')
  const text = marked.replace('[', '').replace(']', '')
  return { source: { name, text }, start, end: marked.indexOf(']') - 1 }
}

function formatOne(finding: Diagnostic, how: FindingFormat): string {
  return formatFinding({ finding, about: finding.about === undefined ? [] : [finding.about] }, how)
}

function format(over: Partial<Diagnostic>): readonly string[] {
  return formatOne({ code: 'CONFIG_SYNTAX', severity: 'error', message: 'm', hint: 'h', ...over }, plain).split('\n')
}

const cases: readonly { name: string; input: Partial<Diagnostic>; want: readonly string[] }[] = [
  { name: 'no place', input: {}, want: ['error CONFIG_SYNTAX m', '  → h', ''] },
  { name: 'a warning', input: { severity: 'warning' }, want: ['warning CONFIG_SYNTAX m', '  → h', ''] },
  {
    name: 'a file, also inside of the message and the hint',
    input: { file: '/home/me/fleet/a.tgz', message: 'see /home/me/fleet/b', hint: 'rm /home/me/fleet/b' },
    want: ['error CONFIG_SYNTAX a.tgz: see b', '  → rm b', ''],
  },
  {
    name: 'a file that the message begins with',
    input: { file: '/home/me/fleet/a.tgz', message: '/home/me/fleet/a.tgz is odd' },
    want: ['error CONFIG_SYNTAX a.tgz is odd', '  → h', ''],
  },
  {
    name: 'a file whose name the message begins with goes on otherwise',
    input: { file: '/home/me/fleet/a', message: '/home/me/fleet/a.tgz is odd' },
    want: ['error CONFIG_SYNTAX a: a.tgz is odd', '  → h', ''],
  },
  { name: 'the working folder', input: { file: '/home/me/fleet' }, want: ['error CONFIG_SYNTAX .: m', '  → h', ''] },
  {
    name: 'a file elsewhere',
    input: { file: '/home/me/fleet2/a' },
    want: ['error CONFIG_SYNTAX /home/me/fleet2/a: m', '  → h', ''],
  },
  {
    name: 'a place',
    input: { at: spanOf('a: 1\nb:\n  [clas]: x\n') },
    want: ['error CONFIG_SYNTAX clusters/a/cluster.yaml:3:3: m', '  3 |   clas: x', '    |   ^^^^', '  → h', ''],
  },
  {
    name: 'an empty span',
    input: { at: spanOf('a: []b') },
    want: ['error CONFIG_SYNTAX clusters/a/cluster.yaml:1:4: m', '  1 | a: b', '    |    ^', '  → h', ''],
  },
  {
    name: 'a span over lines ends with its line',
    input: { at: spanOf('a: [b\nc]') },
    want: ['error CONFIG_SYNTAX clusters/a/cluster.yaml:1:4: m', '  1 | a: b', '    |    ^', '  → h', ''],
  },
  {
    name: 'the end of a file',
    input: { at: spanOf('a: b\n[]') },
    want: ['error CONFIG_SYNTAX clusters/a/cluster.yaml:2:1: m', '  → h', ''],
  },
  {
    name: 'tabs stay under tabs, line endings of Windows go',
    input: { at: spanOf('x\r\n\ta\t[b]\r\n') },
    want: ['error CONFIG_SYNTAX clusters/a/cluster.yaml:2:4: m', '  2 | \ta\tb', '    | \t \t^', '  → h', ''],
  },
  {
    name: 'a secret',
    input: { at: spanOf('kind: x\npassword: [hunter2]\n') },
    want: [
      'error CONFIG_SYNTAX clusters/a/cluster.yaml:2:11: m',
      '  2 | password: ********',
      '    |           ^^^^^^^^',
      '  → h',
      '',
    ],
  },
  ...(
    [
      ['shown', '- {op: [replace], path: /spec/replicas, value: 3}', 7],
      ['shown behind others', '- {op: replace, path: [/spec/replicas], value: 3}', 14],
      ['masked', '- {op: replace, path: /spec/replicas, value: [3]}', 8],
    ] as const
  ).map(([what, marked, carets]) => ({
    name: `an item in flow style that is ${what}, in a line with a masked one`,
    input: { at: spanOf(`spec:\n  jsonPatch:\n${marked}\n`, '/home/me/fleet/clusters/a/patches/x.yaml') },
    want: [
      `error CONFIG_SYNTAX clusters/a/patches/x.yaml:3:${String(marked.indexOf('[') + 1)}: m`,
      '  3 | - {op: replace, path: /spec/replicas, value: ********}',
      `    | ${' '.repeat(marked.indexOf('['))}${'^'.repeat(carets)}`,
      '  → h',
      '',
    ],
  })),
  {
    name: 'an item behind a masked one',
    input: { at: spanOf('login: {password: hunter2, [user]: me}\n') },
    want: [
      'error CONFIG_SYNTAX clusters/a/cluster.yaml:1:28: m',
      '  1 | login: {password: ********, user: me}',
      `    | ${' '.repeat(28)}^^^^`,
      '  → h',
      '',
    ],
  },
  {
    name: 'what a terminal would obey',
    input: { message: 'a\u001B[31mb\u202Ec\u200B\u200C\u200D\u2060\uFEFFd', at: spanOf('\u001Bc;x\u0007[y]') },
    want: [
      'error CONFIG_SYNTAX clusters/a/cluster.yaml:1:6: a\\x1b[31mb\\u202ec\\u200b\\u200c\\u200d\\u2060\\ufeffd',
      '  1 | \\x1bc;x\\x07y',
      `    | ${' '.repeat('\\x1bc;x\\x07'.length)}^`,
      '  → h',
      '',
    ],
  },
  {
    name: 'the call chain, innermost first',
    input: {
      at: spanOf('{{ [include] "x" . }}', 'cilium/templates/a.yaml'),
      trace: [{ what: 'include "x"', at: spanOf('{{[x]}}', 'cilium/templates/_x.tpl') }, { what: 'the chart cilium' }],
    },
    want: [
      'error CONFIG_SYNTAX cilium/templates/a.yaml:1:4: m',
      '  1 | {{ include "x" . }}',
      '    |    ^^^^^^^',
      '  in include "x" at cilium/templates/_x.tpl:1:3',
      '  in the chart cilium',
      '  → h',
      '',
    ],
  },
]

describe('formatFinding', () => {
  test.each(cases)('$name', ({ input, want }) => {
    expect(format(input)).toEqual(want)
  })

  test('a long line is cut around the place', () => {
    const lines = format({ at: spanOf(`${'a'.repeat(500)}[b]${'c'.repeat(500)}`) })
    expect(lines.slice(1, 3)).toEqual([`  1 | ${'a'.repeat(40)}b${'c'.repeat(79)}`, `    | ${' '.repeat(40)}^`])
    const end = format({ at: spanOf(`${'a'.repeat(500)}[b]`) })
    expect(end[1]).toBe(`  1 | ${'a'.repeat(119)}b`)
  })

  test("the code's own advice stands in for a missing hint", () => {
    const text = formatOne({ code: 'CONFIG_SYNTAX', severity: 'error', message: 'm' }, plain)
    expect(text).toBe('error CONFIG_SYNTAX m\n  → Correct the YAML at the reported position.\n')
  })

  test('colours', () => {
    const text = formatOne(
      { code: 'CONFIG_SYNTAX', severity: 'error', message: 'm', at: spanOf('[a]', 'x') },
      { palette: createPalette('colour'), shorten },
    )
    expect(text.split('\n').slice(0, 3)).toEqual([
      '\u001B[1;31merror\u001B[0m \u001B[1mCONFIG_SYNTAX\u001B[0m x:1:1: m',
      '  \u001B[2m1 |\u001B[0m a',
      '  \u001B[2m  |\u001B[0m \u001B[1;31m^\u001B[0m',
    ])
  })
})
