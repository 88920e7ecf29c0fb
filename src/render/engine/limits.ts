/** How much a template may use. Every limit but `milliseconds` gives the same result on every machine. */
export interface Limits {
  /** Statements, calls and loop rounds of one execution. */
  readonly steps: number
  /** Templates inside templates: `include`, `template` and `tpl` together. */
  readonly depth: number
  /** UTF-16 units that all templates of one execution write, includes counted each time. */
  readonly output: number
  /** Characters, bytes and elements that functions build in one execution. */
  readonly built: number
  /** Duration of one execution; counts only when the engine is given `elapsed`. */
  readonly milliseconds: number
}

/** Far above what real charts need, and low enough to stop any template within two seconds. */
export const defaultLimits: Limits = {
  steps: 10_000_000,
  depth: 2000,
  output: 64 * 1024 * 1024,
  built: 128 * 1024 * 1024,
  milliseconds: 1500,
}
