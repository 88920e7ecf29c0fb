import { describe, expect, test } from 'vitest'
import { openDocument } from '../../src/build/open-document.ts'
import type { YamlChange } from '../../src/edit/yaml-change.ts'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { problemsOf } from '../sources/release/support.ts'

function edited(text: string, edits: readonly YamlChange[]): string {
  return decodeUtf8(openDocument({ name: 'Chart.yaml', bytes: encodeUtf8(text) }).edit(edits))
}

const version = (value: string): readonly YamlChange[] => [{ how: 'replace', path: ['version'], value }]

describe('a value changes and every other byte stays', () => {
  const rows: readonly {
    readonly name: string
    readonly text: string
    readonly edits: readonly YamlChange[]
    readonly want: string
  }[] = [
    {
      name: 'plain',
      text: 'name: a  # why\nversion:   v1 \n',
      edits: version('v2'),
      want: 'name: a  # why\nversion:   v2 \n',
    },
    { name: 'in double quotes', text: 'version: "v1"\n', edits: version('v2'), want: 'version: "v2"\n' },
    { name: 'in single quotes', text: "version: 'v1'\n", edits: version("v'2"), want: "version: 'v''2'\n" },
    { name: 'a number gets quotes', text: 'version: 1.30\n', edits: version('1.31'), want: 'version: "1.31"\n' },
    {
      name: 'words that YAML takes for something else',
      text: 'version: a\n',
      edits: version('null'),
      want: 'version: "null"\n',
    },
    {
      name: 'text that needs quotes',
      text: 'version: a\n',
      edits: version('2.x, "b"'),
      want: 'version: "2.x, \\"b\\""\n',
    },
    { name: 'no newline at the end', text: 'version: v1', edits: version('v22'), want: 'version: v22' },
    {
      name: 'Windows line ends',
      text: 'a: 1\r\nversion: v1\r\nb: 2\r\n',
      edits: version('v2'),
      want: 'a: 1\r\nversion: v2\r\nb: 2\r\n',
    },
    { name: 'flow style', text: '{name: x, version: v1}\n', edits: version('v2'), want: '{name: x, version: v2}\n' },
    { name: 'JSON', text: '{"version":"v1","name":"x"}', edits: version('v2'), want: '{"version":"v2","name":"x"}' },
    {
      name: 'with an anchor',
      text: 'version: &v v1\nappVersion: x\n',
      edits: version('v2'),
      want: 'version: &v v2\nappVersion: x\n',
    },
    {
      name: 'an alias, without what it stands for',
      text: 'a: &v v1\nversion: *v\nb: *v\n',
      edits: version('v2'),
      want: 'a: &v v1\nversion: v2\nb: *v\n',
    },
    {
      name: 'a comment in another script',
      text: '# größer 大 𝒳\nversion: v1 # ä\n',
      edits: version('v2'),
      want: '# größer 大 𝒳\nversion: v2 # ä\n',
    },
    { name: 'the same already', text: 'version:   "v1"\n', edits: version('v1'), want: 'version:   "v1"\n' },
    {
      name: 'several, in any order',
      text: 'version: v1\nname: a\ndependencies:\n  - {name: x, version: 1.0.0}\n  - name: y\n    version: ~2 # two\n',
      edits: [
        { how: 'replace', path: ['dependencies', 1, 'version'], value: '3.0.0' },
        { how: 'replace', path: ['name'], value: 'longer-name' },
        { how: 'replace', path: ['version'], value: 'v2' },
        { how: 'replace', path: ['dependencies', 0, 'version'], value: '2.35.x' },
      ],
      want: 'version: v2\nname: longer-name\ndependencies:\n  - {name: x, version: 2.35.x}\n  - name: y\n    version: 3.0.0 # two\n',
    },
  ]
  test.each(rows)('$name', ({ text, edits, want }) => {
    expect(edited(text, edits)).toBe(want)
  })
})

describe('refused, with the place', () => {
  test.each([
    { name: 'not there', text: 'name: a\n', want: ['BUILD_INPUT_INVALID Chart.yaml:1:1 version is missing'] },
    {
      name: 'the anchor of others',
      text: 'version: &v v1\nb: *v\n',
      want: ['BUILD_INPUT_INVALID Chart.yaml:1:13 this value cannot be changed by itself'],
    },
    { name: 'no UTF-8', text: '# \udcff\nversion: v1\n', want: ['BUILD_INPUT_INVALID Chart.yaml:1:3 '] },
    { name: 'no YAML', text: 'a: [\n', want: ['BUILD_INPUT_INVALID Chart.yaml:1:4 '] },
    {
      name: 'two documents',
      text: 'a: 1\n---\nb: 2\n',
      want: ['BUILD_INPUT_INVALID Chart.yaml:3:1 the file must hold one document'],
    },
    { name: 'empty', text: '', want: ['BUILD_INPUT_INVALID Chart.yaml:1:1 '] },
  ])('$name', async ({ text, want }) => {
    const problems = await problemsOf(() => edited(text, version('v2')))
    expect(problems.map((problem, index) => problem.slice(0, want[index]?.length))).toEqual(want)
  })
})
