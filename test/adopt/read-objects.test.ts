import { describe, expect, test } from 'vitest'
import { positionAt, type Span } from '../../src/model/source.ts'
import { readObjects } from '../../src/adopt/read-objects.ts'

function read(text: string): readonly string[] {
  const { objects, problems } = readObjects({ file: 'a.yaml', text, clusterKey: '' })
  return [
    ...objects.map(({ apiVersion, kind, namespace, name }) => `${apiVersion} ${kind} ${namespace}/${name}`),
    ...problems.map(({ code, message, at }) => `${code}${at === undefined ? '' : placeOf(at)} ${message}`),
  ]
}

function placeOf({ source, start }: Span): string {
  // what the file holds may be secret
  expect(source.text.trim()).toBe('')
  const { line, column } = positionAt(source, start)
  return ` ${source.name}:${String(line)}:${String(column)}`
}

const bomb = [
  'a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]',
  ...Array.from({ length: 12 }, (_, i) => {
    const before = i === 0 ? 'a' : `a${String(i - 1)}`
    return `b${String(i)}: &a${String(i)} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`
  }),
].join('\n')

describe('readObjects', () => {
  test.each([
    {
      name: 'one object',
      text: 'apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n',
      want: ['v1 Secret b/a'],
    },
    {
      name: 'several documents, empty ones between',
      text: '---\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n...\n---\n# nothing\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n',
      want: ['v1 A /a', 'v1 B /b'],
    },
    {
      name: 'a list',
      text: 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- {apiVersion: v2, kind: B, metadata: {name: b}}\n',
      want: ['v1 A /a', 'v2 B /b'],
    },
    {
      name: 'a typed list, whose items do not say what they are',
      text: 'apiVersion: x/v1\nkind: ThingList\nitems:\n- metadata: {name: a}\n',
      want: ['x/v1 Thing /a'],
    },
    {
      name: 'JSON',
      text: '{\n    "apiVersion": "v1",\n    "items": [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}],\n    "kind": "List"\n}\n',
      want: ['v1 A /a'],
    },
    {
      name: 'keys that objects of JavaScript have',
      text: 'apiVersion: v1\nkind: A\nmetadata: {name: a, __proto__: {namespace: evil}, constructor: {}}\n__proto__: {kind: B}\n',
      want: ['v1 A /a'],
    },
    { name: 'nothing', text: '', want: [] },
    {
      name: 'text',
      text: 'hello\n',
      want: [
        'ADOPT_INPUT_INVALID the document of line 1 is not a Kubernetes object: it needs apiVersion, kind and metadata.name',
      ],
    },
    {
      name: 'an item without a name',
      text: 'kind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- {apiVersion: v1, kind: A}\n',
      want: [
        'v1 A /a',
        'ADOPT_INPUT_INVALID item 2 of the document of line 1 is not a Kubernetes object: it needs apiVersion, kind and metadata.name',
      ],
    },
    {
      name: 'no YAML, without quoting it',
      text: 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\npassword: "hunter2\n',
      want: ['v1 A /a', 'CONFIG_SYNTAX a.yaml:6:1 this is not YAML or JSON that can be read'],
    },
    ...[
      { kind: 'ClusterStack', name: '../x', part: 'name' },
      { kind: 'ClusterStack', name: '../../x', part: 'name' },
      { kind: 'ClusterStack', name: '..', part: 'name' },
      { kind: 'ClusterStack', name: 'x/y', part: 'name' },
      { kind: 'ClusterStack', name: 'x\\ny', part: 'name' },
      { kind: 'ClusterStack', name: 'x', namespace: '../y', part: 'namespace' },
      { kind: 'Clu/ster', name: 'x', part: 'kind' },
      { kind: 'Cluster\\nerror', name: 'x', part: 'kind' },
    ].map(({ kind, name, namespace = 'a', part }) => ({
      name: `a ${part} that would lead elsewhere: ${kind} ${namespace} ${name}`,
      text: `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: "${kind}"\nmetadata: {name: "${name}", namespace: "${namespace}"}\n`,
      want: [`ADOPT_INPUT_INVALID the document of line 1 has a ${part} that no API server takes`],
    })),
    {
      name: 'aliases that repeat each other',
      text: bomb,
      want: ['CONFIG_SYNTAX a.yaml:4:25 this is not YAML or JSON that can be read'],
    },
  ])('$name', ({ text, want }) => {
    expect(read(text)).toEqual(want)
  })
})
