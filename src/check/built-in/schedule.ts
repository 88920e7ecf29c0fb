import { isDuration } from '../schema/string-formats.ts'

/** A part of a schedule: the numbers that it takes, and words for some of them. */
interface Part {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly words: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const parts: readonly Part[] = [
  { name: 'minutes', least: 0, most: 59, words: [] },
  { name: 'hours', least: 0, most: 23, words: [] },
  { name: 'days of the month', least: 1, most: 31, words: [] },
  { name: 'months', least: 1, most: 12, words: MONTHS },
  { name: 'days of the week', least: 0, most: 6, words: DAYS },
]

const shorthands: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
])

const EVERY = '@every '

/**
 * The problem with a schedule of a CronJob (github.com/robfig/cron v3, ParseStandard); undefined for a good one. An
 * empty one, and one that names a time zone, is judged by others.
 */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === '' || schedule.includes('TZ')) return undefined
  if (schedule.startsWith('@')) {
    const isKnown = shorthands.has(schedule) || (schedule.startsWith(EVERY) && isDuration(schedule.slice(EVERY.length)))
    return isKnown ? undefined : 'a schedule such as "0 3 * * *", @daily or @every 1h30m'
  }
  // as Go splits: by every kind of white space
  const fields = schedule.split(/[\t\n\v\f\r \u0085\u00a0]+/).filter((field) => field !== '')
  if (fields.length !== parts.length) return 'a schedule of five parts, such as "0 3 * * *"'
  const wrong = parts.find((part, index) => !isField(fields[index] ?? '', part))
  return wrong === undefined
    ? undefined
    : `a schedule with ${wrong.name} from ${String(wrong.least)} to ${String(wrong.most)}, such as "0 3 * * *"`
}

function isField(field: string, part: Part): boolean {
  return field
    .split(',')
    .filter((item) => item !== '')
    .every((item) => isRange(item, part))
}

function isRange(item: string, part: Part): boolean {
  const [span = '', step, ...moreSteps] = item.split('/')
  const [low = '', high, ...moreEnds] = span.split('-')
  if (moreSteps.length > 0 || (step !== undefined && (numberOf(step) ?? 0) === 0)) return false
  if (low === '*' || low === '?') return true
  const start = valueOf(low, part)
  const end = high === undefined ? (step === undefined ? start : part.most) : valueOf(high, part)
  if (moreEnds.length > 0 || start === undefined || end === undefined) return false
  return start >= part.least && end <= part.most && start <= end
}

function valueOf(text: string, { least, words }: Part): number | undefined {
  const word = words.indexOf(text.toLowerCase())
  return word === -1 ? numberOf(text) : word + least
}

/** As Go's strconv.Atoi: a sign is fine, and -0 is no number below 0. */
function numberOf(text: string): number | undefined {
  return /^(?:\+?[0-9]{1,15}|-0+)$/.test(text) ? Math.abs(Number(text)) : undefined
}
