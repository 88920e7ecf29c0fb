import fc from 'fast-check'
import type { ChangePart, FieldChange, FoldedChange, FoldedObject, TreeChange } from '../../src/model/tree-change.ts'
import { dict, goInt64, type Value } from '../../src/model/value.ts'

const nasty = [
  '<!-- stackmason:end -->',
  '<!-- stackmason:begin -->',
  '```',
  '</details>',
  '@all',
  'fixes #1',
  'closes https://example.org/o/r/issues/1',
  '| a | b |',
  '\n/close\n',
  '\u202E\u200B',
  '-->',
  '${x}',
  '{{title}}',
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom(...nasty), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ')),
  fc.nat(3000).map((length) => 'x'.repeat(length)),
)
const cluster = fc.record({ namespace: text, name: text })
const clusters = fc.array(cluster, { maxLength: 6 })
const value: fc.Arbitrary<Value> = fc.oneof(
  text,
  fc.boolean(),
  fc.nat(9).map((number) => goInt64(number)),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 3 }).map((entries) => dict(Object.entries(entries))),
  fc.array(text, { maxLength: 5 }).map((lines) => lines.join('\n')),
)
const field: fc.Arbitrary<FieldChange> = fc.record(
  {
    path: fc.array(fc.oneof(text, fc.nat(9), fc.record({ key: text, value: text })), { maxLength: 4 }),
    before: value,
    after: value,
    isReordered: fc.constant(true as const),
    isHidden: fc.constant(true as const),
  },
  { requiredKeys: ['path'] },
)
const risk = fc.constantFrom('deletes', 'replaces', 'rolls-nodes', 'widens-rights', 'changes-crd', 'lowers-guard')
const undo = fc.constantFrom('cluster-is-gone', 'kubernetes-version', 'content-is-gone', 'stored-version')
const object: fc.Arbitrary<FoldedObject> = fc.record({
  change: fc.constantFrom('added', 'removed', 'changed', 'renamed'),
  apiVersion: fc.constantFrom('v1', 'cluster.x-k8s.io/v1beta2'),
  kind: fc.oneof(fc.constantFrom('Cluster', 'ConfigMap'), text),
  name: text,
  fields: fc.array(field, { maxLength: 8 }),
  risks: fc.uniqueArray(risk),
  undo: fc.uniqueArray(undo),
  members: fc.constant([]),
})
const part: fc.Arbitrary<ChangePart> = fc.oneof(
  fc.constant({ kind: 'cluster' } as const),
  fc.constant({ kind: 'handoff' } as const),
  fc.record({ kind: fc.constant('addon' as const), addon: text, owner: fc.constantFrom('release', 'cluster') }),
  fc.record({ kind: fc.constant('stack' as const), namespace: text, tag: text }),
)
const group: fc.Arbitrary<FoldedChange> = fc.record(
  {
    part,
    clusters,
    objects: fc.array(object, { minLength: 1, maxLength: 4 }),
    others: fc.record({ unchanged: clusters, different: clusters }),
  },
  { requiredKeys: ['part', 'clusters', 'objects'] },
)
const count = fc.nat(400)
const version = { before: text, after: text, clusters }

/** Differences of any size, whose names and values are as nasty as they can be. */
export const arbitraryChange: fc.Arbitrary<TreeChange> = fc.record({
  facts: fc.record({
    clusters: fc.record({
      added: fc.array(fc.record({ cluster, objects: count }), { maxLength: 5 }),
      removed: fc.array(fc.record({ cluster, objects: count, isDecommissioned: fc.boolean(), isKept: fc.boolean() }), {
        maxLength: 5,
      }),
      changed: count,
      unchanged: count,
    }),
    kubernetes: fc.array(
      fc.record({ ...version, step: fc.constantFrom('patch' as const, 'minor' as const, 'skips' as const) }),
      { maxLength: 4 },
    ),
    steps: fc.array(
      fc.record(
        {
          what: fc.constantFrom('upgrade' as const, 'decommission' as const),
          change: fc.constantFrom(
            'begins' as const,
            'continues' as const,
            'other-target' as const,
            'given-up' as const,
          ),
          from: text,
          to: text,
          addons: text,
          clusters,
        },
        { requiredKeys: ['what', 'change', 'clusters'] },
      ),
      { maxLength: 4 },
    ),
    addons: fc.array(fc.record({ ...version, addon: text, chart: text }), { maxLength: 4 }),
    images: fc.array(fc.record({ ...version, image: text }), { maxLength: 4 }),
    releases: fc.array(fc.record({ ...version, namespace: text, isBeforeKept: fc.boolean() }), { maxLength: 3 }),
    variables: fc.array(
      fc.record({
        namespace: text,
        release: text,
        name: text,
        change: fc.constantFrom('added' as const, 'removed' as const, 'changed' as const),
        isRequired: fc.boolean(),
        default: fc.record({ before: value, after: value }),
        hasOtherSchema: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    definitions: fc.array(
      fc.record({
        name: text,
        change: fc.constant('changed' as const),
        destination: fc.constant('workload' as const),
        clusters,
        versionsAdded: fc.array(text, { maxLength: 2 }),
        versionsDropped: fc.array(text, { maxLength: 2 }),
        fieldsRemoved: fc.array(text, { maxLength: 4 }),
      }),
      { maxLength: 3 },
    ),
    unread: fc.array(
      fc.record({ path: text, change: fc.constantFrom('added' as const, 'removed' as const), reason: text }),
      { maxLength: 3 },
    ),
  }),
  changes: fc.constant([]),
  groups: fc.array(group, { maxLength: 12 }),
})

/** A text that may hold anything. */
export const arbitraryText: fc.Arbitrary<string> = text
