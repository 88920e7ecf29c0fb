import { describe, expect, test } from 'vitest'
import { LeaseElection, LeaseLostError } from '../../../src/controller/lease/lease-election.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import { HttpError, type HttpResponse } from '../../../src/model/http.ts'
import type { Clock } from '../../../src/model/ports.ts'
import type { ConnectionRequest } from '../../../src/model/server-connection.ts'
import { fieldOf } from '../../../tools/servers/kube-client.ts'
import { FakeClock, settled } from '../../support/fake-clock.ts'

/** An API server with one lease, which refuses what is not of its version. */
class LeaseServer {
  stored: object | undefined
  #version = 1
  isDown = false
  /** Happens between a request and its answer. */
  before: (() => void) | undefined

  set(spec: object): void {
    this.#version += 1
    this.stored = { metadata: { name: 'lease', namespace: 'a', resourceVersion: String(this.#version) }, spec }
  }

  readonly exchange = async ({ method, body }: ConnectionRequest): Promise<HttpResponse> => {
    if (this.isDown) throw new HttpError('refused', 'the server is down')
    if (method !== 'GET') this.before?.()
    const sent: unknown = body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body))
    const spec = fieldOf(sent, 'spec')
    const isTaken =
      method === 'POST'
        ? this.stored !== undefined
        : method === 'PUT' &&
          fieldOf(sent, 'metadata.resourceVersion') !== fieldOf(this.stored, 'metadata.resourceVersion')
    if (isTaken) return answer(409, { reason: 'Conflict', message: 'conflict' })
    if (typeof spec === 'object' && spec !== null) this.set(spec)
    return this.stored === undefined
      ? answer(404, { reason: 'NotFound', message: 'not found' })
      : answer(200, this.stored)
  }
}

function answer(status: number, body: object): HttpResponse {
  return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(body)) }
}

interface Candidate {
  readonly log: string[]
  readonly stop: AbortController
  readonly ended: Promise<unknown>
  /** Ends the work. */
  readonly finish: () => void
  readonly assertLeading: () => void
}

function start(server: LeaseServer, clock: Clock, identity: string): Candidate {
  const log: string[] = []
  const stop = new AbortController()
  let finish = (): void => undefined
  const api = new ApiServer(
    {
      host: 'test',
      exchange: server.exchange,
      follow: () => Promise.reject(new Error('no watch')),
      reopen: () => Promise.reject(new Error('one is enough')),
      close: async () => undefined,
    },
    {
      timeout: 8000,
      userAgent: 'test',
      limit: new TokenBucket({ perSecond: 1000, burst: 1000 }, clock),
      count: () => undefined,
    },
  )
  const election = new LeaseElection({
    api,
    clock,
    namespace: 'a',
    name: 'lease',
    identity,
    times: { duration: 15_000, renewWithin: 10_000, retryEvery: 2000 },
    onFailure: (error) => log.push(error instanceof Error ? error.message : 'no error'),
    onAnswer: () => undefined,
    onLeading: (isLeading) => log.push(isLeading ? 'leading' : 'not leading'),
  })
  const work = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => {
      finish = resolve
      signal.addEventListener('abort', () => {
        log.push('told to end')
        resolve()
      })
    })
  }
  const ended = election.lead(work, stop.signal).then(
    () => 'ended',
    (error: unknown) => error,
  )
  return { log, stop, ended, finish: () => finish(), assertLeading: () => election.assertLeading() }
}

const holderOf = (server: LeaseServer): unknown => fieldOf(server.stored, 'spec.holderIdentity')

describe('a lease', () => {
  test('is made by the first, and given back at its end', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    const first = start(server, clock, 'first')
    await settled()
    expect(server.stored).toMatchObject({
      spec: {
        holderIdentity: 'first',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-02T03:04:06.000000Z',
        renewTime: '2026-01-02T03:04:06.000000Z',
        leaseTransitions: 0,
      },
    })
    await clock.advance(4000)
    expect(fieldOf(server.stored, 'spec')).toMatchObject({
      acquireTime: '2026-01-02T03:04:06.000000Z',
      renewTime: '2026-01-02T03:04:10.000000Z',
    })
    first.stop.abort()
    expect(await first.ended).toBe('ended')
    expect(first.log).toEqual(['leading', 'told to end', 'not leading'])
    expect(fieldOf(server.stored, 'spec')).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    const second = start(server, clock, 'second')
    await settled()
    expect(second.log).toEqual(['leading'])
    expect(fieldOf(server.stored, 'spec.leaseTransitions')).toBe(1)
    second.finish()
    expect(await second.ended).toBe('ended')
    expect(clock.sleeping).toEqual([])
  })

  test('of a holder that is silent is taken after its whole time by our own clock, whatever its times say', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    // by the holder's clock it ended long ago
    server.set({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' })
    const second = start(server, clock, 'second')
    await settled()
    await clock.advance(14_000)
    expect([holderOf(server), second.log]).toEqual(['other', []])
    // a word of the holder, and all begins anew
    server.set({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:01.000000Z' })
    await clock.advance(16_000)
    expect([holderOf(server), second.log]).toEqual(['other', []])
    await clock.advance(2000)
    expect([holderOf(server), second.log]).toEqual(['second', ['leading']])
    second.stop.abort()
    await second.ended
  })

  test('holds for as long as its holder says, if that is longer', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    server.set({ holderIdentity: 'other', leaseDurationSeconds: 60 })
    const second = start(server, clock, 'second')
    await settled()
    await clock.advance(59_000)
    expect(second.log).toEqual([])
    await clock.advance(2000)
    expect(second.log).toEqual(['leading'])
    second.stop.abort()
    await second.ended
  })

  test('goes to one of two that try at once', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    server.set({ holderIdentity: '' })
    server.before = () => {
      server.before = undefined
      server.set({ holderIdentity: 'faster', leaseDurationSeconds: 15 })
    }
    const second = start(server, clock, 'second')
    await settled()
    expect([holderOf(server), second.log]).toEqual(['faster', []])
    second.stop.abort()
    expect(await second.ended).toBe('ended')
  })

  test('is lost by a holder that cannot renew it, before others may take it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    const first = start(server, clock, 'first')
    await settled()
    server.isDown = true
    await clock.advance(9999)
    expect(first.log).toEqual(['leading', ...Array.from({ length: 4 }, () => 'the server is down')])
    await clock.advance(1)
    expect(await first.ended).toBeInstanceOf(LeaseLostError)
    expect(first.log.slice(-2)).toEqual(['told to end', 'not leading'])
  })

  test('does not hold for who was frozen, from the moment that it wakes up', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    let frozen = 0
    // time goes by, and no timer tells of it
    const own = { now: clock.now, sleep: clock.sleep, monotonic: () => clock.monotonic() + frozen }
    const first = start(server, own, 'first')
    expect(first.assertLeading).toThrow(LeaseLostError)
    await settled()
    await clock.advance(3000)
    // renewed after two seconds
    frozen = 8999
    expect(first.assertLeading).not.toThrow()
    frozen = 9000
    expect(first.assertLeading).toThrow(LeaseLostError)
    expect(first.log).toEqual(['leading'])
    first.stop.abort()
    await first.ended
  })

  test('survives a server that is down for a while', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    const first = start(server, clock, 'first')
    await settled()
    server.isDown = true
    await clock.advance(7000)
    server.isDown = false
    await clock.advance(60_000)
    expect(first.log.filter((line) => line !== 'the server is down')).toEqual(['leading'])
    first.stop.abort()
    await first.ended
  })

  test('that was taken by force is given up, and left to who has it', async () => {
    const [server, clock] = [new LeaseServer(), new FakeClock()]
    const first = start(server, clock, 'first')
    await settled()
    server.set({ holderIdentity: 'thief', leaseDurationSeconds: 15 })
    await clock.advance(10_000)
    expect(await first.ended).toBeInstanceOf(LeaseLostError)
    expect(holderOf(server)).toBe('thief')
  })
})
