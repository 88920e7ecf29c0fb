import { describe } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { checkConstraint } from '../../src/codec/semver/semver-constraint.ts'
import { parseSemver } from '../../src/codec/semver/semver-version.ts'
import { parseToml } from '../../src/codec/toml/toml-parse.ts'
import { readHandlebarsTags } from '../../src/codec/text/handlebars-tags.ts'
import { readFlow } from '../../src/codec/text/flow-style.ts'
import { collectSecretTexts } from '../../src/codec/text/secret-texts.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { parsePositionedYaml } from '../../src/codec/yaml/positioned-yaml.ts'
import { testGrowth } from '../support/growth.ts'

const numbered =
  (make: (index: number) => string) =>
  (count: number): string =>
    Array.from({ length: count }, (_, index) => make(index)).join('')

describe('JSON of twice the size takes twice the steps:', () => {
  testGrowth(
    [
      { what: 'numbers', make: (count) => `[${'1,'.repeat(count)}1]` },
      { what: 'digits', make: (count) => '1'.repeat(count) },
      { what: 'digits behind the point', make: (count) => `0.${'1'.repeat(count)}e${'1'.repeat(count)}` },
      { what: 'texts', make: (count) => `[${'"a",'.repeat(count)}"b"]` },
      { what: 'one text', make: (count) => `"${'a'.repeat(count)}"` },
      { what: 'escapes', make: (count) => String.raw`"${String.raw`\u0041\n`.repeat(count)}"` },
      { what: 'halves of characters', make: (count) => String.raw`"${String.raw`\ud83d`.repeat(count)}"` },
      { what: 'keys', make: (count) => `{${numbered((index) => `"k${index}":1,`)(count)}"z":1}` },
      { what: 'equal keys', make: (count) => `{${'"k":1,'.repeat(count)}"k":1}` },
      { what: 'open lists', make: (count) => '['.repeat(count) },
      { what: 'open maps', make: (count) => '{"a":'.repeat(count) },
      { what: 'spaces', make: (count) => `${' '.repeat(count)}[${' \n'.repeat(count)}]${' '.repeat(count)}` },
      { what: 'an open text', make: (count) => `["${'a'.repeat(count)}` },
      { what: 'lines before a fault', make: (count) => `[${'1,\n'.repeat(count)}x]` },
    ],
    parseGoJson,
  )
})

describe('TOML of twice the size takes twice the steps:', () => {
  testGrowth(
    [
      { what: 'keys', make: numbered((index) => `k${index} = 1\n`) },
      { what: 'dotted keys', make: numbered((index) => `a.b${index} = 1\n`) },
      { what: 'equal keys', make: (count) => 'a = 1\n'.repeat(count) },
      { what: 'tables', make: numbered((index) => `[t${index}]\n`) },
      { what: 'tables in a table', make: numbered((index) => `[a.t${index}]\n`) },
      { what: 'lists of tables', make: (count) => '[[a]]\n'.repeat(count) },
      { what: 'a long key', make: (count) => `${'a.'.repeat(count)}b = 1` },
      { what: 'numbers', make: (count) => `a = [${'1,'.repeat(count)}]` },
      { what: 'digits', make: (count) => `a = ${'1'.repeat(count)}` },
      { what: 'digits with lines', make: (count) => `a = ${'1_'.repeat(count)}1` },
      { what: 'one text', make: (count) => `a = "${'a'.repeat(count)}"` },
      { what: 'escapes', make: (count) => String.raw`a = "${String.raw`\n`.repeat(count)}"` },
      { what: 'a text of many lines', make: (count) => `a = """${'a\n'.repeat(count)}"""` },
      { what: 'line ends that are folded', make: (count) => `a = """${'\\\n  '.repeat(count)}"""` },
      { what: 'quotes in a text', make: (count) => `a = """${'"" '.repeat(count)}"""` },
      { what: 'literal texts', make: (count) => `a = '''${"'' ".repeat(count)}'''` },
      { what: 'comments', make: (count) => '# a\n'.repeat(count) },
      { what: 'blank lines', make: (count) => '\n'.repeat(count) },
      { what: 'spaces', make: (count) => `a${' '.repeat(count)}=${' '.repeat(count)}1${' '.repeat(count)}` },
      { what: 'open lists', make: (count) => `a = ${'['.repeat(count)}` },
      { what: 'open tables', make: (count) => `a = ${'{b = '.repeat(count)}` },
      { what: 'inline tables', make: numbered((index) => `k${index} = {a = 1, b = 2}\n`) },
      {
        what: 'dates',
        make: (count) => '# x\n'.repeat(count) + numbered((index) => `d${index} = 2026-01-01T00:00:00Z\n`)(count),
      },
      { what: 'an open text', make: (count) => `a = "${'a'.repeat(count)}` },
      { what: 'an open text of many lines', make: (count) => `a = """${'a\n'.repeat(count)}` },
    ],
    (text) => parseToml(text, { datetime: (datetime) => datetime }),
  )
})

describe('a version of twice the size takes twice the steps:', () => {
  testGrowth(
    [
      { what: 'digits', make: (count) => '1'.repeat(count) },
      { what: 'parts', make: (count) => `1${'.1'.repeat(count)}` },
      { what: 'a prerelease', make: (count) => `1.0.0-${'a.'.repeat(count)}b` },
      { what: 'numbers of a prerelease', make: (count) => `1.0.0-${'1.'.repeat(count)}0${'1'.repeat(count)}` },
      { what: 'metadata', make: (count) => `1.0.0+${'a.'.repeat(count)}!` },
      { what: 'dashes', make: (count) => `1.0.0${'-'.repeat(count)}!` },
    ],
    parseSemver,
  )
})

describe('a constraint of twice the size takes twice the steps:', () => {
  testGrowth(
    [
      { what: 'comparisons', make: (count) => '>1 '.repeat(count) },
      { what: 'comparisons with commas', make: (count) => `${'>1, '.repeat(count)}>1` },
      { what: 'alternatives', make: (count) => `${'>1 || '.repeat(count)}>1` },
      { what: 'hyphens', make: (count) => '1 - 2 '.repeat(count) },
      { what: 'spaces', make: (count) => `>${' '.repeat(count)}1${' '.repeat(count)}!` },
      { what: 'spaces and commas', make: (count) => `>1${' ,'.repeat(count)}!` },
      { what: 'spaces before a fault', make: (count) => `>1${' '.repeat(count)}!` },
      { what: 'operators', make: (count) => '>'.repeat(count) },
      { what: 'a prerelease', make: (count) => `>1.0.0-${'a.'.repeat(count)}b` },
      { what: 'a prerelease before a fault', make: (count) => `>1.0.0-${'a-'.repeat(count)}!` },
      { what: 'spaces around a hyphen', make: (count) => `1${' '.repeat(count)}-${' '.repeat(count)}` },
      { what: 'digits', make: (count) => `>${'1'.repeat(count)}` },
      { what: 'versions before a fault', make: (count) => `${'1 '.repeat(count)}!` },
      { what: 'versions with commas before a fault', make: (count) => `${'1 , '.repeat(count)}!` },
      { what: 'prereleases before a fault', make: (count) => `${'1.1-a '.repeat(count)}!` },
      { what: 'hyphens before a fault', make: (count) => `${'1  -  2  '.repeat(count)}!` },
      { what: 'only spaces', make: (count) => ' '.repeat(count) },
    ],
    (text) => checkConstraint(text, '1.2.3-a.1'),
    // longer ones are refused unread
    200,
  )
})

describe('YAML of twice the size takes twice the steps:', () => {
  const inputs = [
    { what: 'keys', make: numbered((index: number) => `k${index}: 1\n`) },
    { what: 'equal keys', make: (count: number) => 'a: 1\n'.repeat(count) },
    { what: 'flow', make: (count: number) => `[${'{a: b}, '.repeat(count)}]` },
    { what: 'open flow', make: (count: number) => '['.repeat(count) },
    { what: 'blank lines', make: (count: number) => `a: |\n${'\n'.repeat(count)}` },
    { what: 'blank lines with spaces', make: (count: number) => `a: |\n${'  \n'.repeat(count)}  b\n` },
    { what: 'comments', make: (count: number) => '# a\n'.repeat(count) },
    { what: 'one plain text', make: (count: number) => `a: ${'b c '.repeat(count)}` },
    { what: 'one plain text of many lines', make: (count: number) => `a:\n${'  b\n'.repeat(count)}` },
    { what: 'quoted', make: (count: number) => `a: "${'\\n '.repeat(count)}"` },
    { what: 'anchors', make: numbered((index: number) => `- &a${index} b\n- *a${index}\n`) },
    { what: 'documents', make: (count: number) => '--- a\n'.repeat(count) },
    { what: 'question marks', make: (count: number) => '? a\n'.repeat(count) },
    { what: 'dashes', make: (count: number) => '- '.repeat(count) },
  ]
  testGrowth(inputs, (text) => parseGoYaml(text))
  describe('with its places', () => {
    testGrowth(inputs, (text) => parsePositionedYaml({ name: 'a.yaml', text }))
  })
})

describe('a text of twice the size is looked through for secrets in twice the steps:', () => {
  testGrowth(
    [
      ':a',
      ' ',
      '- ',
      '\n',
      ' \n',
      '{kind: Secret, data: {',
      'password: {\n ',
      'password: {{',
      '{',
      '{a: {',
      '"',
      "'",
      '\\"',
      'name: a, ',
      'value: "a, ',
      'token=',
      '<password>',
      '<name>token</name> ',
      "token = '''\n",
      'token = <<E\n',
      '# token: a1 ',
      '"token a1 ',
      'define("token", ',
      'Bearer a',
      '[secrets]\na = 1\n',
      'Private-Lines: 1\n',
      '-----BEGIN OpenVPN Static key V1-----\n',
      '{"kty":"EC","d":"',
      'kty: EC\nd: a ',
      'SUA2',
      'K100a',
      'eyJ',
      '$6$',
      '$argon2id$',
      'abc123.',
      'glpat-',
      'echo a:b | chpasswd\n',
      'echo "',
      'sudo ',
      'sudo curl -u ',
      'openssl passwd $(',
      'sh -c \'sh -c "',
      'cat <<E > password\n',
      'vault kv put a b=',
      'docker login $(',
      '| tee password ',
      'htpasswd -b \\\n',
    ].map((unit) => ({ what: JSON.stringify(unit), make: (count: number) => `token: x\n${unit.repeat(count)}@` })),
    (text) => {
      collectSecretTexts(text, () => undefined)
      readFlow(text, { means: () => true })
    },
  )
})

describe('tags of a template of twice the size are read in twice the steps:', () => {
  testGrowth(
    [
      '{{#if a}}',
      '{{/if}}',
      '{{a}}',
      '{{',
      '\\{{',
      '\\\\{{',
      '{{!',
      '{{!--',
      '{{! a }}',
      '{{{{a}}}}',
      '{{"',
      '{{[',
      '{{(',
      '{{a "b" [c] }}',
      '{{else}}',
      '{{else if a}}',
    ].map((unit) => ({ what: JSON.stringify(unit), make: (count: number) => unit.repeat(count) })),
    readHandlebarsTags,
  )
})
