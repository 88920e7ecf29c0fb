/** True for a day that there is, such as `2026-01-31` (RFC 3339, `full-date`). */
export function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? []
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return year !== '' && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days
}

/** True for a time of a day that there is, such as `2026-01-31T12:00:00Z` (RFC 3339, `date-time`), in any case. */
export function isTime(text: string): boolean {
  const clock = /^T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))$/i.exec(text.slice(10))
  if (clock === null || !isDate(text.slice(0, 10))) return false
  const [hour = 24, minute = 60, second = 60] = clock.slice(1, 4).map(Number)
  return hour < 24 && minute < 60 && second < 60
}

/** The same as Go's `time.Parse` reads it: in upper case. */
export function isGoTime(text: string): boolean {
  return isTime(text) && !/[a-z]/.test(text)
}
