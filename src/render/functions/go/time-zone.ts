import { utc, type Zone } from './go-time.ts'

const utcNames: ReadonlySet<string> = new Set([
  '',
  'UTC',
  'Local',
  'Etc/UTC',
  'Etc/UCT',
  'UCT',
  'Etc/Universal',
  'Universal',
  'Etc/Zulu',
  'Zulu',
])

const gmtNames: ReadonlySet<string> = new Set([
  'GMT',
  'GMT0',
  'GMT+0',
  'GMT-0',
  'Greenwich',
  'Etc/GMT',
  'Etc/GMT0',
  'Etc/GMT+0',
  'Etc/GMT-0',
  'Etc/Greenwich',
])

/**
 * Returns the zone of that name when its offset never changes: UTC, GMT and their other names, `Local` (UTC, since
 * output may not depend on the machine) and `Etc/GMT+5` (which is west of Greenwich). Undefined for zones whose rules
 * stand in a database that differs from machine to machine.
 */
export function fixedZone(name: string): Zone | undefined {
  if (utcNames.has(name)) return utc
  if (gmtNames.has(name)) return { name: 'GMT', offset: 0 }
  const match = /^Etc\/GMT([+-])([1-9]|1[0-4])$/.exec(name)
  if (match === null) return undefined
  const [, sign = '', digits = ''] = match
  const hours = Number(digits)
  if (sign === '+' && hours > 12) return undefined
  const offset = sign === '+' ? -hours : hours
  return { name: `${offset < 0 ? '-' : '+'}${digits.padStart(2, '0')}`, offset: offset * 3600 }
}
