import type { HttpError, HttpRequest, HttpResponse } from '../../src/model/http.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** One exchange of a {@link WebScript}: what the server does. */
export type WebStep =
  | HttpError
  | {
      /** 200 without. */
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      /** An object is sent as JSON. */
      readonly body?: string | Uint8Array | object
      /** Milliseconds that the exchange takes by the script's clock. */
      readonly takes?: number
    }

/** An Http port that answers by a list, with a clock that stands still but for what is slept. */
export interface WebScript {
  readonly ports: Pick<Ports, 'http' | 'clock' | 'random' | 'crypto'>
  /** What was sent. */
  readonly sent: readonly HttpRequest[]
  /** What was slept, in milliseconds. */
  readonly sleeps: readonly number[]
}

/** When the script's clock starts: 2026-01-02 03:04:05 UTC. */
export const SCRIPT_START: number = Date.UTC(2026, 0, 2, 3, 4, 5)

/**
 * Makes ports of a script; its last step is repeated. `random` gives each byte, so that a pause is `random / 256` of
 * its ceiling.
 */
export function webScript(steps: readonly WebStep[], random: number = 128): WebScript {
  const sent: HttpRequest[] = []
  const sleeps: number[] = []
  let elapsed = 0
  return {
    sent,
    sleeps,
    ports: {
      http: {
        async exchange(request) {
          sent.push(request)
          const step = steps[Math.min(sent.length, steps.length) - 1]
          if (step === undefined) throw new Error('the script has no steps')
          if (step instanceof Error) throw step
          elapsed += step.takes ?? 0
          return answerOf(step)
        },
      },
      clock: {
        monotonic: () => elapsed,
        now: () => SCRIPT_START + elapsed,
        sleep: async (duration) => {
          sleeps.push(duration)
          elapsed += duration
        },
      },
      random: { bytes: (count) => new Uint8Array(count).map((_, index) => (index === 0 ? random : 0)) },
      crypto: createNodePorts().crypto,
    },
  }
}

function answerOf({ status = 200, headers = {}, body = '' }: Exclude<WebStep, Error>): HttpResponse {
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const type: readonly (readonly [string, string])[] = isJson ? [['content-type', 'application/json']] : []
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    status,
    headers: new Map([...type, ...Object.entries(headers)]),
    body: body instanceof Uint8Array ? body : new TextEncoder().encode(text),
  }
}
