import {
  GoInt,
  GoObject,
  goInt,
  goInt64,
  goTypeOf,
  type GoMethod,
  type ParamType,
  type Value,
} from '../../model/value.ts'
import { FunctionError } from '../engine/function.ts'
import { intArgument, textArgument } from './arguments.ts'
import { formatDuration, roundDuration } from './go/go-duration.ts'
import { dayNames, formatTime, monthNames } from './go/go-time-layout.ts'
import {
  addDuration,
  civilOf,
  compareTimes,
  durationBetween,
  timeOf,
  utc,
  zeroTime,
  type Civil,
  type GoTime,
} from './go/go-time.ts'
import { ours, say } from '../engine/error-text.ts'

function method(params: readonly ParamType[], call: GoMethod['call']): GoMethod {
  return { params, call }
}

/** One reading of a clock that is not there: times that come from it are the fixed instant, moved. */
export interface ClockReading {
  /** Called when something asks for the time that was read. */
  readonly onUse: () => void
}

/**
 * Go's time.Time with the methods that give one value. One that comes from a clock reports each way in which it can be
 * seen; to move it, and to compare it with another of the same reading, tells nothing of the clock.
 */
export class TimeObject extends GoObject {
  readonly goType = 'time.Time'
  readonly kind = 'struct'
  readonly #time: GoTime
  readonly #reading: ClockReading | undefined

  constructor(time: GoTime, reading?: ClockReading) {
    super()
    this.#time = time
    this.#reading = reading
  }

  /** The instant. */
  get time(): GoTime {
    this.#reading?.onUse()
    return this.#time
  }

  /** The time so many nanoseconds later, of the same reading. */
  movedBy(nanoseconds: bigint): TimeObject {
    return new TimeObject(addDuration(this.#time, nanoseconds), this.#reading)
  }

  override isSame(other: GoObject): boolean {
    if (this === other) return true
    if (!(other instanceof TimeObject)) return false
    const isOneReading = this.#reading === other.#reading
    const [a, b] = isOneReading ? [this.#time, other.#time] : [this.time, other.time]
    return a.seconds === b.seconds && a.nanos === b.nanos && a.zone === b.zone
  }

  override field(): undefined {
    return undefined
  }

  override method(name: string): GoMethod | undefined {
    const found = timeMethods.get(name)
    return found === undefined ? undefined : found(this.time)
  }

  override toText(): string {
    return formatTime(this.time, '2006-01-02 15:04:05.999999999 -0700 MST')
  }

  /** JSON and YAML see RFC 3339. */
  override toValue(): Value {
    return formatTime(this.time, '2006-01-02T15:04:05.999999999Z07:00')
  }
}

/** Go's time.Duration in nanoseconds. */
class DurationObject extends GoObject {
  readonly goType = 'time.Duration'
  readonly kind = 'struct'
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    super()
    this.nanoseconds = nanoseconds
  }

  override field(): undefined {
    return undefined
  }

  override method(name: string): GoMethod | undefined {
    return durationMethods.get(name)?.(this.nanoseconds)
  }

  override toText(): string {
    return formatDuration(this.nanoseconds)
  }

  override toValue(): Value {
    return goInt64(this.nanoseconds)
  }
}

/** Go's time.Month and time.Weekday: numbers that print as names. */
class NamedNumber extends GoObject {
  readonly goType: 'time.Month' | 'time.Weekday'
  readonly kind = 'struct'
  readonly number: number

  constructor(goType: 'time.Month' | 'time.Weekday', number: number) {
    super()
    this.goType = goType
    this.number = number
  }

  override field(): undefined {
    return undefined
  }

  override method(name: string): GoMethod | undefined {
    return name === 'String' ? method([], () => this.toText()) : undefined
  }

  override toText(): string {
    return (this.goType === 'time.Month' ? monthNames[this.number - 1] : dayNames[this.number]) ?? ''
  }

  override toValue(): Value {
    return goInt(this.number)
  }
}

type TimeMethod = (time: GoTime) => GoMethod

function civilNumber(part: Exclude<keyof Civil, 'month' | 'weekday'>): TimeMethod {
  return (time) => method([], () => goInt(civilOf(time)[part]))
}

function compared(answer: (order: number) => Value): TimeMethod {
  return (time) => method(['time'], ([other = null]) => answer(compareTimes(time, readTime(other))))
}

function readTime(value: Value): GoTime {
  if (value instanceof TimeObject) return value.time
  throw new FunctionError(say`wrong type for value; expected time.Time; got ${ours(goTypeOf(value))}`)
}

function readDuration(value: Value): bigint {
  if (value instanceof DurationObject) return value.nanoseconds
  // a literal number is a duration where one is asked for
  if (value instanceof GoInt && value.kind === 'int') return value.value
  throw new FunctionError(say`wrong type for value; expected time.Duration; got ${ours(goTypeOf(value))}`)
}

const timeMethods: ReadonlyMap<string, TimeMethod> = new Map<string, TimeMethod>([
  ['String', (time) => method([], () => new TimeObject(time).toText())],
  ['Format', (time) => method(['string'], (args) => formatTime(time, textArgument(args, 0)))],
  ['Unix', (time) => method([], () => goInt64(time.seconds))],
  ['UnixMilli', (time) => method([], () => goInt64(unixUnits(time, 1_000_000n)))],
  ['UnixMicro', (time) => method([], () => goInt64(unixUnits(time, 1000n)))],
  ['UnixNano', (time) => method([], () => goInt64(unixUnits(time, 1n)))],
  ['Year', civilNumber('year')],
  ['Month', (time) => method([], () => new NamedNumber('time.Month', civilOf(time).month))],
  ['Day', civilNumber('day')],
  ['Weekday', (time) => method([], () => new NamedNumber('time.Weekday', civilOf(time).weekday))],
  ['YearDay', civilNumber('yearDay')],
  ['Hour', civilNumber('hour')],
  ['Minute', civilNumber('minute')],
  ['Second', civilNumber('second')],
  ['Nanosecond', (time) => method([], () => goInt(time.nanos))],
  ['IsZero', (time) => method([], () => compareTimes(time, zeroTime) === 0)],
  ['IsDST', () => method([], () => false)],
  ['UTC', (time) => method([], () => new TimeObject({ ...time, zone: utc }))],
  ['Local', (time) => method([], () => new TimeObject({ ...time, zone: utc }))],
  ['After', compared((order) => order > 0)],
  ['Before', compared((order) => order < 0)],
  ['Equal', compared((order) => order === 0)],
  ['Compare', compared((order) => goInt(Math.sign(order)))],
  ['Add', (time) => method(['object'], ([by = null]) => new TimeObject(addDuration(time, readDuration(by))))],
  ['Sub', (time) => method(['time'], ([from = null]) => new DurationObject(durationBetween(readTime(from), time)))],
  ['AddDate', (time) => method(['int', 'int', 'int'], (args) => new TimeObject(addDate(time, args)))],
])

function unixUnits({ seconds, nanos }: GoTime, size: bigint): bigint {
  return seconds * (1_000_000_000n / size) + BigInt(nanos) / size
}

function addDate(time: GoTime, args: readonly Value[]): GoTime {
  const civil = civilOf(time)
  return timeOf({
    ...civil,
    year: civil.year + intArgument(args, 0),
    month: civil.month + intArgument(args, 1),
    day: civil.day + intArgument(args, 2),
    nanos: time.nanos,
    zone: time.zone,
  })
}

type DurationMethod = (nanoseconds: bigint) => GoMethod

/** Whole and rest are divided apart, so that rounding is Go's. */
function inUnits(size: bigint): DurationMethod {
  return (all) => method([], () => Number(all / size) + Number(all % size) / Number(size))
}

function wholeUnits(size: bigint): DurationMethod {
  return (all) => method([], () => goInt64(all / size))
}

const durationMethods: ReadonlyMap<string, DurationMethod> = new Map<string, DurationMethod>([
  ['String', (all) => method([], () => formatDuration(all))],
  ['Hours', inUnits(3_600_000_000_000n)],
  ['Minutes', inUnits(60_000_000_000n)],
  ['Seconds', inUnits(1_000_000_000n)],
  ['Milliseconds', wholeUnits(1_000_000n)],
  ['Microseconds', wholeUnits(1000n)],
  ['Nanoseconds', wholeUnits(1n)],
  ['Round', (all) => method(['object'], ([to = null]) => new DurationObject(roundDuration(all, readDuration(to))))],
  ['Truncate', (all) => method(['object'], ([to = null]) => new DurationObject(truncate(all, readDuration(to))))],
  ['Abs', (all) => method([], () => new DurationObject(all === -(2n ** 63n) ? 2n ** 63n - 1n : all < 0n ? -all : all))],
])

function truncate(all: bigint, unit: bigint): bigint {
  return unit <= 0n ? all : all - (all % unit)
}
