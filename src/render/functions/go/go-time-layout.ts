import { civilOf, type Civil, type GoTime } from './go-time.ts'

/** The elements of a layout, each named by how it is written there; `.0` and `.9` stand for any number of digits. */
const fixedElements = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '002',
  '15',
  '1',
  '2006',
  '2',
  '_2',
  '__2',
  '3',
  '4',
  '5',
  'PM',
  'pm',
  '-070000',
  '-07:00:00',
  '-0700',
  '-07:00',
  '-07',
  'Z070000',
  'Z07:00:00',
  'Z0700',
  'Z07:00',
  'Z07',
] as const

/** The meaning of a layout's element. */
export type ElementKind = (typeof fixedElements)[number] | '.0' | '.9'

/** The elements that stand for an offset from UTC. */
export type OffsetKind = Extract<ElementKind, `-${string}` | `Z${string}`>

/** True if an element stands for an offset from UTC. */
export function isOffset(kind: ElementKind): kind is OffsetKind {
  return kind.startsWith('-') || kind.startsWith('Z')
}

/** An element of a layout and where it stands there. */
export interface LayoutElement {
  readonly kind: ElementKind
  readonly start: number
  readonly end: number
}

const byFirst: ReadonlyMap<string, readonly ElementKind[]> = groupByFirst()

function groupByFirst(): Map<string, ElementKind[]> {
  const groups = new Map<string, ElementKind[]>()
  for (const kind of fixedElements) groups.set(kind.charAt(0), [...(groups.get(kind.charAt(0)) ?? []), kind])
  return groups
}

/** The next element of `layout` at or after `from`, after Go's time/format.go (nextStdChunk). */
export function nextElement(layout: string, from: number): LayoutElement | undefined {
  for (let start = from; start < layout.length; start++) {
    const first = layout.charAt(start)
    if (first === '.' || first === ',') {
      const element = readFraction(layout, start)
      if (element !== undefined) return element
    }
    // `_2006` is an underscore and a year
    if (layout.startsWith('_2006', start)) return { kind: '2006', start: start + 1, end: start + 5 }
    const kind = byFirst.get(first)?.find((one) => layout.startsWith(one, start) && !isWord(layout, start, one))
    if (kind !== undefined) return { kind, start, end: start + kind.length }
  }
  return undefined
}

/** `Jan` and `Mon` do not count inside longer words such as `Month`. */
function isWord(layout: string, start: number, kind: ElementKind): boolean {
  return (kind === 'Jan' || kind === 'Mon') && /^[a-z]$/.test(layout.charAt(start + 3))
}

function readFraction(layout: string, start: number): LayoutElement | undefined {
  const digit = layout.charAt(start + 1)
  if (digit !== '0' && digit !== '9') return undefined
  let end = start + 1
  while (layout.charAt(end) === digit) end++
  return /^[0-9]$/.test(layout.charAt(end)) ? undefined : { kind: digit === '0' ? '.0' : '.9', start, end }
}

/** English names, in order. */
export const monthNames: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')

/** English names, from Sunday. */
export const dayNames: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns `time` in the form of a Go layout. */
export function formatTime(time: GoTime, layout: string): string {
  const civil = civilOf(time)
  let text = ''
  let at = 0
  for (let element = nextElement(layout, 0); element !== undefined; element = nextElement(layout, at)) {
    text +=
      layout.slice(at, element.start) +
      formatElement(time, civil, layout.slice(element.start, element.end), element.kind)
    at = element.end
  }
  return text + layout.slice(at)
}

function formatElement(time: GoTime, civil: Civil, written: string, kind: ElementKind): string {
  if (isOffset(kind)) return formatOffset(time.zone.offset, kind)
  switch (kind) {
    case 'January':
      return monthNames[civil.month - 1] ?? ''
    case 'Jan':
      return (monthNames[civil.month - 1] ?? '').slice(0, 3)
    case 'Monday':
      return dayNames[civil.weekday] ?? ''
    case 'Mon':
      return (dayNames[civil.weekday] ?? '').slice(0, 3)
    case 'MST':
      return time.zone.name === '' ? formatOffset(time.zone.offset, '-0700') : time.zone.name
    case '1':
      return String(civil.month)
    case '01':
      return pad(civil.month, 2)
    case '2':
      return String(civil.day)
    case '_2':
      return String(civil.day).padStart(2)
    case '02':
      return pad(civil.day, 2)
    case '__2':
      return String(civil.yearDay).padStart(3)
    case '002':
      return pad(civil.yearDay, 3)
    case '15':
      return pad(civil.hour, 2)
    case '3':
      return String(civil.hour % 12 || 12)
    case '03':
      return pad(civil.hour % 12 || 12, 2)
    case '4':
      return String(civil.minute)
    case '04':
      return pad(civil.minute, 2)
    case '5':
      return String(civil.second)
    case '05':
      return pad(civil.second, 2)
    case '2006':
      return pad(civil.year, 4)
    case '06':
      return pad(Math.abs(civil.year) % 100, 2)
    case 'PM':
      return civil.hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return civil.hour >= 12 ? 'pm' : 'am'
    case '.0':
    case '.9':
      return formatFraction(time.nanos, written)
  }
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${pad(-value, width)}` : String(value).padStart(width, '0')
}

/** `.000` keeps zeros at the end, `.999` drops them. */
function formatFraction(nanos: number, written: string): string {
  const isTrimmed = written.charAt(1) === '9'
  // Go keeps the number of digits in 12 bits
  const digits = (written.length - 1) % 4096
  if (isTrimmed && (digits === 0 || nanos === 0)) return ''
  const shown = String(nanos).padStart(9, '0').slice(0, Math.min(digits, 9))
  const kept = isTrimmed ? shown.replace(/0+$/, '') : shown
  return isTrimmed && kept === '' ? '' : written.charAt(0) + kept
}

/** An offset in one of the numeric forms; those with Z write `Z` for none. */
function formatOffset(offset: number, kind: OffsetKind): string {
  if (offset === 0 && kind.startsWith('Z')) return 'Z'
  const minutes = Math.trunc(offset / 60)
  // the sign comes from whole minutes, as in Go
  const sign = minutes < 0 ? '-' : '+'
  const colon = kind.includes(':') ? ':' : ''
  const parts = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60, secondsOf(offset, minutes)]
  const count = kind.replaceAll(':', '').length === 3 ? 1 : kind.replaceAll(':', '').length === 5 ? 2 : 3
  return (
    sign +
    parts
      .slice(0, count)
      .map((part) => pad(part, 2))
      .join(colon)
  )
}

function secondsOf(offset: number, minutes: number): number {
  return (minutes < 0 ? -offset : offset) % 60
}
