import type { CelInput } from './cel-program.ts'

/** What an expression was told that is known only later. */
export interface Watch {
  /** True once it read such a value: what came of it is no verdict. */
  wasRead: boolean
}

/** A map some of whose values are known only later. */
export class WatchedMap extends Map<string, CelInput> {
  private readonly late: ReadonlySet<string>
  private readonly watch: Watch

  constructor(late: ReadonlySet<string>, watch: Watch) {
    super()
    this.late = late
    this.watch = watch
  }

  override get(key: string): CelInput | undefined {
    if (this.late.has(key)) this.watch.wasRead = true
    return super.get(key)
  }

  override entries(): MapIterator<[string, CelInput]> {
    this.watch.wasRead = true
    return super.entries()
  }

  override values(): MapIterator<CelInput> {
    this.watch.wasRead = true
    return super.values()
  }

  override [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries()
  }
}
