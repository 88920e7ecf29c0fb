import { CelFailure } from '../cel-failure.ts'

/** Conversions as Go does them (`strconv`); the library of CEL takes more, and other texts. */

const fail = (): never => {
  throw new CelFailure('a text cannot be converted')
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

/** `bool(text)` */
export function boolOf(text: string): boolean {
  return TRUE.has(text) ? true : FALSE.has(text) ? false : fail()
}

/** `int(text)` */
export function intOf(text: string): bigint {
  const value = /^[+-]?[0-9]{1,40}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : fail()
  return BigInt.asIntN(64, value) === value ? value : fail()
}

/** `uint(text)` */
export function uintOf(text: string): bigint {
  const value = /^[0-9]{1,40}$/.test(text) ? BigInt(text) : fail()
  return BigInt.asUintN(64, value) === value ? value : fail()
}

const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** `double(text)` */
export function doubleOf(text: string): number {
  const [, sign, word] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? []
  if (word !== undefined) return /^nan$/i.test(word) ? Number.NaN : sign === '-' ? -Infinity : Infinity
  const value = NUMBER.test(text) ? Number(text) : fail()
  return Number.isFinite(value) ? value : fail()
}

/** Billionths of a second in a duration as it is written (`-1.5s`). */
export function nanosOf(duration: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]{1,9}))?s$/.exec(duration) ?? []
  const nanos = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
  return sign === '-' ? -nanos : nanos
}

/** A time or duration without zeros at the end of its seconds. */
export function withoutZeros(text: string): string {
  return text.replace(/(\.[0-9]*[1-9])0+(?=[Zs]$)/, '$1')
}

const LEAST = -62_135_596_800n
const MOST = 253_402_300_799n

/** The time so many seconds after 1970 as it is written. */
export function timeAfter(seconds: bigint): string {
  if (seconds < LEAST || seconds > MOST) throw new CelFailure('timestamp overflow')
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.000Z$/, 'Z')
}

const DAY = 86_400_000

const parts: Readonly<Record<string, (time: Date) => number>> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDayOfYear: (time) => Math.floor((time.getTime() - startOfYear(time)) / DAY),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDate: (time) => time.getUTCDate(),
  getDayOfWeek: (time) => time.getUTCDay(),
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
}

function startOfYear(time: Date): number {
  const start = new Date(0)
  start.setUTCFullYear(time.getUTCFullYear(), 0, 1)
  return start.getTime()
}

/**
 * A part of a time, such as `getHours`, so many seconds after 1970; undefined for one that is not known, and in a zone
 * of the database of a server, which another machine may have otherwise.
 */
export function partOfTime(name: string, seconds: bigint, zone = 'UTC'): bigint | undefined {
  const [, sign, hours, minutes] = /^([+-]?)([0-9]{1,2}):([0-9]{2})$/.exec(zone) ?? []
  const part = parts[name]
  if (part === undefined || (hours === undefined && zone !== '' && zone !== 'UTC')) return undefined
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 * (sign === '-' ? -1 : 1)
  return BigInt(part(new Date((Number(seconds) + offset) * 1000)))
}
