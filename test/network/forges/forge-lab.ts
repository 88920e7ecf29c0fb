import { setTimeout } from 'node:timers/promises'
import type { Forge, ForgeConfig, ForgeKind } from '../../../src/model/forge.ts'
import { HttpError, type Http, type HttpRequest, type HttpResponse } from '../../../src/model/http.ts'
import { openForge } from '../../../src/network/forges/open-forge.ts'
import { createNodeHttp } from '../../../src/system/node-http.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

/** A forge with the repository `acme/fleet`, whose branch `main` has a commit, and the users `bot` and `alice`. */
export interface ForgeWorld {
  readonly kind: ForgeKind
  readonly url: string
  /** Of `bot`, who may write. */
  readonly token: string
  /** Of `bot`, for reading alone. */
  readonly readToken: string
  /** Makes a branch with a commit of its own, and gives that. */
  readonly addBranch: (name: string) => Promise<string>
  /** A person deletes a branch. */
  readonly deleteBranch: (name: string) => Promise<void>
  /** A person merges. */
  readonly merge: (number: number) => Promise<void>
  /** A person closes. */
  readonly close: (number: number) => Promise<void>
  /** A person writes another body. */
  readonly writeBody: (number: number, body: string) => Promise<void>
  /** Somebody opens one from a fork, with a branch of this name. */
  readonly openFromFork: (branch: string) => Promise<void>
  /** Another program writes a status. */
  readonly setStatus: (commit: string, context: string, state: 'success' | 'pending' | 'failure') => Promise<void>
  /** `main` takes only what has this status. */
  readonly requireStatus: (context: string) => Promise<void>
}

/** What happens on the way to a forge. */
export interface WireFault {
  /** Method and path: the first request that matches meets it. */
  readonly on: RegExp
  /** `lost`: the forge does what it is asked, and the answer does not arrive. */
  readonly fault: 'lost' | 'reset' | Partial<HttpResponse> | ((request: HttpRequest) => Promise<void>)
  /** How often; 1 without. */
  readonly times?: number
}

/** A forge as our client sees it, with what it was asked. */
export interface OpenedForge {
  readonly forge: Forge
  /** Method and path of all requests; those that write have a star. */
  readonly calls: string[]
  /** Milliseconds that were waited. */
  readonly slept: number[]
}

/** Opens the forge of a world; `token` is that of `bot` without. */
export async function openWorld(
  world: ForgeWorld,
  { token = world.token, faults = [] }: { readonly token?: string; readonly faults?: readonly WireFault[] } = {},
): Promise<OpenedForge> {
  const calls: string[] = []
  const slept: number[] = []
  const ports = createNodePorts()
  const variables = new Map([['FORGE_TOKEN', token]])
  const environment = { get: (name: string) => variables.get(name) }
  const config: ForgeConfig = {
    kind: world.kind,
    url: world.url,
    repository: 'acme/fleet',
    plainHttp: true,
    ...(token !== '' && { credentials: { token: 'FORGE_TOKEN' } }),
  }
  const forge = await openForge(config, {
    ports: {
      ...ports,
      environment,
      clock: {
        ...ports.clock,
        sleep: async (duration) => {
          slept.push(duration)
          // a real forge takes some time, too
          await setTimeout(Math.min(duration, 2000))
        },
      },
      http: faulty(createNodeHttp(environment), { calls, faults }),
    },
    offline: false,
  })
  return { forge, calls, slept }
}

function faulty(
  http: Http,
  { calls, faults }: { readonly calls: string[]; readonly faults: readonly WireFault[] },
): Http {
  const left = faults.map(({ on, fault, times = 1 }) => ({ on, fault, times }))
  return {
    exchange: async (request) => {
      const path = request.url.replace(/^https?:\/\/[^/]+/, '')
      const name = `${request.method} ${path}`
      calls.push(request.method === 'GET' ? name : `* ${name}`)
      const met = left.find(({ on, times }) => times > 0 && on.test(name))
      if (met === undefined) return http.exchange(request)
      met.times--
      const { fault } = met
      if (fault === 'reset') throw new HttpError('reset', 'the connection was closed')
      if (typeof fault === 'function') {
        await fault(request)
        return http.exchange(request)
      }
      if (fault === 'lost') {
        await http.exchange(request)
        throw new HttpError('timeout', 'nothing came for 60 s')
      }
      return { status: 500, headers: new Map(), body: new Uint8Array(), ...fault }
    },
  }
}

/** Fails where a stand-in was asked, or answered, otherwise than the description of the API says. */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error([...new Set(problems)].join('\n'))
}
