import { describe, expect, test } from 'vitest'
import type { JsonPatchOperation } from '../../../src/model/fleet.ts'
import { dict } from '../../../src/model/value.ts'
import { applyPatch } from '../../../src/render/stack/patch.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { countWork } from '../../support/count-work.ts'
import { manifestOf } from './objects.ts'

const at = { source: { name: 'p.yaml', text: '' }, start: 0, end: 0 }
const OBJECT = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: "1", w: {z: {}}}, list: [a, b]}'

type Make = (index: number) => Omit<JsonPatchOperation, 'at'>

function patched(count: number, make: Make, object = OBJECT): () => unknown {
  const jsonPatch = Array.from({ length: count }, (_, index) => ({ ...make(index), at }))
  const manifest = manifestOf(object)
  return () =>
    applyPatch(manifest, {
      target: {},
      optional: false,
      at,
      document: { span: at, index: 0, words: 'bool' as const },
      jsonPatch,
    })
}

const shapes: Readonly<Record<string, Make>> = {
  'keys that are added': (index) => ({ op: 'add', path: `/data/k${index}`, value: '1' }),
  'one key that is added': () => ({ op: 'add', path: '/data/k', value: '1' }),
  'items that are added': () => ({ op: 'add', path: '/list/-', value: 'a' }),
  'a value that is replaced': () => ({ op: 'replace', path: '/data/x', value: '1' }),
  'a value that is copied': (index) => ({ op: 'copy', path: `/data/k${index}`, from: '/data/x' }),
  'a value that is moved there and back': (index) =>
    index % 2 === 0
      ? { op: 'move', path: '/data/k', from: '/data/x' }
      : { op: 'move', path: '/data/x', from: '/data/k' },
  'a value that is tested': () => ({
    op: 'test',
    path: '/data',
    value: dict([
      ['x', '1'],
      ['w', dict([['z', dict([])]])],
    ]),
  }),
}

describe('a patch of twice the size takes twice the steps:', () => {
  test.each(Object.entries(shapes))('%s', (_, make) => {
    const work = (count: number): number => countWork(patched(count, make))
    work(500)
    expect(work(2000)).toBeLessThan(2.3 * work(1000) + 5000)
  })

  test('a test of a large map against a small one takes no more than what is copied anyway', () => {
    const large = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {${Array.from({ length: 2000 }, (_, index) => `k${index}: {}`).join(', ')}}}`
    const bare = countWork(patched(0, () => ({ op: 'remove', path: '' }), large))
    const run = patched(1, () => ({ op: 'test', path: '/data', value: dict([]) }), large)
    expect(countWork(() => expect(run).toThrow('the value is another one'))).toBeLessThan(bare + 5000)
  })
})

describe('a patch is refused', () => {
  const refused = async (count: number, make: Make): Promise<readonly string[]> =>
    (await diagnosticsOf(Promise.resolve().then(patched(count, make)))).map(({ code, message }) => `${code} ${message}`)

  test.each([
    {
      name: 'that copies a map into itself again and again',
      count: 40,
      make: (index: number) => ({ op: 'copy' as const, path: `/data/k${index}`, from: '/data' }),
      want: 'PATCH_FAILED copy /data/k19 on ConfigMap a: the copies of the patch come to more than 3145728 characters',
    },
    {
      name: 'that moves a value without end',
      count: 10_001,
      make: () => ({ op: 'remove' as const, path: '/data/x' }),
      want: 'PATCH_FAILED the patch on ConfigMap a has 10001 operations, more than 10000',
    },
  ])('$name', async ({ count, make, want }) => {
    expect(await refused(count, make)).toEqual([want])
  })

  test('that nests its object too deeply', async () => {
    const path = (depth: number): string => `/data${'/w'.repeat(depth)}`
    const make = (index: number): Omit<JsonPatchOperation, 'at'> => ({
      op: 'copy',
      path: path(2 ** (index + 1)),
      from: path(2 ** index),
    })
    const deep = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: ${'{w: '.repeat(200)}{}${'}'.repeat(200)}}`
    const jsonPatch = [{ ...make(0), path: path(200), from: '/data', at }]
    const patch = {
      target: {},
      optional: false,
      at,
      document: { span: at, index: 0, words: 'bool' as const },
      jsonPatch,
    }
    const found = await diagnosticsOf(Promise.resolve().then(() => applyPatch(manifestOf(deep), patch)))
    expect(found.map(({ message }) => message.replace(/\/w/g, ''))).toEqual([
      'copy /data on ConfigMap a: the object would nest more than 250 deep',
    ])
  })
})
