/** A zone as far as one instant needs it: abbreviation (may be empty) and offset east of UTC in seconds. */
export interface Zone {
  readonly name: string
  readonly offset: number
}

/**
 * Coordinated universal time, which is also what stands for the machine's local zone: output may not depend on the
 * machine.
 */
export const utc: Zone = { name: 'UTC', offset: 0 }

/**
 * An instant seen in a zone: Go's time.Time without its monotonic clock. `seconds` since 1970 wrap at 64 bits as Go's
 * do.
 */
export interface GoTime {
  readonly seconds: bigint
  /** 0 to 999 999 999. */
  readonly nanos: number
  readonly zone: Zone
}

/** Go's zero time, January 1 of the year 1. */
export const zeroTime: GoTime = { seconds: -62135596800n, nanos: 0, zone: utc }

/** The current time: a fixed instant. */
export const fixedNow: GoTime = { seconds: 0n, nanos: 0, zone: utc }

/** A day and a time of day. Months count from 1, weekdays from Sunday = 0, days of the year from 1. */
export interface Civil {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly yearDay: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

/** Days of an era of 400 years. */
const eraDays = 146097
/** Go counts from March 1 of the year -292277022400, which is this many eras before the year 0. */
const erasBefore = 730692556
/** Days from March 1 of the year 0 to January 1, 1970. */
const daysToEpoch = 719468
const secondsToEpoch = (BigInt(erasBefore) * BigInt(eraDays) + BigInt(daysToEpoch)) * 86400n

/** Returns the date and time of day of `time` in its zone. */
export function civilOf({ seconds, zone }: GoTime): Civil {
  const absolute = BigInt.asUintN(64, seconds + BigInt(zone.offset) + secondsToEpoch)
  const days = Number(absolute / 86400n) - erasBefore * eraDays
  const clock = Number(absolute % 86400n)
  const { year, month, day } = dateOfDay(days)
  return {
    year,
    month,
    day,
    // March 1 of the year 0 was a Wednesday
    weekday: modulo(days + 3, 7),
    yearDay: daysBefore(month, year) + day,
    hour: Math.floor(clock / 3600),
    minute: Math.floor(clock / 60) % 60,
    second: clock % 60,
  }
}

/** The date of a day counted from March 1 of the year 0. */
function dateOfDay(days: number): Pick<Civil, 'year' | 'month' | 'day'> {
  const era = Math.floor(days / eraDays)
  const ofEra = days - era * eraDays
  const year =
    Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36524) - Math.floor(ofEra / 146096)) / 365) +
    era * 400
  const ofYear = days - dayOfMarch(year)
  const shifted = Math.floor((5 * ofYear + 2) / 153)
  const day = ofYear - Math.floor((153 * shifted + 2) / 5) + 1
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return { year: month <= 2 ? year + 1 : year, month, day }
}

/** The day of March 1 of a year, counted from that of the year 0. */
function dayOfMarch(year: number): number {
  return year * 365 + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

/** True if `year` has a February 29. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

const monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

/** Days of `year` before the first of `month` (1 to 13). */
export function daysBefore(month: number, year: number): number {
  return (monthStarts[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0)
}

/** The number of days of a month. */
export function daysIn(month: number, year: number): number {
  return daysBefore(month + 1, year) - daysBefore(month, year)
}

/** The arguments of {@link timeOf}; every part may lie outside of its usual range and then carries over. */
export interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
  readonly nanos?: number
  readonly zone?: Zone
}

/** Go's time.Date: the instant of a date and time of day in a zone. */
export function timeOf(parts: DateParts): GoTime {
  const { year, month, day, hour = 0, minute = 0, second = 0, nanos = 0, zone = utc } = parts
  const months = month - 1
  const wholeYear = year + Math.floor(months / 12)
  const wholeMonth = modulo(months, 12) + 1
  // January and February belong to the year that began the March before
  const march = wholeMonth <= 2 ? wholeYear - 1 : wholeYear
  const ofYear = Math.floor((153 * modulo(wholeMonth - 3, 12) + 2) / 5) + day - 1
  const days = BigInt(dayOfMarch(march) + ofYear - daysToEpoch)
  const clock = BigInt(hour * 3600 + minute * 60 + second - zone.offset)
  return { seconds: BigInt.asIntN(64, days * 86400n + clock), nanos, zone }
}

/** The time later by `duration` nanoseconds. */
export function addDuration(time: GoTime, duration: bigint): GoTime {
  const nanos = BigInt(time.nanos) + (duration % 1_000_000_000n)
  const carry = nanos < 0n ? -1n : nanos >= 1_000_000_000n ? 1n : 0n
  return {
    ...time,
    seconds: BigInt.asIntN(64, time.seconds + duration / 1_000_000_000n + carry),
    nanos: Number(nanos - carry * 1_000_000_000n),
  }
}

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** Nanoseconds from `from` to `to`, at most what 64 bits hold. */
export function durationBetween(from: GoTime, to: GoTime): bigint {
  const exact = (to.seconds - from.seconds) * 1_000_000_000n + BigInt(to.nanos - from.nanos)
  return exact < least ? least : exact > most ? most : exact
}

/** Negative, 0 or positive: which instant is earlier, whatever the zones. */
export function compareTimes(a: GoTime, b: GoTime): number {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1
  return a.nanos - b.nanos
}
