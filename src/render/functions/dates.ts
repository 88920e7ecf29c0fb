import { GoInt, type Value } from '../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { anyArgument, textArgument } from './arguments.ts'
import { reportNotDeterministic } from './secrets/generate.ts'
import { formatDuration, parseDuration, roundDuration } from './go/go-duration.ts'
import { formatTime } from './go/go-time-layout.ts'
import { parseTime } from './go/go-time-parse.ts'
import { durationBetween, fixedNow, utc, zeroTime, type GoTime, type Zone } from './go/go-time.ts'
import { TimeObject } from './time-object.ts'
import { fixedZone } from './go/time-zone.ts'
import { say } from '../engine/error-text.ts'

const NO_CLOCK = say`would read the clock; 1970-01-01T00:00:00Z stands for the current time`

/** The fixed instant that stands for the current time, with a finding: there is no clock here. */
function currentTime(context: CallContext, name: string): GoTime {
  reportNotDeterministic(context, name, { instead: NO_CLOCK })
  return fixedNow
}

/**
 * The same as a value: the finding comes, at the place of this call, when something sees the time and not only moves or
 * compares it.
 */
function now(context: CallContext): Value {
  const origin = context.origin()
  const onUse = (): void => {
    reportNotDeterministic(context, 'now', { instead: NO_CLOCK, origin })
  }
  return new TimeObject(fixedNow, { onUse })
}

/**
 * A time, or seconds since 1970 in one of the integer types that sprig's function knows; anything else is now, as in
 * sprig.
 */
function timeFrom(value: Value, context: CallContext, of: { readonly name: string; readonly kinds: string }): GoTime {
  if (value instanceof TimeObject) return value.time
  if (value instanceof GoInt && of.kinds.split(' ').includes(value.kind)) {
    return { seconds: value.value, nanos: 0, zone: utc }
  }
  return currentTime(context, of.name)
}

/** sprig takes UTC for a zone that it does not know; so do we for one whose rules are not fixed, but with a finding. */
function zoneNamed(zone: string, context: CallContext, name: string): Zone {
  const fixed = fixedZone(zone)
  if (fixed !== undefined) return fixed
  reportNotDeterministic(context, name, {
    instead: say`would look up the time zone that it was given on the machine; UTC stands for it`,
  })
  return utc
}

interface Stamp {
  readonly name: string
  readonly layout: string
  readonly value: Value
  readonly zone: string
}

function formatStamp({ name, layout, value, zone }: Stamp, context: CallContext): Value {
  const time = timeFrom(value, context, { name, kinds: 'int64 int int32' })
  return formatTime({ ...time, zone: zoneNamed(zone, context, name) }, layout)
}

function date(args: readonly Value[], context: CallContext): Value {
  const layout = textArgument(args, 0)
  return formatStamp({ name: 'date', layout, value: anyArgument(args, 1), zone: 'Local' }, context)
}

function dateInZone(name: string): FunctionDef {
  return {
    name,
    params: ['string', 'any', 'string'],
    tokens: 'refuse',
    call(args, context) {
      const layout = textArgument(args, 0)
      return formatStamp({ name, layout, value: anyArgument(args, 1), zone: textArgument(args, 2) }, context)
    },
  }
}

const htmlLayout = '2006-01-02'

function htmlDate(args: readonly Value[], context: CallContext): Value {
  return formatStamp({ name: 'htmlDate', layout: htmlLayout, value: anyArgument(args, 0), zone: 'Local' }, context)
}

function htmlDateInZone(args: readonly Value[], context: CallContext): Value {
  const zone = textArgument(args, 1)
  return formatStamp({ name: 'htmlDateInZone', layout: htmlLayout, value: anyArgument(args, 0), zone }, context)
}

function timeArgument(args: readonly Value[], index: number): TimeObject {
  const value = anyArgument(args, index)
  if (value instanceof TimeObject) return value
  throw new Error(`argument ${index} of ${args.length} does not have the declared type`)
}

/** Moves a time; a duration that does not parse is an error, or with `lenient` leaves the time as it is. */
function dateModify(name: string, mode: 'strict' | 'lenient'): FunctionDef {
  return {
    name,
    params: ['string', 'time'],
    tokens: 'refuse',
    call(args) {
      const duration = mode === 'strict' ? parseDuration(textArgument(args, 0)) : tryDuration(textArgument(args, 0))
      return timeArgument(args, 1).movedBy(duration)
    },
  }
}

function tryDuration(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    if (error instanceof FunctionError) return 0n
    throw error
  }
}

function ago(args: readonly Value[], context: CallContext): Value {
  const now = currentTime(context, 'ago')
  const value = anyArgument(args, 0)
  const since = value instanceof TimeObject || value instanceof GoInt
  const time = since ? timeFrom(value, context, { name: 'ago', kinds: 'int64 int' }) : now
  return formatDuration(roundDuration(durationBetween(time, now), 1_000_000_000n))
}

/** Seconds given as text or as int64 (not int), as in sprig. */
function duration(args: readonly Value[]): Value {
  const value = anyArgument(args, 0)
  let seconds = 0n
  if (typeof value === 'string') seconds = parseSeconds(value)
  else if (value instanceof GoInt && value.kind === 'int64') seconds = value.value
  return formatDuration(BigInt.asIntN(64, seconds * 1_000_000_000n))
}

/** strconv.ParseInt whose error is dropped: the nearest bound when out of range, else 0. */
function parseSeconds(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n
  const isNegative = text.startsWith('-')
  const digits = text.replace(/^[+-]?0*/, '')
  const magnitude = digits.length > 19 ? 2n ** 64n : BigInt(digits === '' ? '0' : digits)
  const most = isNegative ? 2n ** 63n : 2n ** 63n - 1n
  const bounded = magnitude > most ? most : magnitude
  return isNegative ? -bounded : bounded
}

const nanosecondsOf = [
  ['y', 365n * 86400n],
  ['mo', 30n * 86400n],
  ['d', 86400n],
  ['h', 3600n],
  ['m', 60n],
  ['s', 1n],
] as const

function durationRound(args: readonly Value[], context: CallContext): Value {
  const value = anyArgument(args, 0)
  let nanoseconds = 0n
  if (typeof value === 'string') nanoseconds = tryDuration(value)
  else if (value instanceof GoInt && value.kind === 'int64') nanoseconds = value.value
  else if (value instanceof TimeObject) {
    nanoseconds = durationBetween(value.time, currentTime(context, 'durationRound'))
  }
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds
  for (const [unit, seconds] of nanosecondsOf) {
    const size = seconds * 1_000_000_000n
    if (magnitude > size) return `${magnitude / size}${unit}`
  }
  return '0s'
}

/** Reads a time by a layout; what does not parse is Go's zero time, or with `strict` an error. */
function toDate(name: string, mode: 'strict' | 'lenient'): FunctionDef {
  return {
    name,
    params: ['string', 'string'],
    tokens: 'refuse',
    call(args) {
      try {
        return new TimeObject(parseTime(textArgument(args, 0), textArgument(args, 1)))
      } catch (error) {
        if (mode === 'lenient' && error instanceof FunctionError) return new TimeObject(zeroTime)
        throw error
      }
    },
  }
}

/**
 * sprig's dates. There is no clock: the current time is a fixed instant with a finding, the local zone is UTC, and of
 * named zones only those with a fixed offset are known (the others differ with the machine's zone database; UTC stands
 * for them, with a finding).
 */
export const dateFunctions: readonly FunctionDef[] = [
  { name: 'now', params: [], tokens: 'pass', call: (_, context) => now(context) },
  { name: 'date', params: ['string', 'any'], tokens: 'refuse', call: date },
  dateInZone('dateInZone'),
  dateInZone('date_in_zone'),
  dateModify('dateModify', 'lenient'),
  dateModify('date_modify', 'lenient'),
  dateModify('mustDateModify', 'strict'),
  dateModify('must_date_modify', 'strict'),
  { name: 'ago', params: ['any'], tokens: 'refuse', call: ago },
  { name: 'duration', params: ['any'], tokens: 'refuse', call: duration },
  { name: 'durationRound', params: ['any'], tokens: 'refuse', call: durationRound },
  { name: 'htmlDate', params: ['any'], tokens: 'refuse', call: htmlDate },
  { name: 'htmlDateInZone', params: ['any', 'string'], tokens: 'refuse', call: htmlDateInZone },
  toDate('toDate', 'lenient'),
  toDate('mustToDate', 'strict'),
  {
    name: 'unixEpoch',
    params: ['time'],
    tokens: 'refuse',
    call: (args) => timeArgument(args, 0).time.seconds.toString(),
  },
]
