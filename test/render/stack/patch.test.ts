import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import type { JsonPatchOperation, Patch } from '../../../src/model/fleet.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { dict, type Value } from '../../../src/model/value.ts'
import { applyPatch, matchesTarget } from '../../../src/render/stack/patch.ts'
import { manifestOf, objectOf } from './objects.ts'

const at = { source: { name: 'p.yaml', text: '' }, start: 0, end: 0 }
const config =
  '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}, data: {x: "1", w: "2"}, list: [a, b]}'

function operation(
  op: JsonPatchOperation['op'],
  path: string,
  rest: { readonly value?: Value; readonly from?: string } = {},
): JsonPatchOperation {
  return { op, path, at, ...rest }
}

function patchOf(parts: Partial<Patch>): Patch {
  return { target: {}, optional: false, at, document: { span: at, index: 0, words: 'bool' as const }, ...parts }
}

describe('applyPatch', () => {
  const rows: readonly {
    readonly name: string
    readonly patch: Partial<Patch>
    readonly want?: string
    readonly wantError?: string
  }[] = [
    {
      name: 'add to a map',
      patch: { jsonPatch: [operation('add', '/data/z', { value: '3' })] },
      want: '{"data":{"w":"2","x":"1","z":"3"},"list":["a","b"]}',
    },
    {
      name: 'add replaces',
      patch: { jsonPatch: [operation('add', '/data/x', { value: '3' })] },
      want: '{"data":{"w":"2","x":"3"},"list":["a","b"]}',
    },
    {
      name: 'add into a list',
      patch: { jsonPatch: [operation('add', '/list/1', { value: 'c' })] },
      want: '{"data":{"w":"2","x":"1"},"list":["a","c","b"]}',
    },
    {
      name: 'add at the end',
      patch: { jsonPatch: [operation('add', '/list/-', { value: 'c' })] },
      want: '{"data":{"w":"2","x":"1"},"list":["a","b","c"]}',
    },
    {
      name: 'remove',
      patch: { jsonPatch: [operation('remove', '/list/0'), operation('remove', '/data/x')] },
      want: '{"data":{"w":"2"},"list":["b"]}',
    },
    {
      name: 'replace in a list',
      patch: { jsonPatch: [operation('replace', '/list/0', { value: 'c' })] },
      want: '{"data":{"w":"2","x":"1"},"list":["c","b"]}',
    },
    {
      name: 'move',
      patch: { jsonPatch: [operation('move', '/data/z', { from: '/data/x' })] },
      want: '{"data":{"w":"2","z":"1"},"list":["a","b"]}',
    },
    {
      name: 'copy',
      patch: { jsonPatch: [operation('copy', '/data/z', { from: '/data/x' })] },
      want: '{"data":{"w":"2","x":"1","z":"1"},"list":["a","b"]}',
    },
    {
      name: 'test that holds',
      patch: { jsonPatch: [operation('test', '/data/x', { value: '1' })] },
      want: '{"data":{"w":"2","x":"1"},"list":["a","b"]}',
    },
    {
      name: 'test that fails',
      patch: { jsonPatch: [operation('test', '/data/x', { value: '2' })] },
      wantError: 'test /data/x on ConfigMap ns/a: the value is another one',
    },
    {
      name: 'nothing there',
      patch: { jsonPatch: [operation('replace', '/data/q/r', { value: '2' })] },
      wantError: 'replace /data/q/r on ConfigMap ns/a: there is nothing at /data/q',
    },
    {
      name: 'past the end',
      patch: { jsonPatch: [operation('add', '/list/5', { value: '2' })] },
      wantError: 'add /list/5 on ConfigMap ns/a: index 5 is past the end of the list',
    },
    {
      name: 'no index',
      patch: { jsonPatch: [operation('add', '/list/01', { value: '2' })] },
      wantError: 'add /list/01 on ConfigMap ns/a: "01" is not a list index',
    },
    {
      name: 'no pointer',
      patch: { jsonPatch: [operation('add', 'data', { value: '2' })] },
      wantError: 'add data on ConfigMap ns/a: a JSON pointer starts with "/"',
    },
    {
      name: 'escapes',
      patch: { jsonPatch: [operation('add', '/data/a~1b~0c', { value: '2' })] },
      want: '{"data":{"a/b~c":"2","w":"2","x":"1"},"list":["a","b"]}',
    },
    {
      name: '__proto__ is a key',
      patch: { jsonPatch: [operation('add', '/data/__proto__', { value: '2' })] },
      want: '{"data":{"__proto__":"2","w":"2","x":"1"},"list":["a","b"]}',
    },
    {
      name: 'merge',
      patch: { mergePatch: objectOf('{data: {x: null, z: {deep: [1]}}, list: [z]}') },
      want: '{"data":{"w":"2","z":{"deep":[1]}},"list":["z"]}',
    },
    {
      name: 'identity stays',
      patch: { mergePatch: objectOf('{metadata: {name: b}}') },
      wantError: 'the patch changes apiVersion, kind, name or namespace of ConfigMap ns/a',
    },
  ]
  test.each(rows)('$name', ({ patch, want, wantError }) => {
    const manifest = manifestOf(config)
    const before = formatGoJson(manifest.object)
    expect(outcome(manifest, patchOf(patch))).toBe(wantError ?? want)
    expect(formatGoJson(manifest.object)).toBe(before)
  })
})

/** `data` and `list` of the patched object as JSON, or the message of the refusal. */
function outcome(manifest: Manifest, patch: Patch): string {
  try {
    const { object } = applyPatch(manifest, patch)
    return formatGoJson(
      dict([
        ['data', object.get('data') ?? null],
        ['list', object.get('list') ?? null],
      ]),
    )
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.message
  }
}

describe('matchesTarget', () => {
  const manifest = manifestOf('{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns}}', 'cni')
  const rows: readonly [Patch['target'], boolean][] = [
    [{}, true],
    [{ kind: 'Deployment' }, true],
    [{ kind: 'DaemonSet' }, false],
    [{ group: 'apps', version: 'v1' }, true],
    [{ group: '' }, false],
    [{ name: 'a', namespace: 'ns' }, true],
    [{ namespace: 'm' }, false],
    [{ addon: 'cni' }, true],
    [{ addon: 'csi' }, false],
  ]
  test.each(rows)('%j: %s', (target, want) => {
    expect(matchesTarget(manifest, target)).toBe(want)
  })
})
