import { expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { findMalformed } from '../../../src/handoff/secrets/find-malformed.ts'
import type { LocatedToken } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { Dict } from '../../../src/model/value.ts'

function find(kind: string, fields: object, { apiVersion = 'v1', deferred = [] as readonly LocatedToken[] } = {}) {
  const object = parseGoYaml(JSON.stringify({ apiVersion, kind, metadata: { name: 's' }, ...fields }), {
    integers: 'int',
  })
  if (!(object instanceof Dict)) throw new TypeError('not a map')
  const origin = { from: 'own', unit: 'own', template: 'own/a.yaml' }
  const manifest = { apiVersion, kind, name: 's', namespace: 'team', object, origin, deferred }
  return findMalformed([{ path: 'clusters/team/web/addons/own', manifests: [manifest] }])
}

const said = (kind: string, fields: object): readonly string[] =>
  find(kind, fields).map(({ code, severity, message }) => `${severity} ${code} ${message}`)

test.each([
  ['Secret', { stringData: { a: { b: 'hunter2' } } }, 'stringData.a has to be text, and is a map'],
  ['Secret', { stringData: { a: ['hunter2'] } }, 'stringData.a has to be text, and is a list'],
  ['Secret', { stringData: { a: 12_345 } }, 'stringData.a has to be text, and is a number'],
  ['Secret', { stringData: { a: true } }, 'stringData.a has to be text, and is true or false'],
  ['Secret', { data: { a: 12_345 } }, 'data.a has to be text, and is a number'],
  ['Secret', { data: { a: 'hunter2-not-base64' } }, 'data.a is not base64'],
  ['Secret', { data: { 'hunter2 !': 'x' } }, 'data.<key of 9 characters> is not base64'],
  ['Secret', { stringData: ['hunter2'] }, 'stringData has to be a map of texts, and is a list'],
  ['Secret', { data: 'hunter2' }, 'data has to be a map of texts, and is a text'],
  ['Secret', { datas: { a: 'hunter2' } }, 'has no such field: datas'],
  ['Secret', { data: { a: 'ENC[AES256_GCM,data:x]' } }, 'data.a is not base64'],
  ['ConfigMap', { data: { a: { b: 'hunter2' } } }, 'data.a has to be text, and is a map'],
  ['ConfigMap', { data: { a: 1 } }, 'data.a has to be text, and is a number'],
  ['ConfigMap', { binaryData: { a: 'hunter2!' } }, 'binaryData.a is not base64'],
  ['ConfigMap', { stringData: { a: 'hunter2' } }, 'has no such field: stringData'],
])('%s %j', (kind, fields, want) => {
  expect(said(kind, fields)).toEqual([`error OBJECT_INVALID No API server takes ${kind} team/s (own/a.yaml): ${want}`])
  expect(
    find(kind, fields)
      .map(({ message, hint }) => `${message} ${hint ?? ''}`)
      .join(''),
  ).not.toContain('hunter2')
})

test.each([
  ['Secret', { type: 'Opaque', immutable: true, data: { a: 'aHVudGVyMg==', b: '', c: null }, stringData: { d: '1' } }],
  ['Secret', { data: null, stringData: {} }],
  ['Secret', { data: { a: 'ENC[AES256_GCM,data:x]' }, sops: { version: '3' } }],
  ['ConfigMap', { data: { a: 'x' }, binaryData: { b: 'aGk=' } }],
  ['Role', { rules: [] }],
])('takes %s %j', (kind, fields) => {
  expect(said(kind, fields)).toEqual([])
})

test('what is known only later, and other groups', () => {
  const tokens = createTokenTable()
  const text = tokens.add({ kind: 'runtime', type: 'host', path: 'Cluster.spec.controlPlaneEndpoint.host' })
  const deferred = [{ pointer: '/data/a', text, tokens, written: 'p' }]
  expect(find('Secret', { data: { a: 'p' } }, { deferred })).toEqual([])
  expect(find('Secret', { spec: {} }, { apiVersion: 'example.com/v1' })).toEqual([])
})
