import { expect, test } from 'vitest'
import type { FoldedChange, FoldedObject, TreeChange } from '../../src/model/tree-change.ts'
import { formatFacts } from '../../src/report/tree-change/format-facts.ts'
import { createClusterNames } from '../../src/report/tree-change/name-clusters.ts'

const facts: TreeChange['facts'] = {
  clusters: { added: [], removed: [], changed: 1, unchanged: 0 },
  kubernetes: [],
  addons: [],
  images: [],
  releases: [],
  variables: [],
  definitions: [],
  unread: [],
}

function removed(kind: string, name: string, undo: FoldedObject['undo'] = []): FoldedObject {
  return { change: 'removed', apiVersion: 'v1', kind, name, fields: [], risks: ['deletes'], undo, members: [] }
}

function group(addon: string, ...objects: readonly FoldedObject[]): FoldedChange {
  return { part: { kind: 'addon', addon, owner: 'cluster' }, clusters: [{ namespace: 'team', name: 'one' }], objects }
}

function effects(...groups: readonly FoldedChange[]): readonly string[] {
  return formatFacts({ facts, changes: [], groups }, { detail: 'short', name: createClusterNames('short') })
}

test('what a revert does not bring back comes first, however much else is deleted', () => {
  const many = Array.from({ length: 20 }, (_, index) => group(`a${String(index)}`, removed('ConfigMap', 'a')))
  const lines = effects(...many, group('last', removed('Namespace', 'prod', ['content-is-gone'])))
  expect(lines[1]).toBe(
    '  deletes  own addon last: Namespace prod on team/one; a revert does not bring back what was in it',
  )
  expect(lines.at(-1)).toBe('  … 12 more (--all)')
})

test('among many objects those are named that a revert does not bring back', () => {
  const [, line] = effects(
    group('own', removed('ConfigMap', 'a'), removed('Namespace', 'prod', ['content-is-gone']), removed('Secret', 'b')),
  )
  expect(line).toBe(
    '  deletes  own addon own: Namespace prod and 2 more objects on team/one; a revert does not bring back what was in it',
  )
})
