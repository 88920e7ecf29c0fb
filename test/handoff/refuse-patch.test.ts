import { expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { refusePatch } from '../../src/handoff/refuse-patch.ts'

const ONE = 'must hold patches of one object or one list of operations'

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
  { name: 'begins after a comment', entry: merge('# ours\n--- # first\nkind: Cluster\nmetadata: {name: web}\n') },
  { name: 'says three dashes in a text', entry: merge('kind: ConfigMap\ndata:\n  a: |\n    --- b\n    c: d\n') },
  { name: 'has options that are off', entry: '{options: {allowNameChange: false}, patch: "metadata: {name: b}"}' },
  { name: 'names a label with a slash', entry: json({ op: 'add', path: '/metadata/labels/a.b~1c', value: 'd' }) },
  { name: 'removes all labels', entry: json({ op: 'remove', path: '/metadata/labels' }) },
  { name: 'is written as JSON', entry: merge('{"kind": "Cluster", "metadata": {"name": "web"}}') },
  { name: 'has a key that begins with a dollar', entry: merge('kind: A\nspec: {$schema: b}') },
  {
    name: 'changes the class of another kind',
    entry: merge('kind: Machine\nspec: {topology: {class: a}}'),
  },
  {
    name: 'replaces the spec of another kind',
    entry: `{target: {kind: Deployment}, patch: '[{"op": "replace", "path": "/spec", "value": {}}]'}`,
  },
  {
    name: 'changes the replicas of a Cluster',
    entry: merge('kind: Cluster\nspec: {topology: {controlPlane: {replicas: 3}}}'),
  },
  { name: 'looks at a version', entry: json({ op: 'test', path: '/spec/topology/version', value: 'v1.33.5' }) },
  { name: 'copies a version', entry: json({ op: 'copy', from: '/spec/topology/version', path: '/spec/a' }) },
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
    want: ONE,
  },
  {
    name: 'deletes behind --- on one line',
    entry: merge('--- {kind: Cluster, metadata: {name: web}, $patch: delete}'),
    want: ONE,
  },
  {
    name: 'deletes behind --- and a comment in quotes',
    entry: merge('kind: Cluster\na: "\n---#\n$patch: delete\n"'),
    want: ONE,
  },
  {
    name: 'begins a document after the end of one',
    entry: merge('kind: Cluster\n...\nkind: Cluster\n$patch: delete'),
    want: 'must be YAML',
  },
  {
    name: 'deletes in a list',
    entry: merge('kind: List\nitems: [{kind: Cluster, metadata: {name: web}, $patch: delete}]'),
    want: 'may not have a list of patches',
  },
  {
    name: 'deletes in a list of a kind',
    entry: merge('kind: ClusterList\nitems: [{kind: Cluster, metadata: {name: web}, $patch: delete}]'),
    want: 'may not have a list of patches',
  },
  {
    name: 'has text before the first slash',
    entry: json({ op: 'remove', path: 'x/metadata/annotations' }),
    want: 'may not have x/metadata/annotations, which is no JSON pointer',
  },
  {
    name: 'moves from text before the first slash',
    entry: json({ op: 'move', from: 'x/metadata/annotations', path: '/spec/a' }),
    want: 'may not have x/metadata/annotations, which is no JSON pointer',
  },
  {
    name: 'has a pointer with a lone tilde',
    entry: json({ op: 'remove', path: '/metadata/~annotations' }),
    want: 'may not have /metadata/~annotations, which is no JSON pointer',
  },
  {
    name: 'has a pointer that is no text',
    entry: json({ op: 'remove', path: 1 }),
    want: 'may not patch a whole object',
  },
  {
    name: 'has another operation',
    entry: json({ op: 'Remove', path: '/a' }),
    want: 'must hold operations of RFC 6902',
  },
  { name: 'has no operation', entry: json({ path: '/a' }), want: 'must hold operations of RFC 6902' },
  {
    name: 'replaces metadata',
    entry: json({ op: 'replace', path: '/metadata', value: {} }),
    want: 'may not patch /metadata',
  },
  {
    name: 'copies over metadata',
    entry: json({ op: 'copy', from: '/spec', path: '/metadata' }),
    want: 'may not patch /metadata',
  },
  {
    name: 'makes a list of an object',
    entry: json({ op: 'add', path: '/items', value: [] }),
    want: 'may not patch /items',
  },
  {
    name: 'gives an object an owner',
    entry: json({ op: 'add', path: '/metadata/ownerReferences', value: [] }),
    want: 'may not patch /metadata/ownerReferences',
  },
  {
    name: 'merges an owner',
    entry: merge('metadata: {ownerReferences: [{kind: ConfigMap, name: a}]}'),
    want: 'may not have ownerReferences',
  },
  {
    name: 'sets labels for Flux',
    entry: json({ op: 'add', path: '/metadata/labels', value: { 'kustomize.toolkit.fluxcd.io/force': 'enabled' } }),
    want: 'may not have kustomize.toolkit.fluxcd.io/force',
  },
  {
    name: 'copies to all labels',
    entry: json({ op: 'copy', from: '/spec/a', path: '/metadata/labels' }),
    want: 'may not copy to /metadata/labels',
  },
  {
    name: 'has kustomize leave an object out',
    entry: json({ op: 'add', path: '/metadata/annotations/config.kubernetes.io~1local-config', value: 'true' }),
    want: 'may not patch /metadata/annotations/config.kubernetes.io~1local-config',
  },
  {
    name: 'has kustomize rename an object',
    entry: merge('metadata: {name: a, annotations: {internal.config.kubernetes.io/allowNameChange: enabled}}'),
    want: 'may not have internal.config.kubernetes.io/allowNameChange',
  },
  {
    name: 'makes an object a hook',
    entry: merge('metadata: {annotations: {helm.sh/hook: pre-install}}'),
    want: 'may not have helm.sh/hook',
  },
  {
    name: 'replaces a map deep within',
    entry: merge('spec: {a: [{$patch: replace}]}'),
    want: 'may not have $patch',
  },
  {
    name: 'deletes items of a list',
    entry: merge('spec: {$deleteFromPrimitiveList/a: [b]}'),
    want: 'may not have $deleteFromPrimitiveList/a',
  },
  {
    name: 'has an anchor',
    entry: merge('a: &a {b: c}\n'),
    want: 'may not have anchors, aliases, tags or merge keys in patches',
  },
  {
    name: 'merges a map',
    entry: merge('metadata: {<<: {annotations: null}}'),
    want: 'may not have anchors, aliases, tags or merge keys in patches',
  },
  {
    name: 'has a tag',
    entry: merge('!!binary JHBhdGNo: delete'),
    want: 'may not have anchors, aliases, tags or merge keys in patches',
  },
  {
    name: 'has a key twice',
    entry: merge('metadata: {annotations: null}\nmetadata: {name: a}'),
    want: 'may not have a key twice in a patch',
  },
  { name: 'removes metadata', entry: merge('metadata: null'), want: 'may not remove metadata' },
  {
    name: 'has annotations that are no map',
    entry: merge('metadata: {annotations: []}'),
    want: 'may not remove all annotations',
  },
  { name: 'is a text', entry: merge('a'), want: ONE },
  { name: 'says nothing', entry: '{}', want: ONE },
  { name: 'is no map', entry: 'a', want: 'must hold patches' },
  { name: 'is a file', entry: '{path: a.yaml}', want: 'may not read patches from files' },
  {
    name: 'has options that are a text',
    entry: '{options: {allowKindChange: "true"}, patch: "metadata: {name: b}"}',
    want: 'may not change the name or kind of an object',
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
  {
    name: 'changes a version',
    entry: json({ op: 'replace', path: '/spec/topology/version', value: 'v1.35.2' }),
    want: 'may not change /spec/topology/version of a Cluster: that takes steps of the tree',
  },
  {
    name: 'changes the name of a class',
    entry: json({ op: 'add', path: '/spec/topology/classRef/name', value: 'a' }),
    want: 'may not change /spec/topology/classRef/name of a Cluster: that takes steps of the tree',
  },
  {
    name: 'moves a class away',
    entry: json({ op: 'move', from: '/spec/topology/class', path: '/spec/a' }),
    want: 'may not change /spec/topology/class of a Cluster: that takes steps of the tree',
  },
  {
    name: 'replaces a topology',
    entry: json({ op: 'replace', path: '/spec/topology', value: {} }),
    want: 'may not change /spec/topology of a Cluster: that takes steps of the tree',
  },
  {
    name: 'removes the spec',
    entry: json({ op: 'remove', path: '/spec' }),
    want: 'may not change /spec of a Cluster: that takes steps of the tree',
  },
  {
    name: 'merges a version',
    entry: merge('kind: Cluster\nspec: {topology: {version: v1.35.2}}'),
    want: 'may not change spec.topology.version of a Cluster: that takes steps of the tree',
  },
  {
    name: 'merges a version into whatever is named',
    entry: `{target: {name: web}, patch: "kind: Machine\\nspec: {topology: {version: v1.35.2}}"}`,
    want: 'may not change spec.topology.version of a Cluster: that takes steps of the tree',
  },
  {
    name: 'merges a class into kinds of a pattern',
    entry: `{target: {kind: Clu.*}, patch: "spec: {topology: {class: a}}"}`,
    want: 'may not change spec.topology.class of a Cluster: that takes steps of the tree',
  },
  {
    name: 'removes a topology',
    entry: merge('kind: Cluster\nspec: {topology: null}'),
    want: 'may not change spec.topology of a Cluster: that takes steps of the tree',
  },
  {
    name: 'removes a spec by merging',
    entry: merge('kind: Cluster\nspec: null'),
    want: 'may not change spec of a Cluster: that takes steps of the tree',
  },
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
