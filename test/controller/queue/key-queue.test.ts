import { describe, expect, test } from 'vitest'
import { KeyQueue, type WorkResult } from '../../../src/controller/queue/key-queue.ts'
import { FakeClock, settled } from '../../support/fake-clock.ts'

interface Trial {
  readonly queue: KeyQueue
  readonly clock: FakeClock
  readonly log: string[]
  /** Ends the work on a key. */
  readonly end: (key: string, result?: WorkResult | Error) => Promise<void>
  readonly stop: () => Promise<void>
}

function start(concurrency: number = 1): Trial {
  const clock = new FakeClock()
  const log: string[] = []
  const open = new Map<string, (result: WorkResult | Error) => void>()
  const stopped = new AbortController()
  const queue = new KeyQueue({
    clock,
    random: { bytes: (count) => new Uint8Array(count).map((_, index) => (index === 0 ? 128 : 0)) },
    concurrency,
    backoff: { first: 500, most: 300_000 },
    work: async (key) => {
      log.push(`work ${key}`)
      const result = await new Promise<WorkResult | Error>((resolve) => open.set(key, resolve))
      if (result instanceof Error) throw result
      return result
    },
    onFailure: (key, error, pause) => log.push(`failed ${key}: ${String(error)}; ${String(pause)}`),
    onStart: (waited) => log.push(`waited ${String(waited)}`),
  })
  const run = queue.run(stopped.signal).then(() => {
    log.push('ended')
  })
  return {
    queue,
    clock,
    log,
    end: async (key, result = {}) => {
      const resolve = open.get(key)
      if (resolve === undefined) throw new Error(`nobody works on ${key}`)
      open.delete(key)
      resolve(result)
      await settled()
    },
    stop: async () => {
      stopped.abort()
      await run
    },
  }
}

/** What was logged since the last call, without waiting times. */
function take(log: string[]): readonly string[] {
  return log.splice(0).filter((line) => !line.startsWith('waited'))
}

describe('a queue of keys', () => {
  test('works on each key once, in order, so many at a time', async () => {
    const { queue, log, end } = start(2)
    for (const key of ['a', 'b', 'c', 'a', 'c']) queue.add(key)
    expect(take(log)).toEqual(['work a', 'work b'])
    expect(queue.depth).toBe(1)
    await end('b')
    expect(take(log)).toEqual(['work c'])
    await end('a')
    await end('c')
    // it was added while it was worked on
    expect(take(log)).toEqual(['work a'])
  })

  test('works on a key again that was added meanwhile, and never twice at once', async () => {
    const { queue, log, end } = start(3)
    queue.add('a')
    queue.add('a')
    queue.add('a')
    expect(take(log)).toEqual(['work a'])
    await end('a')
    expect(take(log)).toEqual(['work a'])
    await end('a')
    expect(take(log)).toEqual([])
  })

  test('waits longer after each failure of a key, and forgets them when it succeeds', async () => {
    const { queue, clock, log, end } = start()
    const failure = new Error('no')
    queue.add('a')
    for (const pause of [500, 750, 1250, 2250]) {
      await end('a', failure)
      expect(take(log)).toEqual(['work a', `failed a: Error: no; ${String(pause)}`])
      await clock.advance(pause - 1)
      expect(take(log)).toEqual([])
      await clock.advance(1)
    }
    await end('a')
    queue.add('a')
    await end('a', failure)
    expect(take(log)).toEqual(['work a', 'work a', 'failed a: Error: no; 500'])
  })

  test('waits at most so long', async () => {
    const { queue, clock, log, end } = start()
    queue.add('a')
    let last = ''
    for (let count = 0; count < 15; count++) {
      await end('a', new Error('no'))
      last = take(log).at(-1) ?? ''
      await clock.advance(300_000)
    }
    expect(last).toBe('failed a: Error: no; 150250')
  })

  test('tries a failed key at its time, even when it was added meanwhile', async () => {
    const { queue, clock, log, end } = start()
    queue.add('a')
    queue.add('a')
    await end('a', new Error('no'))
    expect(take(log)).toEqual(['work a', 'failed a: Error: no; 500'])
    await clock.advance(500)
    expect(take(log)).toEqual(['work a'])
  })

  test('does not wait for the time of a failed key that is added anew', async () => {
    const { queue, clock, log, end } = start()
    queue.add('a')
    await end('a', new Error('no'))
    queue.add('a')
    expect(take(log)).toEqual(['work a', 'failed a: Error: no; 500', 'work a'])
    await end('a')
    await clock.advance(10_000)
    expect(take(log)).toEqual([])
  })

  test('looks again when asked to, at the earliest of several times', async () => {
    const { queue, clock, log, end } = start()
    queue.add('a')
    await end('a', { again: 10_000 })
    queue.addAfter('a', 60_000)
    queue.addAfter('a', 2000)
    take(log)
    await clock.advance(1999)
    expect(take(log)).toEqual([])
    await clock.advance(1)
    expect(take(log)).toEqual(['work a'])
    await end('a')
    await clock.advance(100_000)
    expect(take(log)).toEqual([])
  })

  test('tells how long a key has waited', async () => {
    const { queue, clock, log, end } = start()
    queue.add('a')
    queue.add('b')
    await clock.advance(300)
    await end('a')
    expect(log).toEqual(['waited 0', 'work a', 'waited 300', 'work b'])
  })

  test('ends when what was begun has ended, and begins nothing more', async () => {
    const { queue, clock, log, end, stop } = start()
    for (const key of ['a', 'b']) queue.add(key)
    queue.addAfter('c', 1000)
    take(log)
    const stopped = stop()
    await settled()
    expect(take(log)).toEqual([])
    queue.add('d')
    await end('a', new Error('no'))
    await stopped
    await clock.advance(10_000)
    expect(take(log)).toEqual(['failed a: Error: no; 500', 'ended'])
    expect(clock.sleeping).toEqual([])
  })

  test('ends at once where nothing was begun', async () => {
    const { log, stop } = start()
    await stop()
    expect(log).toEqual(['ended'])
  })
})

test('many keys that come back by themselves share one timer', async () => {
  const { queue, clock, log, end } = start()
  for (let index = 0; index < 500; index++) queue.addAfter(`key-${String(index)}`, 1000 + index)
  expect(clock.sleeping).toEqual([1000])
  queue.addAfter('first', 10)
  expect(clock.sleeping).toEqual([10])
  await clock.advance(1001)
  expect(queue.depth).toBe(2)
  expect(take(log)).toEqual(['work first'])
  await end('first')
  expect(take(log)).toEqual(['work key-0'])
  expect(clock.sleeping).toHaveLength(1)
})
