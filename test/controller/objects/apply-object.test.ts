import { beforeEach, describe, expect, test } from 'vitest'
import { applyObject, type ApplyRequest } from '../../../src/controller/objects/apply-object.ts'
import { ApiError } from '../../../src/kube/api-error.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { type KubeObject, readKubeObject } from '../../../src/kube/kube-object.ts'
import { configMaps } from '../../../src/kube/resource.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import type { HttpResponse } from '../../../src/model/http.ts'
import type { ConnectionRequest } from '../../../src/model/server-connection.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const key = { namespace: 'a', name: 'web' }
const wanted = { metadata: { labels: { ours: 'yes' } }, data: { HOST: '192.0.2.1' } }
const ourFields = { 'f:data': { '.': {}, 'f:HOST': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:ours': {} } } }
const theirs = { manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:THEIRS': {} } } }

function entry(operation: 'Apply' | 'Update', fieldsV1: object = ourFields): object {
  return { manager: 'us', operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }
}

function map(managedFields: readonly object[], data: object = wanted.data): object {
  const metadata = { ...wanted.metadata, ...key, uid: 'u', resourceVersion: '7', managedFields }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
}

/** The server counts what it sets by itself as set by who creates. */
const byDefault = { 'f:immutable': {} }

/** An API server with room for one ConfigMap; what is changed in it, it only notes. */
let stored: object | undefined
let writes: unknown[]

beforeEach(() => {
  stored = undefined
  writes = []
})

async function exchange({ method, path, body }: ConnectionRequest): Promise<HttpResponse> {
  const sent: unknown = JSON.parse(new TextDecoder().decode(body))
  writes.push([`${method} ${path}`, sent])
  if (method !== 'POST') return answer(200, map([entry('Apply')]))
  if (stored !== undefined) return answer(409, { reason: 'AlreadyExists', message: 'it is there already' })
  stored = map([entry('Update', { ...ourFields, ...byDefault })])
  return answer(201, stored)
}

function answer(status: number, body: object): HttpResponse {
  return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(body)) }
}

function apply(live: KubeObject | undefined, said: ApplyRequest['wanted'] = wanted): Promise<'written' | 'unchanged'> {
  const limit = new TokenBucket({ perSecond: 100, burst: 100 }, new FakeClock())
  const connection = {
    host: 'test',
    exchange,
    follow: () => Promise.reject(new Error('no watch')),
    reopen: () => Promise.reject(new Error('one is enough')),
    close: async () => undefined,
  }
  const api = new ApiServer(connection, { timeout: 8000, userAgent: 'test', limit, count: () => undefined })
  const request: ApplyRequest = { resource: configMaps, key, wanted: said, live, manager: 'us' }
  return applyObject(api, request, new AbortController().signal)
}

const created = [
  'POST /api/v1/namespaces/a/configmaps?fieldManager=us',
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...wanted.metadata, ...key }, data: wanted.data },
]

function claimed(managedFields: readonly object[]): unknown {
  return [
    'PATCH /api/v1/namespaces/a/configmaps/web?fieldManager=us',
    [
      { op: 'replace', path: '/metadata/managedFields', value: managedFields },
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    ],
  ]
}

describe('an object of ours', () => {
  test('is created, and the fields that we say are those of an apply', async () => {
    expect(await apply(undefined)).toBe('written')
    expect(writes).toEqual([created, claimed([entry('Apply')])])
  })

  test('is not made where somebody has made one meanwhile, which stays as it is', async () => {
    stored = map([theirs], { THEIRS: 'x' })
    const error = await apply(undefined).catch((thrown: unknown) => thrown)
    expect(error instanceof ApiError && [error.status, error.reason]).toEqual([409, 'AlreadyExists'])
    expect([writes, stored]).toEqual([[created], map([theirs], { THEIRS: 'x' })])
  })

  test('that was created and no more gets that made up for', async () => {
    expect(await apply(readKubeObject(map([theirs, entry('Update')])))).toBe('written')
    expect(writes).toEqual([claimed([theirs, entry('Apply')])])
  })

  test('keeps the fields of both where it was applied, too', async () => {
    const applied = entry('Apply', { 'f:data': { 'f:HOST': {}, 'f:OLD': {} } })
    const made = entry('Update', { 'f:data': { '.': {}, 'f:HOST': {} } })
    expect(await apply(readKubeObject(map([applied, made])))).toBe('written')
    expect(writes).toEqual([claimed([entry('Apply', { 'f:data': { 'f:HOST': {}, 'f:OLD': {}, '.': {} } })])])
  })

  test('is applied in the state in which it was seen', async () => {
    expect(await apply(readKubeObject(map([entry('Apply')], { HOST: 'changed' })))).toBe('written')
    expect(writes).toEqual([
      [
        'PATCH /api/v1/namespaces/a/configmaps/web?fieldManager=us&force=true',
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { ...wanted.metadata, ...key, uid: 'u', resourceVersion: '7' },
          data: wanted.data,
        },
      ],
    ])
  })

  test('is left alone where it says all that is wanted', async () => {
    expect(await apply(readKubeObject(map([entry('Apply'), theirs])))).toBe('unchanged')
    expect(writes).toEqual([])
  })

  test('is left alone where a map without entries is wanted, which the server does not store', async () => {
    const said = { ...wanted, metadata: { ...wanted.metadata, annotations: {} } }
    const noted = { ...ourFields, 'f:metadata': { ...ourFields['f:metadata'], 'f:annotations': {} } }
    expect(await apply(readKubeObject(map([entry('Apply', noted)])), said)).toBe('unchanged')
    expect(writes).toEqual([])
  })
})
