import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { KubeObject } from './kube-client.ts'
import { watchKube } from './kube-watch.ts'
import { startKube, type Kube, type KubeOptions } from './kube.ts'

/** The management cluster of a fleet, and the one that its cluster runs on. */
export interface LifeClusters {
  readonly management: Kube
  readonly workload: Kube
  readonly close: () => Promise<void>
}

/**
 * Starts API servers for a cluster of the example's stack: the management cluster knows Cluster API, the provider for
 * development, and what more paths define.
 * @param shared the folder of {@link sharedFolder}
 */
export async function startLifeClusters(
  shared: string,
  { crds = [], ...options }: KubeOptions & { readonly crds?: readonly string[] } = {},
): Promise<LifeClusters> {
  const [management, workload] = await Promise.all([startKube(options), startKube(options)])
  await management.installCrds([join(shared, 'crds/cluster-api'), ...crds])
  await management.apply(['DockerClusterTemplate', 'DockerMachineTemplate'].map(providerCrd))
  const close = async (): Promise<void> => {
    await Promise.all([management.close(), workload.close()])
  }
  return { management, workload, close }
}

/** The definition of a kind of the provider for development, which is not at hand, without a schema. */
function providerCrd(kind: string): KubeObject {
  const singular = kind.toLowerCase()
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.infrastructure.cluster.x-k8s.io` },
    spec: {
      group: 'infrastructure.cluster.x-k8s.io',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      scope: 'Namespaced',
      versions: [{ name: 'v1beta2', served: true, storage: true, schema }],
    },
  }
}

/** Short words for what there is, by what they are about; what is absent may be left out. */
export type Look = () => Promise<Readonly<Record<string, string>>>

/** How an {@link EventLog} watches. */
export interface EventLogOptions {
  /** What each server lists there is followed: a change of it is looked at. All that a look tells of must be among it. */
  readonly follow: readonly (readonly [Kube, readonly string[]])[]
  /** Starts of the names of what is looked at: what one look sees at once is noted in this order. */
  readonly order: readonly string[]
  /** What is told when something did not come in time. */
  readonly state: () => Promise<string> | string
}

const BETWEEN_LOOKS = 100
/** What is not followed is asked for again. */
const AT_LEAST_EVERY = 1000
/** A question of ours, not of a server. */
const BETWEEN_GLANCES = 20
const AT_MOST = 60_000

/** Looks whenever something changed, and notes each change of a word as an event, `<name>: <word>`. */
export class EventLog {
  readonly #look: Look
  readonly #options: EventLogOptions
  readonly #watch: Promise<void>
  readonly #stops: readonly (() => void)[]
  #events: string[] = []
  #isOpen = true
  /** Changes so far, of what is followed. */
  #changes = 0
  /** Looks that were begun, and the last of them that came to its end. */
  #begun = 0
  #ended = 0

  constructor(look: Look, options: EventLogOptions) {
    this.#look = look
    this.#options = options
    const onChange = (): void => {
      this.#changes += 1
    }
    this.#stops = options.follow.flatMap(([kube, paths]) => paths.map((path) => watchKube(kube, path, onChange)))
    this.#watch = this.#keepWatch()
  }

  note(event: string): void {
    this.#events.push(event)
  }

  /** True if this was seen since events were last taken. */
  has(event: string): boolean {
    return this.#events.includes(event)
  }

  /** Waits until all that is there now is noted. */
  async settle(): Promise<void> {
    const under = this.#begun
    this.#changes += 1
    await this.until('a look', () => this.#ended > under)
  }

  /** The events since they were last taken, with all that comes within the time (in milliseconds). */
  async take(within = 500): Promise<readonly string[]> {
    await setTimeout(within)
    await this.settle()
    return this.#events.splice(0)
  }

  /**
   * Waits until this holds.
   * @throws Error that tells the events and the state, when it is not in time
   */
  async until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + AT_MOST
    for (;;) {
      const [changes, ended] = [this.#changes, this.#ended]
      if (await done()) return
      if (performance.now() > end)
        throw new Error(`not in time: ${what}; seen: ${this.#events.join(', ')}\n${await this.#options.state()}\n`)
      await setTimeout(BETWEEN_LOOKS)
      await this.#pause(() => this.#changes > changes || this.#ended > ended)
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false
    for (const stop of this.#stops) stop()
    await this.#watch
  }

  async #keepWatch(): Promise<void> {
    const rank = (key: string): number => this.#options.order.findIndex((start) => key.startsWith(start))
    let before: Readonly<Record<string, string>> = {}
    while (this.#isOpen) {
      const number = ++this.#begun
      const changes = this.#changes
      // a kind that is new is not served at once; a look that fails is made again
      const now = await this.#look().catch(() => undefined)
      if (now !== undefined) {
        const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort((a, b) => rank(a) - rank(b))
        for (const key of keys) {
          const [was, is] = [before[key] ?? 'absent', now[key] ?? 'absent']
          if (was !== is) this.note(`${key}: ${is}`)
        }
        before = now
        this.#ended = number
      }
      await setTimeout(BETWEEN_LOOKS)
      await this.#pause(() => this.#changes > changes || !this.#isOpen)
    }
  }

  async #pause(until: () => boolean): Promise<void> {
    const end = performance.now() + AT_LEAST_EVERY
    while (!until() && performance.now() < end) await setTimeout(BETWEEN_GLANCES)
  }
}

/** A step of a scenario: it goes on where the one before it ended, as one commit follows another. An error names it. */
export async function step(name: string, run: () => Promise<void>): Promise<void> {
  const start = performance.now()
  await run().catch((error: unknown) => {
    throw new Error(`in the step "${name}"`, { cause: error })
  })
  console.log(`${((performance.now() - start) / 1000).toFixed(1)} s: ${name}`)
}
