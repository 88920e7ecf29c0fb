import { Session } from 'node:inspector'

// V8 counts blocks of functions that it compiles from now on: it compiles each when it is first called
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * Counts what a run takes, in steps and without a clock: how often each block of our own code ran, as V8 counts it for
 * coverage, and how much the machine's own functions looked at. Equal runs give equal counts. What an expression does
 * beyond one pass over the text is not seen, nor is what ran before this module was there.
 */
export function countWork(run: () => void): number {
  takeBlocks()
  const calls = countCalls(run)
  return calls + takeBlocks()
}

/** How often blocks ran since the last time. */
function takeBlocks(): number {
  let sum = 0
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error
    for (const { url, functions } of result)
      if (url.includes('/src/')) for (const { ranges } of functions) for (const { count } of ranges) sum += count
  })
  return sum
}

/** One call of a function of the machine. */
interface Call {
  readonly on: unknown
  readonly first: unknown
  readonly second: unknown
  readonly result: unknown
  /** From where on an expression looks. */
  readonly from: number
}

/** How much of what it was given a call has looked at. */
type Cost = (call: Call) => number

const sizeOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)
const whole: Cost = ({ on }) => sizeOf(on)
/** From where a search began to where it ended. */
const searched: Cost = ({ on, second, result }) =>
  Math.max(
    0,
    (typeof result === 'number' && result >= 0 ? result : sizeOf(on)) - (typeof second === 'number' ? second : 0),
  )
/** An expression that may match at one place only looks at what it matches, others at all up to there. */
const matched: Cost = ({ on, first, result, from }) => {
  if (!(on instanceof RegExp)) return 0
  const found = Array.isArray(result) ? sizeOf(result[0]) : 0
  if (on.sticky || (on.source.startsWith('^') && !on.multiline)) return found
  return Array.isArray(result) && 'index' in result ? found + Number(result.index) - from : sizeOf(first) - from
}

const counted: readonly { readonly of: object; readonly names: readonly string[]; readonly cost: Cost }[] = [
  { of: String.prototype, names: ['indexOf', 'includes'], cost: searched },
  { of: String.prototype, names: ['lastIndexOf', 'split', 'toLowerCase', 'toUpperCase', 'trim'], cost: whole },
  { of: Array.prototype, names: ['indexOf', 'includes'], cost: searched },
  {
    of: Array.prototype,
    names: ['slice', 'concat', 'splice', 'unshift', 'shift', 'join', 'reverse', 'toReversed', 'toSorted'],
    cost: whole,
  },
  { of: RegExp.prototype, names: ['exec'], cost: matched },
  // spreading a list, map or set and walking through it
  ...[[], new Map(), new Set()].map((all) => ({
    of: Object.getPrototypeOf(all.values()) as object,
    names: ['next'],
    cost: () => 1,
  })),
]

/** What a run costs in functions of the machine. */
function countCalls(run: () => void): number {
  let sum = 0
  let isCounting = false
  const restore: (() => void)[] = []
  for (const { of, names, cost } of counted) {
    for (const name of names) {
      const original: unknown = Reflect.get(of, name)
      if (typeof original !== 'function') throw new Error(`no function ${name}`)
      restore.push(() => {
        Reflect.set(of, name, original)
      })
      Reflect.set(of, name, function (this: unknown, ...given: unknown[]): unknown {
        const from = this instanceof RegExp && this.global ? this.lastIndex : 0
        const result: unknown = Reflect.apply(original, this, given)
        if (isCounting) {
          isCounting = false
          sum += 1 + cost({ on: this, first: given[0], second: given[1], result, from })
          isCounting = true
        }
        return result
      })
    }
  }
  try {
    isCounting = true
    run()
  } finally {
    isCounting = false
    for (const give of restore) give()
  }
  return sum
}
