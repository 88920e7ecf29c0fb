import { expect, test } from 'vitest'
import { WorkloadWatches } from '../../../src/controller/workload-cluster/workload-watches.ts'
import { ApiError } from '../../../src/kube/api-error.ts'
import type { ApiRequest } from '../../../src/kube/api-server.ts'
import type { HttpStream } from '../../../src/model/server-connection.ts'
import { FakeClock, settled } from '../../support/fake-clock.ts'

/** Watches that a test feeds. */
class Streams {
  readonly clock = new FakeClock()
  readonly opened: string[] = []
  readonly failures: string[] = []
  readonly changes: string[] = []
  /** What a watch that begins does instead. */
  fate: (() => Error | undefined) | undefined
  readonly #feeds: ((line: string | undefined) => void)[] = []
  readonly stop = new AbortController()
  readonly watches: WorkloadWatches

  constructor(most: number = 2) {
    this.watches = new WorkloadWatches({
      clusters: { follow: (cluster, request, signal) => this.#open(cluster.name, request, signal) },
      clock: this.clock,
      // all of each pause, and the shortest watch
      random: { bytes: (count) => new Uint8Array(count).fill(255) },
      most,
      ending: this.stop.signal,
      onFailure: ({ name }, error) =>
        this.failures.push(`${name} ${error instanceof Error ? error.message : 'no error'}`),
    })
  }

  follow(name: string, version: string = '7'): void {
    this.watches.follow(
      { namespace: 'a', name },
      { cluster: { namespace: 'a', name }, labelSelector: 'ours=true', version },
      () => this.changes.push(`${name} ${String(this.clock.monotonic() - 1000)}`),
    )
  }

  /** The watch that was opened as the so many-th tells a line; nothing: it ends in order. */
  feed(index: number, line?: object): void {
    this.#feeds[index]?.(line === undefined ? undefined : JSON.stringify(line))
  }

  async #open(
    name: string,
    { path, query, content }: Omit<ApiRequest, 'method'>,
    signal: AbortSignal,
  ): Promise<HttpStream> {
    const { resourceVersion, timeoutSeconds, labelSelector } = query ?? {}
    this.opened.push(
      `${name} ${path} ${content ?? ''} ${String(labelSelector)} since ${String(resourceVersion)} for ${String(timeoutSeconds)} s`,
    )
    const failure = this.fate?.()
    if (failure !== undefined) throw failure
    const lines: (string | undefined)[] = []
    let wake = (): void => undefined
    this.#feeds.push((line) => {
      lines.push(line)
      wake()
    })
    const next = async (): Promise<void> =>
      new Promise((resolve, reject) => {
        wake = resolve
        signal.addEventListener('abort', () => {
          reject(new Error('cut'))
        })
      })
    return { status: 200, headers: new Map(), chunks: read(lines, next) }
  }
}

async function* read(lines: (string | undefined)[], next: () => Promise<void>): AsyncIterable<Uint8Array> {
  for (;;) {
    if (lines.length === 0) await next()
    const [line] = lines.splice(0, 1)
    if (line === undefined) return
    yield new TextEncoder().encode(`${line}\n`)
  }
}

const event = (type: string, resourceVersion: string): object => ({ type, object: { metadata: { resourceVersion } } })

test('changes are told of together, and more of them after a while', async () => {
  const streams = new Streams()
  streams.follow('web')
  await settled()
  streams.feed(0, event('BOOKMARK', '8'))
  await settled()
  expect(streams.changes).toEqual([])
  const change = async (): Promise<void> => {
    for (let version = 10; version < 100; version++) streams.feed(0, event('DELETED', String(version)))
    await settled()
  }
  await change()
  await streams.clock.advance(400)
  await change()
  expect(streams.changes).toEqual([])
  await streams.clock.advance(3000)
  await change()
  await streams.clock.advance(60_000)
  await change()
  await streams.clock.advance(60_000)
  expect(streams.changes).toEqual(['web 500', 'web 10500', 'web 63900'])
  streams.follow('web')
  expect(streams.opened).toEqual(['web /api/v1/secrets metadata ours=true since 7 for 226 s'])
  streams.stop.abort()
  await streams.watches.ended()
})

test('a watch that the server ends in order goes on where it was', async () => {
  const streams = new Streams()
  streams.follow('web')
  await settled()
  streams.feed(0, event('BOOKMARK', '30'))
  await streams.clock.advance(226_000)
  streams.feed(0)
  await settled()
  expect(streams.opened.map((line) => / since \d+/.exec(line)?.[0])).toEqual([' since 7', ' since 30'])
  expect([streams.changes, streams.failures]).toEqual([[], []])
  streams.stop.abort()
  await streams.watches.ended()
})

test('a watch that the server ends before its time has the cluster looked at again', async () => {
  const streams = new Streams()
  streams.follow('web')
  await settled()
  await streams.clock.advance(220_000)
  streams.feed(0)
  await settled()
  await streams.clock.advance(60_000)
  expect([streams.opened.length, streams.changes.length, streams.failures]).toEqual([
    1,
    1,
    ['web the server ends the watch before its time'],
  ])
  streams.stop.abort()
  await streams.watches.ended()
})

test.each([
  ['is refused', new ApiError(403, { reason: '', message: 'no', retryAfter: 0 }), undefined, 'web no'],
  ['begins with nonsense', undefined, { type: 'ADDED' }, 'web the server tells of something without a version'],
  [
    'ends because states were forgotten',
    undefined,
    { type: 'ERROR', object: { code: 410, metadata: { resourceVersion: '1' } } },
    'web the server ends the watch with status 410',
  ],
])('a watch that %s ends, and has the cluster looked at after pauses that grow', async (_, error, line, told) => {
  const streams = new Streams()
  streams.fate = () => error
  const startedAt: number[] = []
  for (let round = 0; round < 9; round++) {
    startedAt.push(Math.round((streams.clock.monotonic() - 1000) / 1000))
    streams.follow('web')
    await settled()
    if (line !== undefined) streams.feed(round, line)
    await settled()
    const before = streams.changes.length
    // by whoever looks at the cluster for another reason it is not begun anew
    streams.follow('web')
    while (streams.changes.length === before) await streams.clock.advance(1000)
  }
  expect(startedAt).toEqual([0, 4, 12, 28, 60, 124, 252, 508, 808])
  expect([streams.failures, streams.opened.length]).toEqual([Array.from({ length: 9 }, () => told), 9])
})

test('a silent watch is taken for dead, and the cluster looked at', async () => {
  const streams = new Streams()
  streams.follow('web')
  await streams.clock.advance(255_000)
  expect(streams.failures).toEqual([])
  await streams.clock.advance(1000)
  expect(streams.failures).toEqual(['web cut'])
  await streams.clock.advance(4000)
  expect([streams.changes.length, streams.watches.size]).toEqual([1, 0])
})

test('no more are watched than may be, and the next one when another is forgotten', async () => {
  const streams = new Streams(2)
  for (const name of ['a', 'b', 'c', 'a']) streams.follow(name)
  await settled()
  const watched = (): readonly string[] => streams.opened.map((line) => line.slice(0, 1))
  expect([watched(), streams.watches.size]).toEqual([['a', 'b'], 2])
  streams.watches.forget({ namespace: 'a', name: 'a' })
  streams.follow('c')
  await settled()
  expect([watched(), streams.watches.size, streams.changes]).toEqual([['a', 'b', 'c'], 2, []])
  streams.stop.abort()
  await streams.watches.ended()
  streams.follow('d')
  expect([watched().length, streams.watches.size]).toEqual([3, 0])
})

test('nothing is watched of which no version is known, or if none may be', async () => {
  const [none, some] = [new Streams(0), new Streams()]
  none.follow('web')
  some.follow('web', '')
  await settled()
  expect([none.opened, some.opened]).toEqual([[], []])
})
