import type { Clock } from '../../model/ports.ts'
import type { ServerConnection } from '../../model/server-connection.ts'

/** How a {@link ConnectionPool} keeps connections. */
export interface ConnectionPoolOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Idle ones are closed beyond that, those first that were used longest ago. */
  readonly most: number
  /** Milliseconds after which an idle one is closed. */
  readonly idleFor: number
}

interface Pooled {
  readonly opened: Promise<ServerConnection>
  /** Whose it is. */
  readonly users: Set<string>
  /** Pieces of work that use it now. */
  busy: number
  usedAt: number
}

/** Keeps connections by what they are made of, for those who use them: one for all who would open the same. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions
  readonly #connections = new Map<string, Pooled>()
  /** The connection of each user. */
  readonly #used = new Map<string, string>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
  }

  /** Connections that are open, or being opened. */
  get size(): number {
    return this.#connections.size
  }

  /**
   * Works with the connection of this fingerprint, and opens it where there is none. What the user used before is
   * closed, when nobody else uses it and all work with it has ended.
   */
  async use<T>(
    { user, fingerprint }: { readonly user: string; readonly fingerprint: string },
    open: () => Promise<ServerConnection>,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    const { connection, release } = await this.hold({ user, fingerprint }, open)
    try {
      return await work(connection)
    } finally {
      release()
    }
  }

  /** The same for work whose end only the caller knows: `release` is to be called then, once. */
  async hold(
    { user, fingerprint }: { readonly user: string; readonly fingerprint: string },
    open: () => Promise<ServerConnection>,
  ): Promise<{ readonly connection: ServerConnection; readonly release: () => void }> {
    const before = this.#used.get(user)
    if (before !== undefined && before !== fingerprint) this.leave(user)
    this.#used.set(user, fingerprint)
    const pooled = this.#connections.get(fingerprint) ?? this.#add(fingerprint, open)
    pooled.users.add(user)
    pooled.busy += 1
    const release = (): void => {
      pooled.busy -= 1
      pooled.usedAt = this.#options.clock.monotonic()
      if (pooled.users.size === 0) this.#close(fingerprint, pooled)
      this.#closeIdle()
    }
    try {
      return { connection: await pooled.opened, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** The user needs nothing any more. */
  leave(user: string): void {
    const fingerprint = this.#used.get(user)
    this.#used.delete(user)
    const pooled = fingerprint === undefined ? undefined : this.#connections.get(fingerprint)
    if (fingerprint === undefined || pooled === undefined) return
    pooled.users.delete(user)
    if (pooled.users.size === 0) this.#close(fingerprint, pooled)
  }

  /** Closes all; to be called when nobody works any more. */
  async close(): Promise<void> {
    for (const [fingerprint, pooled] of this.#connections) {
      pooled.busy = 0
      this.#close(fingerprint, pooled)
    }
    await Promise.all(this.#closing)
  }

  #add(fingerprint: string, open: () => Promise<ServerConnection>): Pooled {
    const pooled: Pooled = {
      opened: open(),
      users: new Set(),
      busy: 0,
      usedAt: this.#options.clock.monotonic(),
    }
    this.#connections.set(fingerprint, pooled)
    // what could not be opened is opened again by whoever comes next
    pooled.opened.catch(() => {
      this.#close(fingerprint, pooled)
    })
    return pooled
  }

  /** Nobody who comes later gets it; who works with it goes on to the end. */
  #close(fingerprint: string, pooled: Pooled): void {
    if (this.#connections.get(fingerprint) === pooled) this.#connections.delete(fingerprint)
    if (pooled.busy > 0) return
    // one that could not be opened has nothing to close
    const closed = pooled.opened.then((connection) => connection.close()).catch(() => undefined)
    this.#closing.add(closed)
    void closed.then(() => this.#closing.delete(closed))
  }

  #closeIdle(): void {
    const { clock, most, idleFor } = this.#options
    const idle = [...this.#connections]
      .filter(([, { busy }]) => busy === 0)
      .toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    const tooMany = this.#connections.size - most
    for (const [index, [fingerprint, pooled]] of idle.entries()) {
      if (index < tooMany || clock.monotonic() - pooled.usedAt >= idleFor) this.#close(fingerprint, pooled)
    }
  }
}
