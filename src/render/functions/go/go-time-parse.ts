import { FunctionError } from '../../engine/function.ts'
import { fromByteString, toByteString } from '../../../codec/bytes/byte-text.ts'
import { dayNames, monthNames, isOffset, nextElement, type ElementKind, type OffsetKind } from './go-time-layout.ts'
import { daysBefore, daysIn, isLeapYear, timeOf, utc, type GoTime, type Zone } from './go-time.ts'
import { quoteTimeText } from './quote-time-text.ts'
import { inGo, ofValue, ours, say, type ErrorText } from '../../engine/error-text.ts'

/** Thrown inside when a value does not fit its element; becomes the message with layout and value. */
const bad = Symbol('bad value')

interface Reading {
  readonly layout: string
  readonly value: string
  /** Where the rest of the value starts. */
  at: number
  /** Where the rest of the layout starts. */
  layoutAt: number
  year: number
  month: number | undefined
  day: number | undefined
  yearDay: number | undefined
  hour: number
  minute: number
  second: number
  nanos: number
  half: 'am' | 'pm' | undefined
  offset: number | undefined
  zoneName: string
  isUtc: boolean
  outOfRange: string
}

/**
 * Reads `value` by a Go layout, after Go's time/format.go (ParseInLocation with the local zone, which is UTC here). An
 * unknown abbreviation of a zone gives an invented zone without offset, as Go has it.
 * @throws FunctionError in Go's words
 */
export function parseTime(layout: string, value: string): GoTime {
  const reading: Reading = {
    layout: toByteString(layout),
    value: toByteString(value),
    at: 0,
    layoutAt: 0,
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanos: 0,
    half: undefined,
    offset: undefined,
    zoneName: '',
    isUtc: false,
    outOfRange: '',
  }
  while (readNext(reading)) continue
  if (reading.half === 'pm' && reading.hour < 12) reading.hour += 12
  else if (reading.half === 'am' && reading.hour === 12) reading.hour = 0
  const { month, day } = resolveDay(reading)
  const date = { ...reading, month, day }
  const named = namedZone(reading)
  // Go takes the clock of a zone known by name only for UTC's, then shows it in the zone
  return named === undefined ? timeOf({ ...date, zone: offsetZone(reading) }) : { ...timeOf(date), zone: named }
}

/** Reads literal text and one element; false at the end of the layout. */
function readNext(reading: Reading): boolean {
  const { layout, value } = reading
  const element = nextElement(layout, reading.layoutAt)
  const literal = layout.slice(reading.layoutAt, element?.start)
  if (!skipLiteral(reading, literal)) throw mismatch(reading, literal, value.slice(reading.at))
  if (element === undefined) {
    if (reading.at === value.length) return false
    throw failure(reading, say`: extra text: ${bytes(value.slice(reading.at))}`)
  }
  reading.layoutAt = element.end
  const held = reading.at
  let fits = true
  try {
    readElement(reading, element.kind, element.end - element.start)
  } catch (error) {
    if (error !== bad) throw error
    fits = false
  }
  if (reading.outOfRange !== '') throw failure(reading, say`: ${ours(reading.outOfRange)} out of range`)
  if (!fits) throw mismatch(reading, layout.slice(element.start, element.end), value.slice(held))
  return true
}

function failure({ value }: Reading, problem: ErrorText): FunctionError {
  return new FunctionError(say`parsing time ${bytes(value)}${problem}`)
}

/** Text of a layout or of a time, one character per byte. */
function bytes(text: string): ErrorText {
  return ofValue(fromByteString(text), () => fromByteString(quoteTimeText(text)))
}

function mismatch(reading: Reading, element: string, rest: string): FunctionError {
  const layout = bytes(reading.layout)
  const go = (): string => say` as ${layout}: cannot parse ${bytes(rest)} as ${bytes(element)}`.go
  return failure(reading, inGo(go, say`: it does not have the layout ${layout}`))
}

/** Runs of spaces match each other, and nothing at the end of the value. */
function skipLiteral(reading: Reading, literal: string): boolean {
  const { value } = reading
  for (let at = 0; at < literal.length;) {
    const isSpace = literal.charAt(at) === ' '
    if (!isSpace && value.charAt(reading.at) !== literal.charAt(at)) return false
    if (isSpace && reading.at < value.length && value.charAt(reading.at) !== ' ') return false
    if (isSpace) {
      while (literal.charAt(at) === ' ') at++
      while (value.charAt(reading.at) === ' ') reading.at++
    } else {
      at++
      reading.at++
    }
  }
  return true
}

function readElement(reading: Reading, kind: ElementKind, length: number): void {
  if (isOffset(kind)) return readOffset(reading, kind)
  switch (kind) {
    case '06':
      return readShortYear(reading)
    case '2006':
      return readYear(reading)
    case 'Jan':
      reading.month =
        takeName(
          reading,
          monthNames.map((name) => name.slice(0, 3)),
        ) + 1
      return
    case 'January':
      reading.month = takeName(reading, monthNames) + 1
      return
    case 'Mon':
      takeName(
        reading,
        dayNames.map((name) => name.slice(0, 3)),
      )
      return
    case 'Monday':
      takeName(reading, dayNames)
      return
    case '1':
    case '01':
      reading.month = takeNumber(reading, kind === '01' ? 2 : 1, 2)
      if (reading.month <= 0 || reading.month > 12) reading.outOfRange = 'month'
      return
    case '2':
    case '_2':
    case '02':
      if (kind === '_2') skipSpaces(reading, 1)
      reading.day = takeNumber(reading, kind === '02' ? 2 : 1, 2)
      return
    case '__2':
    case '002':
      if (kind === '__2') skipSpaces(reading, 2)
      reading.yearDay = takeNumber(reading, kind === '002' ? 3 : 1, 3)
      return
    case '15':
      reading.hour = takeNumber(reading, 1, 2)
      if (reading.hour >= 24) reading.outOfRange = 'hour'
      return
    case '3':
    case '03':
      reading.hour = takeNumber(reading, kind === '03' ? 2 : 1, 2)
      if (reading.hour > 12) reading.outOfRange = 'hour'
      return
    case '4':
    case '04':
      reading.minute = takeNumber(reading, kind === '04' ? 2 : 1, 2)
      if (reading.minute >= 60) reading.outOfRange = 'minute'
      return
    case '5':
    case '05':
      return readSecond(reading, kind)
    case 'PM':
    case 'pm':
      return readHalf(reading, kind)
    case 'MST':
      return readZoneName(reading)
    case '.0':
      if (reading.value.length - reading.at < length) throw bad
      return readFraction(reading, length)
    case '.9':
      if (!/[.,]/.test(reading.value.charAt(reading.at)) || !isDigit(reading.value, reading.at + 1)) return
      return readFraction(reading, 1 + countDigits(reading.value, reading.at + 1))
  }
}

function isDigit(text: string, at: number): boolean {
  return /^[0-9]$/.test(text.charAt(at))
}

function countDigits(text: string, from: number): number {
  let at = from
  while (isDigit(text, at)) at++
  return at - from
}

/** Takes digits, as many as there are up to `most`; fewer than `least` do not fit. */
function takeNumber(reading: Reading, least: number, most: number): number {
  const { value, at } = reading
  const count = Math.min(countDigits(value.slice(at, at + most), 0), most)
  if (count < least) throw bad
  reading.at += count
  return Number(value.slice(at, at + count))
}

function takeName(reading: Reading, names: readonly string[]): number {
  const { value, at } = reading
  const index = names.findIndex((name) => value.slice(at, at + name.length).toLowerCase() === name.toLowerCase())
  if (index === -1) throw bad
  reading.at += names[index]?.length ?? 0
  return index
}

function skipSpaces(reading: Reading, most: number): void {
  for (let left = most; left > 0 && reading.value.charAt(reading.at) === ' '; left--) reading.at++
}

function readShortYear(reading: Reading): void {
  const text = reading.value.slice(reading.at, reading.at + 2)
  if (text.length < 2) throw bad
  reading.at += 2
  // Go reads a signed number here
  if (!/^([0-9]{2}|[+-][0-9])$/.test(text)) throw bad
  const year = Number(text)
  reading.year = year >= 69 ? year + 1900 : year + 2000
}

function readYear(reading: Reading): void {
  const text = reading.value.slice(reading.at, reading.at + 4)
  if (!/^[0-9]{4}$/.test(text)) throw bad
  reading.at += 4
  reading.year = Number(text)
}

function readSecond(reading: Reading, kind: '5' | '05'): void {
  reading.second = takeNumber(reading, kind === '05' ? 2 : 1, 2)
  if (reading.second >= 60) {
    reading.outOfRange = 'second'
    return
  }
  // a fraction may follow although the layout has none
  const { value, at } = reading
  if (!/[.,]/.test(value.charAt(at)) || !isDigit(value, at + 1)) return
  const next = nextElement(reading.layout, reading.layoutAt)?.kind
  if (next === '.0' || next === '.9') return
  readFraction(reading, 1 + countDigits(value, at + 1))
}

/** Reads a point or comma and digits, `length` characters in all; what is beyond nanoseconds is dropped. */
function readFraction(reading: Reading, length: number): void {
  const text = reading.value.slice(reading.at, reading.at + Math.min(length, 10))
  if (!/^[.,]/.test(text)) throw bad
  const digits = text.slice(1)
  reading.at += length
  // Go reads a signed number here too
  if (!/^[+-]?[0-9]*$/.test(digits)) throw bad
  const number = Number(/^[+-]?$/.test(digits) ? 0 : digits)
  if (number < 0) {
    reading.outOfRange = 'fractional second'
    return
  }
  reading.nanos = number * 10 ** (10 - text.length)
}

function readHalf(reading: Reading, kind: 'PM' | 'pm'): void {
  const text = reading.value.slice(reading.at, reading.at + 2)
  reading.at += 2
  const isUpper = kind === 'PM'
  if (text === (isUpper ? 'PM' : 'pm')) reading.half = 'pm'
  else if (text === (isUpper ? 'AM' : 'am')) reading.half = 'am'
  else throw bad
}

/** The layout of an offset as digits and colons after the sign. */
function readOffset(reading: Reading, kind: OffsetKind): void {
  if (kind.startsWith('Z') && reading.value.charAt(reading.at) === 'Z') {
    reading.at++
    reading.isUtc = true
    return
  }
  const text = reading.value.slice(reading.at, reading.at + kind.length)
  if (text.length < kind.length) throw bad
  const hasColons = Array.from(kind).every((character, at) => character !== ':' || text.charAt(at) === ':')
  if (!hasColons) throw bad
  reading.at += kind.length
  const digits = Array.from(text)
    .filter((_, at) => at > 0 && kind.charAt(at) !== ':')
    .join('')
  const [hours, minutes, seconds] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6)].map(twoDigits)
  checkOffset(reading, [hours, minutes, seconds])
  const total = ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)
  if (text.startsWith('-')) reading.offset = -total
  else if (text.startsWith('+')) reading.offset = total
  else throw bad
}

/** Undefined when it is no number; an absent part is zero. */
function twoDigits(text: string): number | undefined {
  if (text === '') return 0
  return /^[0-9]{2}$/.test(text) ? Number(text) : undefined
}

function checkOffset(reading: Reading, parts: readonly (number | undefined)[]): void {
  const wrong = parts.indexOf(undefined)
  const known = wrong === -1 ? parts : parts.slice(0, wrong)
  const [hours = 0, minutes = 0, seconds = 0] = known
  // Go looks at all parts, so the last problem is the one it reports
  if (hours > 24) reading.outOfRange = 'time zone offset hour'
  if (minutes > 60) reading.outOfRange = 'time zone offset minute'
  if (seconds > 60) reading.outOfRange = 'time zone offset second'
  if (wrong !== -1) throw bad
}

function readZoneName(reading: Reading): void {
  const rest = reading.value.slice(reading.at, reading.at + 64)
  if (rest.startsWith('UTC')) {
    reading.isUtc = true
    reading.at += 3
    return
  }
  const length = zoneNameLength(rest)
  if (length === 0) throw bad
  reading.zoneName = rest.slice(0, length)
  reading.at += length
}

/** Guesses how much of `text` is the abbreviation of a zone (Go's parseTimeZone); 0 for none. */
function zoneNameLength(text: string): number {
  if (text.length < 3) return 0
  if (/^(ChST|MeST)/.test(text)) return 4
  if (text.startsWith('GMT')) return 3 + signedHoursLength(text.slice(3))
  if (/^[+-]/.test(text)) return signedHoursLength(text)
  const letters = /^[A-Z]{0,6}/.exec(text)?.[0].length ?? 0
  if (letters === 5) return text.charAt(4) === 'T' ? 5 : 0
  if (letters === 4) return text.charAt(3) === 'T' || text.startsWith('WITA') ? 4 : 0
  return letters === 3 ? 3 : 0
}

/** The length of `+3` or `-12`, up to 23 hours; 0 for anything else. */
function signedHoursLength(text: string): number {
  const match = /^[+-]([0-9]+)/.exec(text)
  return match !== null && Number(match[1]) <= 23 ? match[0].length : 0
}

/** The month and day, from either or from the day of the year. */
function resolveDay(reading: Reading): { readonly month: number; readonly day: number } {
  const { year, yearDay } = reading
  if (yearDay === undefined) {
    const { month = 1, day = 1 } = reading
    if (day < 1 || day > daysIn(month, year)) throw failure(reading, say`: day out of range`)
    return { month, day }
  }
  const count = isLeapYear(year) ? 366 : 365
  if (yearDay < 1 || yearDay > count) throw failure(reading, say`: day-of-year out of range`)
  let month = 1
  while (daysBefore(month + 1, year) < yearDay) month++
  const day = yearDay - daysBefore(month, year)
  if (reading.month !== undefined && reading.month !== month) {
    throw failure(reading, say`: day-of-year does not match month`)
  }
  if (reading.day !== undefined && reading.day !== day) throw failure(reading, say`: day-of-year does not match day`)
  return { month, day }
}

/** The zone of an offset, if the value has one; else UTC. */
function offsetZone({ isUtc, offset, zoneName }: Reading): Zone {
  // Go takes -1 for none
  if (isUtc || offset === undefined || offset === -1) return utc
  return offset === 0 && zoneName === '' ? utc : { name: zoneName, offset }
}

/** The invented zone of an abbreviation, where there is nothing better. */
function namedZone({ isUtc, offset, zoneName }: Reading): Zone | undefined {
  if (isUtc || zoneName === '' || (offset !== undefined && offset !== -1)) return undefined
  const hours = /^GMT([+-][0-9]+)$/.exec(zoneName)?.[1]
  return { name: zoneName, offset: hours === undefined ? 0 : Number(hours) * 3600 }
}
