/** How much a template may use. Every limit but `milliseconds` gives the same result on every machine. */
export interface Limits {
  /** Statements, calls and loop rounds of one execution; what functions read and write counts too, by its size. */
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

/**
 * How long all templates and schemas of one chart may take, also in what no limit counts; the largest charts take a
 * second. Counts only with a deadline.
 */
export const chartMilliseconds = 60_000

/**
 * Ten times and more what the largest charts need (282 000 steps, 4.5 million characters built, 1.7 million written).
 * The steps alone stop a template within two seconds on a common machine; the clock is for functions that are slow for
 * their arguments, and leaves room for a machine under load.
 */
export const defaultLimits: Limits = {
  steps: 4_000_000,
  depth: 2000,
  output: 32 * 1024 * 1024,
  built: 64 * 1024 * 1024,
  milliseconds: 5000,
}
