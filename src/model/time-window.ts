import type { WallTime } from './ports.ts'

/** Days of the week, as people write them. */
export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** One of {@link days}. */
export type Day = (typeof days)[number]

/** A time of the week, by the clocks of a place. */
export interface TimeWindow {
  /** Days on which it begins; none: all. */
  readonly days: readonly Day[]
  /** `HH:MM`. */
  readonly from: string
  /** `HH:MM`; not later than `from`: of the next day. */
  readonly to: string
  /** Of the IANA database. */
  readonly timezone: string
}

/**
 * True if clocks of its zone show a time of the window: so an hour that they skip is in no window, and one that they
 * show twice is in it twice. Where nobody knows the zone it is never.
 */
export function isWithin({ days: wanted, from, to }: TimeWindow, shown: WallTime | undefined): boolean {
  if (shown === undefined) return false
  const { day, time } = shown
  const isOn = (at: number): boolean => {
    const name = days[(at + days.length) % days.length]
    return wanted.length === 0 || (name !== undefined && wanted.includes(name))
  }
  if (from < to) return isOn(day) && time >= from && time < to
  return (isOn(day) && time >= from) || (isOn(day - 1) && time < to)
}

/** A window in words. */
export function describeWindow({ days: wanted, from, to, timezone }: TimeWindow): string {
  return `${wanted.length === 0 ? 'daily' : wanted.join(', ')} ${from} to ${to} ${timezone}`
}
