import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { dict, type Value } from '../../../src/model/value.ts'

const rendered = join(import.meta.dirname, '../../../rendered')
const files = readdirSync(rendered, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'))

/** Sorted JSON of what the npm package reads, to compare with our own. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, child: unknown) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  )
}

describe('what we write, another YAML library reads alike, by the rules of 1.1 and of 1.2', () => {
  test.each(files)('%s', (path) => {
    const text = readFileSync(join(rendered, path), 'utf8')
    const ours = formatGoJson(parseGoYaml(text), { escapeHtml: false })
    for (const version of ['1.1', '1.2'] as const) expect(sortedJson(parse(text, { version }))).toBe(ours)
  })

  const texts = [
    'yes',
    'No',
    'on',
    'null',
    '~',
    '',
    '012',
    '0o17',
    '0x1F',
    '1_000',
    '1e3',
    '.inf',
    '12:30:45',
    '2001-01-01',
    '- a',
    'a: b',
    'a #b',
    '#a',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '{a}',
    '[a',
    "it's",
    '"q"',
    '|',
    '>',
    ' lead',
    'trail ',
    'a\nb\n',
    'a\n\n\nb',
    ' a\nb',
    '\na',
    'a\t\nb',
    'a\\b',
    'é',
    '😀',
    '\u0007',
    '=',
    '<<',
    '?',
    '---',
    '...',
  ]
  test.each(texts)('the text %j', (text) => {
    const value: Value = text
    const written = formatManifestYaml(dict([['data', dict([['a', value]])]]))
    for (const version of ['1.1', '1.2'] as const) expect(parse(written, { version })).toEqual({ data: { a: text } })
  })
})
