import type { ControllerOptions } from '../../src/controller/controller-options.ts'
import { createLog, type LogLevel } from '../../src/controller/log.ts'
import { runController } from '../../src/controller/run-controller.ts'
import type { HttpResponse } from '../../src/model/http.ts'
import type { TextAnswer } from '../../src/model/listener.ts'
import type { ConnectionRequest, HttpStream } from '../../src/model/server-connection.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { controllerOptions } from '../support/controller-options.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** The API server that a controller talks to. */
interface FakeServer {
  readonly exchange: (request: ConnectionRequest) => Promise<HttpResponse>
  /** Watches are silent without. */
  readonly follow?: (path: string) => Promise<HttpStream>
}

/** A controller whose servers and clock are the test's. */
export interface FakeRun {
  readonly clock: FakeClock
  /** Lines without the time, as `level message {"field":"value"}`. */
  readonly log: readonly string[]
  readonly probe: (path: string) => Promise<TextAnswer>
  readonly stop: () => Promise<void>
}

/** Starts one. */
export function startFakeRun(
  { exchange, follow }: FakeServer,
  options: Partial<ControllerOptions> = {},
  level: LogLevel = 'info',
): FakeRun {
  const clock = new FakeClock()
  const stopped = new AbortController()
  const { crypto, keys, metrics, kube } = createNodePorts()
  const log: string[] = []
  let answer: (path: string) => Promise<TextAnswer> = () => Promise.reject(new Error('nobody listens'))
  const run = runController(
    controllerOptions({
      rate: { perSecond: 50, burst: 100 },
      backoff: { first: 500, most: 300_000 },
      healthAddress: { host: '', port: 0 },
      ...options,
    }),
    {
      connection: {
        host: 'test',
        exchange,
        follow: async ({ path }, signal) =>
          follow === undefined ? { status: 200, headers: new Map(), chunks: silence(signal) } : follow(path),
        reopen: () => Promise.reject(new Error('one is enough')),
        close: async () => undefined,
      },
      kube,
      listener: {
        listen: async (_, found) => {
          answer = async (path) => found(path)
          return { port: 1, close: async () => undefined }
        },
      },
      metrics,
      clock,
      random: { bytes: (count) => new Uint8Array(count).map((_, index) => (index === 0 ? 128 : 0)) },
      crypto,
      keys,
      log: createLog(level, clock, (line) => log.push(shown(line))),
    },
    stopped.signal,
  )
  return {
    clock,
    log,
    probe: (path) => answer(path),
    stop: async () => {
      stopped.abort()
      await clock.advance(10_000)
      await run
    },
  }
}

/** What an API server answers. */
export function answer(
  status: number,
  body: object,
  headers: readonly (readonly [string, string])[] = [],
): HttpResponse {
  return { status, headers: new Map(headers), body: new TextEncoder().encode(JSON.stringify(body)) }
}

function shown(line: string): string {
  const parsed: unknown = JSON.parse(line)
  const { level, time: _, msg, ...fields } = Object.fromEntries(Object.entries(Object(parsed)))
  return [level, msg, ...(Object.keys(fields).length === 0 ? [] : [JSON.stringify(fields)])].map(String).join(' ')
}

async function* silence(signal: AbortSignal): AsyncIterable<Uint8Array> {
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve)
  })
  yield new Uint8Array()
}
