import { expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { refusePatch } from '../../src/handoff/refuse-patch.ts'

const merge = (text: string): string => JSON.stringify({ patch: text })
const json = (...operations: readonly object[]): string => JSON.stringify({ patch: JSON.stringify(operations) })

test.each([
  { name: 'sets an annotation', entry: json({ op: 'add', path: '/metadata/annotations/team', value: 'a' }) },
  { name: 'sets all labels', entry: json({ op: 'add', path: '/metadata/labels', value: { team: 'a' } }) },
  { name: 'looks at a name', entry: json({ op: 'test', path: '/metadata/name', value: 'web' }) },
  { name: 'copies a name', entry: json({ op: 'copy', from: '/metadata/name', path: '/spec/name' }) },
  {
    name: 'merges a field',
    entry: merge('kind: Cluster\nmetadata: {name: web, annotations: {team: a}}\nspec: {a: 1}'),
  },
  { name: 'is empty', entry: '{}' },
])('a patch that $name is taken', ({ entry }) => {
  expect(refusePatch(parseGoYaml(entry), 'kustomize.toolkit.fluxcd.io/')).toBeUndefined()
})

test.each([
  {
    name: 'takes away what keeps an object',
    entry: json({ op: 'remove', path: '/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune' }),
    want: 'may not patch /metadata/annotations/kustomize.toolkit.fluxcd.io~1prune',
  },
  {
    name: 'replaces all annotations',
    entry: json({ op: 'add', path: '/metadata/annotations', value: {} }),
    want: 'may not patch /metadata/annotations',
  },
  {
    name: 'moves a name away',
    entry: json({ op: 'move', from: '/metadata/name', path: '/spec/name' }),
    want: 'may not patch /metadata/name',
  },
  {
    name: 'replaces the object',
    entry: json({ op: 'replace', path: '', value: {} }),
    want: 'may not patch a whole object',
  },
  { name: 'changes the kind', entry: json({ op: 'replace', path: '/kind', value: 'A' }), want: 'may not patch /kind' },
  { name: 'deletes an object', entry: merge('$patch: delete\nkind: Cluster'), want: 'may not have $patch' },
  {
    name: 'deletes one of two objects',
    entry: merge('kind: Cluster\nspec: {a: 1}\n---\n$patch: delete\nkind: Cluster'),
    want: 'may not have $patch',
  },
  {
    name: 'merges what Flux may do',
    entry: merge("metadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: ''}}"),
    want: 'may not have kustomize.toolkit.fluxcd.io/prune',
  },
  {
    name: 'merges no annotations',
    entry: merge('metadata: {annotations: null}'),
    want: 'may not remove all annotations',
  },
  {
    name: 'renames',
    entry: '{options: {allowNameChange: true}, patch: "metadata: {name: b}"}',
    want: 'may not change the name or kind of an object',
  },
  { name: 'is no YAML', entry: merge('a: ['), want: 'must be YAML' },
])('a patch that $name is refused', ({ entry, want }) => {
  expect(refusePatch(parseGoYaml(entry), 'kustomize.toolkit.fluxcd.io/')).toBe(want)
})

test('each tool has annotations of its own', () => {
  const entry = parseGoYaml(json({ op: 'remove', path: '/metadata/annotations/argocd.argoproj.io~1sync-options' }))
  expect(refusePatch(entry, 'kustomize.toolkit.fluxcd.io/')).toBeUndefined()
  expect(refusePatch(entry, 'argocd.argoproj.io/')).toBe(
    'may not patch /metadata/annotations/argocd.argoproj.io~1sync-options',
  )
})
