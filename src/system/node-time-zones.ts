import type { TimeZones } from '../model/ports.ts'

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** The time zones of the database that Node comes with. */
export const nodeTimeZones: TimeZones = {
  wallTime: (moment, timeZone) => {
    const format = formatOf(timeZone)
    if (format === undefined) return undefined
    const parts = format.formatToParts(moment)
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? ''
    return { day: WEEK.indexOf(part('weekday')), time: `${part('hour')}:${part('minute')}` }
  },
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
