import { expect, test } from 'vitest'
import { createLog } from '../../src/controller/log.ts'
import { runController } from '../../src/controller/run-controller.ts'
import type { HttpResponse } from '../../src/model/http.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { controllerOptions } from '../support/controller-options.ts'
import { FakeClock, settled } from '../support/fake-clock.ts'

const names = Array.from({ length: 5 }, (_, index) => `web-${String(index)}`)

function listed(path: string): object {
  const items = path.includes('/runtimevalues')
    ? names.map((name) => ({
        metadata: { name, namespace: 'a', uid: name, resourceVersion: '1', generation: 1 },
        spec: { clusterName: name, values: [], publish: { configMap: name } },
      }))
    : []
  return { metadata: { resourceVersion: '1' }, items }
}

function answer(status: number, body: object, headers: readonly (readonly [string, string])[] = []): HttpResponse {
  return { status, headers: new Map(headers), body: new TextEncoder().encode(JSON.stringify(body)) }
}

test('a server that has too much to do is left alone for as long as it asks', async () => {
  const clock = new FakeClock()
  const refused: number[] = []
  const stopped = new AbortController()
  const { crypto, keys, listener, metrics, kube } = createNodePorts()
  const run = runController(
    controllerOptions({
      kinds: ['RuntimeValues'],
      rate: { perSecond: 50, burst: 100 },
      backoff: { first: 500, most: 300_000 },
    }),
    {
      connection: {
        host: 'test',
        exchange: async ({ path }) => {
          if (path.includes('limit=500')) return answer(200, listed(path))
          refused.push(clock.monotonic() - 1000)
          return answer(429, {}, [['retry-after', '20']])
        },
        follow: async (_, signal) => ({ status: 200, headers: new Map(), chunks: silence(signal) }),
        reopen: () => Promise.reject(new Error('one is enough')),
        close: async () => undefined,
      },
      kube,
      listener,
      metrics,
      clock,
      random: { bytes: (count) => new Uint8Array(count).map((_, index) => (index === 0 ? 128 : 0)) },
      crypto,
      keys,
      log: createLog('error', clock, () => undefined),
    },
    stopped.signal,
  )
  await settled()
  await clock.advance(60_000)
  // one request for each object, each time
  expect(refused).toEqual([0, 20_000, 40_000, 60_000].flatMap((at) => names.map(() => at)))
  stopped.abort()
  await clock.advance(10_000)
  await run
})

async function* silence(signal: AbortSignal): AsyncIterable<Uint8Array> {
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve)
  })
  yield new Uint8Array()
}
