import { expect, test } from 'vitest'
import type { FieldChange, FoldedChange, TreeChange } from '../../src/model/tree-change.ts'
import { formatDiffMarkdown } from '../../src/report/tree-change/format-diff-markdown.ts'

const facts: TreeChange['facts'] = {
  clusters: { added: [], removed: [], changed: 1, unchanged: 0 },
  kubernetes: [],
  steps: [],
  addons: [],
  images: [],
  releases: [],
  variables: [],
  definitions: [],
  unread: [],
}

function group(addon: string, fields: readonly FieldChange[]): FoldedChange {
  return {
    part: { kind: 'addon', addon, owner: 'release' },
    clusters: [{ namespace: 'team', name: 'one' }],
    objects: [
      { change: 'changed', apiVersion: 'v1', kind: 'ConfigMap', name: 'cni', fields, risks: [], undo: [], members: [] },
    ],
  }
}

const unread = { path: 'clusters/x', change: 'added', reason: 'no object' } as const

test('nothing of a value ends the block of code, is markup or names a person', () => {
  const change = { facts: { ...facts, unread: [unread] }, changes: [], groups: [] }
  const text = formatDiffMarkdown({ before: '@a', after: '*b*', change })
  expect(text.split('\n')[0]).toBe(String.raw`**&#64;&#8203;a → \*b\***: 1 cluster changed, 0 objects`)
  expect(text).toContain('<details><summary>Not compared (1 object)</summary>')
  const field = { path: ['data', 'x'], before: 'a', after: 'b\n```\n</details>\n@all' }
  const nasty = formatDiffMarkdown({
    before: 'a',
    after: 'b',
    change: { ...change, groups: [group('<b>@all #1', [field])] },
  })
  expect(nasty).toContain(
    '<details><summary>addon &lt;b&gt;&#64;&#8203;all &#35;&#8203;1: team/one (1 object)</summary>',
  )
  expect(nasty.split('\n').filter((line) => line.startsWith('````'))).toEqual(['````diff', '````'])
})

test('what does not fit is cut, then left out and counted', () => {
  const changed = { facts: { ...facts, unread: [unread] }, changes: [] }
  const long = group('long', [{ path: ['data', 'x'], before: 'a', after: 'b'.repeat(3000) }])
  const groups = Array.from({ length: 20 }, () => long)
  const sized = (most: number): string =>
    formatDiffMarkdown({ before: 'a', after: 'b', change: { ...changed, groups } }, most)
  expect(sized(100_000)).toContain('b'.repeat(3000))
  const [whole, part] = [sized(10_000), sized(2000)]
  expect(whole).not.toContain('b'.repeat(100))
  expect(whole.match(/<details>/g)).toHaveLength(21)
  expect(part.length).toBeLessThanOrEqual(2000)
  const shown = part.match(/<details>/g)?.length ?? 0
  expect(part).toMatch(
    new RegExp(`… and ${String(21 - shown)} more changes: .stackmason diff --all. shows everything\\.\n$`),
  )
})

test('signs stand at the start of lines that differ, also of empty ones, and of no others', () => {
  const text = (value: string): string => ['web:', '- a', '- b', value, '+ c', ''].join('\n')
  const fields = [{ path: ['data', 'list'], before: text('- old'), after: text('') }]
  const change = { facts: { ...facts, unread: [unread] }, changes: [], groups: [group('cni', fields)] }
  const lines = formatDiffMarkdown({ before: 'a', after: 'b', change }).split('\n')
  expect(lines.slice(lines.indexOf('```diff') + 1, lines.indexOf('```'))).toEqual([
    '!   ConfigMap cni',
    '       data.list:',
    '           web:',
    '           - a',
    '           - b',
    '-         - old',
    '+        ',
    '           + c',
  ])
})
