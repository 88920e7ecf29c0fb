import type { TimeZones } from '../model/ports.ts'
import type { PublishConfig } from '../model/publish-config.ts'
import { describeWindow, isWithin } from '../model/time-window.ts'

/** Why no pull request may be opened now; undefined: one may. What is open is kept up to date at any time. */
export function whyNotOpen(
  { schedule, limits }: Pick<PublishConfig, 'schedule' | 'limits'>,
  { now, timeZones, open }: { readonly now: number; readonly timeZones: TimeZones; readonly open: number },
): string | undefined {
  const shown = schedule.map((window) => ({ window, time: timeZones.wallTime(now, window.timezone) }))
  const unknown = shown.find(({ time }) => time === undefined)
  if (unknown !== undefined)
    return `spec.publish.schedule names a time zone that is not known, ${unknown.window.timezone}`
  if (shown.length > 0 && !shown.some(({ window, time }) => isWithin(window, time)))
    return `pull requests are opened ${schedule.map(describeWindow).join('; ')}`
  const { openPullRequests: most } = limits
  if (most !== undefined && open >= most)
    return `${String(open)} pull requests are open, and spec.publish.limits allows ${String(most)}`
  return undefined
}
