import { describe, expect, test } from 'vitest'
import {
  formatStates,
  type MigrationState,
  readState,
} from '../../../src/controller/storage-migration/migration-state.ts'
import { readKubeObject } from '../../../src/kube/kube-object.ts'
import { HttpError, type HttpResponse } from '../../../src/model/http.ts'
import { FakeDefinition, notFound, refusal, type SeenRequest } from './fake-definition.ts'

function filled(): FakeDefinition {
  const server = new FakeDefinition()
  server.fill(3, 'v1')
  server.fill(2, 'v2')
  return server
}

function isWriteOf(name: string): (request: SeenRequest) => boolean {
  return ({ method, path }) => method === 'PATCH' && path.includes(`/things/${name}`)
}

/** In the middle of a walk. */
async function brokenOff(): Promise<FakeDefinition> {
  const server = filled()
  server.page = 2
  await server.step()
  server.now += 30_000
  let looks = 0
  await server.step(server.memory, () => ++looks > 8)
  return server
}

/** Happens once. */
function once<T>(isMeant: (request: SeenRequest) => boolean, act: () => T): (request: SeenRequest) => T | undefined {
  let isDone = false
  return (request) => {
    if (isDone || !isMeant(request)) return undefined
    isDone = true
    return act()
  }
}

const migrated = { reason: 'Succeeded', migrated: true }

describe('a definition', () => {
  test('is migrated when nothing has changed for a while and all API servers know', async () => {
    const server = filled()
    expect(await server.step()).toMatchObject({ state: { reason: 'Settling' }, again: 30_000 })
    server.now += 29_999
    expect(await server.step()).toMatchObject({ state: { reason: 'Settling' }, again: 1 })
    expect(server.requests.every(({ method }) => method === 'GET')).toBe(true)
    server.now += 1
    server.lagging = 'v1'
    expect(await server.step()).toMatchObject({ state: { reason: 'Settling' }, again: 5000 })
    server.lagging = undefined
    server.now += 5000
    expect((await server.step()).state).toMatchObject({
      ...migrated,
      message: '3 objects rewritten, 2 already in v2',
      counts: { rewritten: 3, alreadyCurrent: 2, failed: 0, remaining: 0 },
    })
    expect([server.inStore(), server.storedVersions, server.pruned, server.fresh]).toEqual([
      { v2: 5 },
      ['v2'],
      [{ v2: 5 }],
      4,
    ])
  })

  test('is asked for once when there is nothing more to do', async () => {
    const server = filled()
    await server.settle()
    const before = server.requests.length
    expect(await server.step()).toEqual({ state: server.state })
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET'])
  })

  test.each([
    ['is not served yet', { conditions: [] }, 'NotEstablished', undefined],
    [
      'is not structural',
      {
        conditions: [
          { type: 'Established', status: 'True' },
          { type: 'NonStructuralSchema', status: 'True' },
        ],
      },
      'NonStructuralSchema',
      undefined,
    ],
    ['has no served version', { served: [] }, 'NoServedVersion', undefined],
    [
      'is migrated by the server',
      {
        conditions: [
          { type: 'Established', status: 'True' },
          { type: 'StorageMigrating', status: 'True' },
        ],
      },
      'OtherMigrator',
      'Server',
    ],
    [
      'is migrated by the server, whatever an earlier try has made of storedVersions',
      {
        storedVersions: ['v2'],
        conditions: [
          { type: 'Established', status: 'True' },
          { type: 'StorageMigrating', status: 'True' },
        ],
      },
      'OtherMigrator',
      'Server',
    ],
    [
      'is migrated by Cluster API',
      { annotations: { 'crd-migration.cluster.x-k8s.io/observed-generation': '3' } },
      'OtherMigrator',
      'ClusterAPI',
    ],
    ['is not there', { isThere: false }, 'DefinitionNotFound', undefined],
  ])('that %s is left alone', async (_, change, reason, migrator) => {
    const server = Object.assign(filled(), change)
    server.now = 60_000
    const { state, again } = await server.step()
    expect([state.reason, state.migrator, state.migrated, again]).toEqual([reason, migrator, false, 60_000])
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
  })

  test('that has not got the wanted storage version is waited for, whatever was done before', async () => {
    const server = filled()
    await server.settle()
    const before = server.requests.length
    server.wantedVersion = 'v3'
    expect(await server.step()).toEqual({
      state: {
        name: 'things.example.com',
        migrated: false,
        reason: 'WaitingForStorageVersion',
        message: 'its storage version is v2: waits until it is v3',
        definition: { uid: 'crd-1', generation: 3, storageVersion: 'v2', possibleVersions: ['v2'] },
      },
      again: 60_000,
    })
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET'])
    server.wantedVersion = 'v1'
    server.define({ storage: 'v1' })
    expect(await server.settle()).toEqual(['Settling', 'Succeeded'])
    expect(server.storedVersions).toEqual(['v1'])
  })

  test('that Cluster API has migrated is migrated', async () => {
    const server = Object.assign(filled(), {
      storedVersions: ['v2'],
      annotations: { 'crd-migration.cluster.x-k8s.io/observed-generation': '3' },
    })
    expect((await server.step()).state).toMatchObject({ ...migrated, migrator: 'ClusterAPI' })
  })

  test('whose storedVersions the server has emptied after a failure of its own is rewritten all the same', async () => {
    const server = filled()
    server.storedVersions = ['v2']
    server.conditions = [
      { type: 'Established', status: 'True' },
      { type: 'StorageMigrating', status: 'False', reason: 'MigrationFailed' },
    ]
    server.preflight = true
    expect((await server.step()).state.versions?.[0]?.message).toMatch(
      /^objects may be stored in it, for the server's own migration has failed; it is served/,
    )
    server.preflight = false
    await server.settle()
    expect([server.state, server.inStore()]).toMatchObject([
      { ...migrated, message: '3 objects rewritten, 2 already in v2' },
      { v2: 5 },
    ])
    expect(server.state?.versions?.[0]?.message).toMatch(/^it is served/)
    // it is asked for once when there is nothing more to do
    const before = server.requests.length
    await server.step()
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET'])
  })

  test('whose storage version is not served is written in another', async () => {
    const server = filled()
    server.served = ['v1']
    await server.settle()
    expect([server.state, server.inStore(), server.storedVersions]).toMatchObject([migrated, { v2: 5 }, ['v2']])
    expect(server.requests.some(({ path }) => path.startsWith('/apis/example.com/v2'))).toBe(false)
  })

  test('that changes between the last look and the prune is not pruned', async () => {
    const server = filled()
    server.fate = once(
      ({ method, path }) =>
        method === 'PATCH' && path.endsWith('/status') && path.includes('customresourcedefinitions'),
      () => {
        server.define({ storage: 'v1' })
        server.write('v1-0')
        server.define({ storage: 'v2' })
        return undefined
      },
    )
    expect(await server.settle()).toEqual(['Settling', 'StorageVersionChanged', 'Settling', 'Succeeded'])
    expect(server.pruned).toEqual([{ v2: 5 }])
  })

  test.each([403, 404, 409, 422])(
    'whose storedVersions a webhook keeps as they are, with %i, says so',
    async (status) => {
      const server = filled()
      let asked = 0
      server.fate = ({ method, path }) => {
        if (method !== 'PATCH' || !path.includes('customresourcedefinitions')) return undefined
        asked += 1
        return refusal(status, 'No', 'admission webhook "w.example.com" denied the request: not now')
      }
      expect(await server.settle()).toEqual(['Settling', 'AdmissionDenied'])
      expect(server.state).toMatchObject({
        migrated: false,
        message: '5 objects migrated, but storedVersions stays as it is: admission webhook w.example.com refuses it',
        counts: { rewritten: 3, alreadyCurrent: 2 },
      })
      const { again } = await server.step()
      expect([asked, again !== undefined && again > 25_000, server.storedVersions]).toEqual([1, true, ['v1', 'v2']])
      server.fate = () => undefined
      server.now += again ?? 0
      await server.settle()
      expect([server.state, server.storedVersions]).toMatchObject([migrated, ['v2']])
    },
  )

  test('that changes between two slices is begun anew', async () => {
    const server = await brokenOff()
    expect(server.state?.reason).toBe('Progressing')
    server.define({ storage: 'v1' })
    server.write('v1-0')
    server.define({ storage: 'v2' })
    expect(await server.settle()).toEqual(['Settling', 'Succeeded'])
    expect(server.pruned).toEqual([{ v2: 5 }])
  })

  test('goes on after a slice where it was', async () => {
    const server = filled()
    server.page = 2
    await server.step()
    server.now += 30_000
    for (let slices = 0; slices < 100 && server.state?.migrated !== true; slices++) {
      let looks = 0
      await server.step(server.memory, () => ++looks > 6)
    }
    expect(server.state).toMatchObject({ ...migrated, counts: { rewritten: 3, alreadyCurrent: 2 } })
    const writes = server.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/things/'))
    expect(writes.length).toBe(5)
  })

  test('is taken up by another process without writing again what was written', async () => {
    const server = await brokenOff()
    const written = server.requests.filter(({ method }) => method === 'PATCH').length
    expect(written).toBeGreaterThan(0)
    expect(await server.settle({})).toEqual(['Settling', 'Succeeded'])
    expect(server.state).toMatchObject({ ...migrated, counts: { rewritten: 3, alreadyCurrent: 2 } })
    expect(server.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/things/')).length).toBe(5)
  })

  test('is not pruned for a walk that an error broke off', async () => {
    const server = filled()
    await server.step()
    server.now += 30_000
    server.fate = once(isWriteOf('v1-1'), () => {
      throw new Error('lost the lease')
    })
    await expect(server.step()).rejects.toThrow('lost the lease')
    expect(server.pruned).toEqual([])
    await server.settle()
    expect([server.state, server.pruned]).toMatchObject([migrated, [{ v2: 5 }]])
  })

  test('that is gone meanwhile ends it', async () => {
    const server = filled()
    server.fate = once(isWriteOf('v1-1'), () => {
      server.isThere = false
      return undefined
    })
    expect(await server.settle()).toEqual(['Settling', 'StorageVersionChanged', 'DefinitionNotFound'])
  })
})

describe('a cluster that is restored from a backup', () => {
  test.each([
    ['the same process', (server: FakeDefinition) => server.memory],
    ['one that has begun since', () => ({})],
  ])('after a migration is migrated as a whole again, by %s', async (_, memoryOf) => {
    const server = filled()
    await server.settle()
    server.restore('v1')
    expect(await server.settle(memoryOf(server))).toEqual(['Settling', 'Succeeded'])
    expect([server.state, server.inStore(), server.pruned.at(-1)]).toMatchObject([
      { ...migrated, counts: { rewritten: 5, alreadyCurrent: 0 }, definition: { possibleVersions: ['v2'] } },
      { v2: 5 },
      { v2: 5 },
    ])
  })

  test('in the middle of a walk is walked from the beginning, by another process', async () => {
    const server = await brokenOff()
    expect(server.state).toMatchObject({ reason: 'Progressing', since: expect.any(String) })
    server.restore('v1')
    await server.settle({})
    expect([server.state, server.pruned]).toMatchObject([
      { ...migrated, counts: { rewritten: 5, alreadyCurrent: 0 } },
      [{ v2: 5 }],
    ])
  })
})

describe('storedVersions that somebody else has shortened', () => {
  /** As docs/22 has it for working without the controller. */
  function shorten(server: FakeDefinition): void {
    server.storedVersions = [server.storage]
  }

  /** As it is read from the status of the object. */
  function restated(state: MigrationState | undefined): MigrationState | undefined {
    if (state === undefined) return undefined
    const status = { customResourceDefinitions: formatStates([state]) }
    const object = readKubeObject({ metadata: { name: 'a', namespace: 'b' }, status })
    return object && readState(object, state.name)
  }

  function refusing(name: string): FakeDefinition {
    const server = filled()
    server.fate = (request) => (isWriteOf(name)(request) ? refusal(422, 'Invalid') : undefined)
    return server
  }

  test.each([
    ['the same process', (server: FakeDefinition) => server.memory],
    ['another process', () => ({})],
  ])('make %s forget no object that could not be rewritten, whatever becomes of the definition', async (_, memory) => {
    const server = refusing('v1-1')
    await server.settle()
    const message = '1 object could not be rewritten: v1-1: the server refuses it with status 422'
    expect(server.state).toMatchObject({ reason: 'AdmissionDenied', message })
    shorten(server)
    server.now += 3_600_000
    server.state = restated(server.state)
    await server.settle(memory(server))
    expect(server.state).toMatchObject({ reason: 'AdmissionDenied', migrated: false, message })
    server.define({ served: ['v2'] })
    shorten(server)
    expect(await server.settle(memory(server))).toEqual(['Settling', 'AdmissionDenied'])
    expect(server.state).toMatchObject({ migrated: false, message })
    expect(server.state?.versions).toBe(undefined)
    server.fate = () => undefined
    server.now += 3_600_000
    await server.settle(memory(server))
    expect([server.state, server.inStore()]).toMatchObject([migrated, { v2: 5 }])
    expect(server.state?.versions?.[0]).toEqual({ name: 'v1', removable: true, message: 'nothing is in the way' })
  })

  test.each([
    ['while API servers settle', 0],
    ['in the middle of a walk', 30_000],
  ])('%s end no walk', async (_, passed) => {
    const server = filled()
    server.page = 2
    await server.step()
    server.now += passed
    let looks = 0
    await server.step(server.memory, () => ++looks > 8)
    expect(server.inStore()['v1']).toBeGreaterThan(0)
    shorten(server)
    await server.settle()
    expect([server.state, server.inStore()]).toMatchObject([
      { ...migrated, message: '3 objects rewritten, 2 already in v2' },
      { v2: 5 },
    ])
  })

  test('are not believed where the controller has seen no migration', async () => {
    const server = filled()
    shorten(server)
    server.preflight = true
    await server.settle()
    expect(server.state?.versions?.[0]?.message).toMatch(
      /^objects may be stored in it: the controller has not seen all of them migrated; it is served: /,
    )
    server.preflight = false
    await server.settle()
    expect([server.state, server.inStore()]).toMatchObject([
      { ...migrated, message: '3 objects rewritten, 2 already in v2' },
      { v2: 5 },
    ])
  })

  test.each([
    ['there and back', () => undefined, ['Settling', 'Succeeded'], '1 object rewritten, 4 already in v2'],
    [
      'back, by a backup',
      (server: FakeDefinition) => {
        server.generation -= 3
      },
      ['Settling', 'Succeeded'],
      '1 object rewritten, 4 already in v2',
    ],
  ])('are not believed of a definition that went %s meanwhile, and are once all has been walked', async (...row) => {
    const [, further, reasons, message] = row
    const server = filled()
    await server.settle()
    server.define({ storage: 'v1' })
    server.write('v2-0')
    server.define({ storage: 'v2' })
    further(server)
    shorten(server)
    server.state = restated(server.state)
    expect(await server.settle({})).toEqual(reasons)
    expect([server.state?.message, server.inStore()]).toEqual([message, { v2: 5 }])
    server.define({ served: ['v2'] })
    expect(await server.settle({})).toEqual(['Succeeded'])
  })

  test('keep a version that the definition no longer has, too', async () => {
    const server = refusing('v1-1')
    await server.settle()
    const known = server.state?.definition
    server.state = { ...migrated, name: 'x', message: '', reason: 'AdmissionDenied', migrated: false }
    if (known !== undefined)
      server.state = { ...server.state, definition: { ...known, possibleVersions: ['v0', 'v2'] } }
    server.define({})
    server.define({})
    shorten(server)
    await server.step({})
    expect(server.state.definition?.possibleVersions).toEqual(['v2', 'v0', 'v1', 'v3'])
  })

  test('do not hide that the storage version was another one', async () => {
    const server = filled()
    await server.settle()
    server.define({ storage: 'v3', served: ['v2', 'v3'] })
    shorten(server)
    expect(await server.settle()).toEqual(['Settling', 'Succeeded'])
    expect([server.state?.message, server.inStore()]).toEqual(['5 objects rewritten, 0 already in v3', { v3: 5 }])
  })

  test('are believed where they have been so since a walk of ours: then only managedFields are looked at', async () => {
    const server = filled()
    await server.settle()
    const before = server.requests.length
    server.define({ served: ['v2'] })
    expect(await server.settle()).toEqual(['Succeeded'])
    expect(server.state?.message).toBe(
      'no object can be stored in another version than v2; managedFields of 5 objects looked at',
    )
    const bodies = server.requests.slice(before).filter(({ method }) => method === 'PATCH')
    expect([bodies.length, bodies.every(({ body }) => Array.isArray(body))]).toEqual([3, true])
  })

  test.each([
    ['a whole walk', () => undefined, 'Succeeded'],
    ['a walk with failures', (request: SeenRequest) => isWriteOf('v1-1')(request), 'AdmissionDenied'],
  ])('are told apart where the status has lost what the controller knew after %s', async (_, isRefused, reason) => {
    const server = filled()
    server.fate = (request) => (isRefused(request) === true ? refusal(422, 'Invalid') : undefined)
    await server.settle()
    // an older definition of StorageMigrations drops the field
    const { possibleVersions, ...of } = server.state?.definition ?? { uid: '', generation: 0, storageVersion: '' }
    expect(possibleVersions).not.toBe(undefined)
    if (server.state !== undefined) server.state = { ...server.state, definition: of }
    server.define({ served: ['v2'] })
    shorten(server)
    expect((await server.settle({})).at(-1)).toBe(reason)
  })
})

describe('an object', () => {
  test.each([
    [
      'is written by somebody else meanwhile',
      (server: FakeDefinition) => {
        server.write('v1-1')
      },
      { rewritten: 3 },
    ],
    [
      'is deleted meanwhile',
      (server: FakeDefinition) => {
        server.objects.delete('v1-1')
      },
      { rewritten: 2 },
    ],
  ])('that %s needs nothing more', async (_, act, counts) => {
    const server = filled()
    server.fate = once(isWriteOf('v1-1'), () => {
      act(server)
      return undefined
    })
    await server.settle()
    expect([server.state, server.storedVersions]).toMatchObject([{ ...migrated, counts }, ['v2']])
  })

  const denied = (status: number): HttpResponse =>
    refusal(status, 'NotFound', 'admission webhook "w.example.com" denied the request: classes "x" not found')
  const webhook = 'admission webhook w.example.com refuses it'
  const all: typeof isWriteOf = (name) => (request) => request.path.includes(`/things/${name}`)

  test.each([
    ['a webhook misses something else', isWriteOf, denied(404), 'AdmissionDenied', webhook],
    [
      'a webhook misses something else of its name',
      isWriteOf,
      notFound('classes', 'v1-1', 'admission webhook "w.example.com" denied the request: classes "v1-1" not found'),
      'AdmissionDenied',
      webhook,
    ],
    ['its namespace is missed', isWriteOf, notFound('namespaces', 'v1-1'), 'ServerError', undefined],
    ['a server takes no writes of the version yet', isWriteOf, refusal(404, 'NotFound'), 'ServerError', undefined],
    ['a server does not serve the version yet', all, refusal(404, 'NotFound'), 'ServerError', undefined],
    ['a webhook answers with 409', isWriteOf, denied(409), 'AdmissionDenied', webhook],
  ])('that is there has not gone where %s: it has failed', async (...row) => {
    const [, isMeant, given, reason, said = 'the server answers with status 404'] = row
    const server = filled()
    server.fate = (request) => (isMeant('v1-1')(request) ? given : undefined)
    server.preflight = true
    await server.settle()
    expect([server.state?.reason, server.state?.message]).toEqual([
      'PreflightRefused',
      `1 object would be refused: v1-1: ${said}`,
    ])
    server.preflight = false
    await server.settle({})
    expect([server.state?.reason, server.state?.message, server.inStore(), server.pruned]).toEqual([
      reason,
      `1 object could not be rewritten: v1-1: ${said}`,
      { v1: 1, v2: 4 },
      [],
    ])
    server.fate = () => undefined
    await server.settle({})
    expect([server.state, server.inStore()]).toMatchObject([migrated, { v2: 5 }])
  })

  test('whose managedFields a webhook refuses to change, with 404, keeps them, and is named', async () => {
    const server = filled()
    server.served = ['v2']
    server.fate = (request) => (isWriteOf('v1-1')(request) && Array.isArray(request.body) ? denied(404) : undefined)
    await server.settle()
    expect([server.state?.reason, server.state?.message, server.pruned]).toEqual([
      'AdmissionDenied',
      `1 object could not be rewritten: v1-1: managedFields: ${webhook}`,
      [],
    ])
  })

  test('that the server says has changed, and has not, is tried again, and fails in the end', async () => {
    const server = filled()
    server.fate = (request) => (isWriteOf('v1-1')(request) ? refusal(409, 'Conflict') : undefined)
    await server.settle()
    expect([server.state?.reason, server.inStore(), server.pruned]).toEqual(['Conflict', { v1: 1, v2: 4 }, []])
  })

  test.each([
    ['429', () => refusal(429, 'TooManyRequests')],
    ['503', () => refusal(503, 'ServiceUnavailable')],
    ['504', () => refusal(504, 'Timeout')],
    [
      'no answer',
      () => {
        throw new HttpError('timeout', 'too late')
      },
    ],
  ])('is tried again after %s', async (_, fate) => {
    const server = filled()
    server.fate = once(isWriteOf('v1-1'), fate)
    await server.settle()
    expect([server.state, server.storedVersions]).toMatchObject([{ ...migrated, counts: { rewritten: 3 } }, ['v2']])
  })

  test('whose write arrived without an answer is not written twice', async () => {
    const server = filled()
    server.fate = once(isWriteOf('v1-1'), () => {
      server.write('v1-1')
      throw new HttpError('timeout', 'too late')
    })
    await server.settle()
    expect(server.state).toMatchObject({ ...migrated, counts: { rewritten: 3 } })
  })

  test('for which the server always has trouble prevents the prune, and the next walk writes it alone', async () => {
    const server = filled()
    server.fate = (request) => (isWriteOf('v1-1')(request) ? refusal(503, 'ServiceUnavailable') : undefined)
    await server.settle()
    expect(server.state).toMatchObject({
      reason: 'ServerError',
      migrated: false,
      message: '1 object could not be rewritten: v1-1: the server answers with status 503',
      counts: { rewritten: 2, alreadyCurrent: 2, failed: 1 },
    })
    expect([server.inStore(), server.pruned]).toEqual([{ v1: 1, v2: 4 }, []])
    const before = server.requests.length
    const { again } = await server.step()
    expect([again !== undefined && again > 25_000, server.requests.length]).toEqual([true, before + 1])
    server.fate = () => undefined
    server.now += again ?? 0
    await server.settle()
    expect([server.state, server.pruned]).toMatchObject([{ ...migrated, counts: { rewritten: 3 } }, [{ v2: 5 }]])
    const later = server.requests
      .slice(before)
      .filter(({ method, path }) => method === 'PATCH' && path.includes('/things/'))
    expect(later.map(({ path }) => path)).toEqual(
      ['v1-1', 'v2-0', 'v2-1'].map((name) => `/apis/example.com/v2/things/${name}`),
    )
  })

  test('that is refused is tried by its status', async () => {
    const server = filled()
    server.fate = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('/things/v1-1')
        ? refusal(422, 'Invalid', 'Thing "x" is invalid: spec.a: Invalid value: "secret"')
        : undefined
    await server.settle()
    expect([server.state, server.inStore()]).toMatchObject([migrated, { v2: 5 }])
  })

  test('that is refused there, too, is named, and nothing is pruned', async () => {
    const server = filled()
    server.fate = (request) =>
      isWriteOf('v1-1')(request)
        ? refusal(422, 'Invalid', 'Thing "x" is invalid: spec.a: Invalid value: "secret"')
        : undefined
    await server.settle()
    expect(server.state).toMatchObject({
      reason: 'AdmissionDenied',
      migrated: false,
      counts: {
        failures: [
          { namespace: '', name: 'v1-1', message: 'the server refuses it with status 422: spec.a: Invalid value' },
        ],
      },
    })
    expect([server.pruned, JSON.stringify(server.state).includes('secret')]).toEqual([[], false])
  })

  test('that we may not write is a matter of rights', async () => {
    const server = filled()
    server.fate = (request) =>
      isWriteOf('v1')(request)
        ? refusal(403, 'Forbidden', 'things "x" is forbidden: User "c" cannot patch resource "things"')
        : undefined
    await server.step()
    server.now += 30_000
    await expect(server.step()).rejects.toMatchObject({ status: 403 })
    expect(server.pruned).toEqual([])
  })

  test('loses what is noted of versions that are no longer served, and never all', async () => {
    const server = filled()
    server.served = ['v2']
    await server.settle()
    expect(Array.from(server.objects.values(), ({ fields }) => fields)).toEqual(Array.from({ length: 5 }, () => ['v2']))
    expect(server.state?.versions).toEqual([
      { name: 'v1', removable: true, message: 'nothing is in the way' },
      { name: 'v2', removable: false, message: 'objects are stored in it' },
      { name: 'v3', removable: true, message: 'nothing is in the way' },
    ])
  })

  test('is only asked about before anything is done', async () => {
    const server = Object.assign(filled(), { preflight: true })
    server.fate = (request) => (isWriteOf('v1-1')(request) ? refusal(400, 'BadRequest', 'no dry run') : undefined)
    expect(await server.settle()).toEqual(['PreflightRefused'])
    expect(server.inStore()).toEqual({ v1: 3, v2: 2 })
    expect(
      server.requests.filter(({ method }) => method === 'PATCH').every(({ query }) => query.get('dryRun') === 'All'),
    ).toBe(true)
    expect(server.state).toMatchObject({
      message: '1 object would be refused: v1-1: the server refuses it with status 400',
    })
    // whoever asks for the migration then need not wait until it would be asked about again
    server.preflight = false
    server.fate = () => undefined
    expect(await server.settle()).toEqual(['Settling', 'Succeeded'])
  })
})

describe('a list', () => {
  const isList = ({ method, path }: SeenRequest): boolean => method === 'GET' && path.endsWith('/things')

  test('that took too long goes on with what is there', async () => {
    const server = Object.assign(filled(), { page: 2 })
    server.fate = once(
      (request) => isList(request) && request.query.get('continue') === '2',
      () => refusal(410, 'Expired', 'too old', { continue: '02' }),
    )
    await server.settle()
    expect([server.state, server.pruned]).toMatchObject([migrated, [{ v2: 5 }]])
    expect(server.requests.filter(isList).map(({ query }) => query.get('continue'))).toEqual([null, '2', '02', '4'])
  })

  test('of which nothing is left begins anew', async () => {
    const server = Object.assign(filled(), { page: 2 })
    server.fate = once(
      (request) => isList(request) && request.query.get('continue') === '2',
      () => refusal(410, 'Expired'),
    )
    expect(await server.settle()).toEqual(['Settling', 'Progressing', 'Succeeded'])
    expect([server.state, server.pruned]).toMatchObject([{ counts: { rewritten: 3, alreadyCurrent: 2 } }, [{ v2: 5 }]])
  })

  test('that fails for one object names it by another version, and goes on behind it', async () => {
    const server = filled()
    const names = [...server.objects.keys()]
    const isBroken = ({ path, query }: SeenRequest): boolean => {
      const start = Number(query.get('continue') ?? '0')
      return path.includes('/v2/') && names.slice(start, start + Number(query.get('limit'))).includes('v1-1')
    }
    server.fate = (request) =>
      isList(request) && isBroken(request)
        ? refusal(500, 'InternalError', 'conversion webhook for example.com/v1, Kind=Thing failed: password')
        : undefined
    await server.settle()
    expect(server.state).toMatchObject({
      reason: 'ConversionFailed',
      message: '1 object could not be rewritten: v1-1: the conversion webhook for example.com/v1 Thing failed',
      counts: { rewritten: 2, alreadyCurrent: 2, failed: 1 },
    })
    expect([server.inStore(), server.pruned]).toEqual([{ v1: 1, v2: 4 }, []])
  })

  test('that cannot get past an object says behind which one it lies', async () => {
    const server = Object.assign(filled(), { page: 2 })
    server.fate = (request) =>
      isList(request) && request.query.get('continue') === '2' ? refusal(500, 'InternalError') : undefined
    await server.settle()
    expect(server.state).toMatchObject({
      reason: 'ServerError',
      message:
        '1 object could not be rewritten, and the rest has not been tried: an object: the object after v1-1: the server answers with status 500',
    })
    expect(server.pruned).toEqual([])
  })
})
