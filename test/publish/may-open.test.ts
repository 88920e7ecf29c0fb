import { expect, it } from 'vitest'
import { isWithin, type TimeWindow } from '../../src/model/time-window.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { whyNotOpen } from '../../src/publish/may-open.ts'

const { timeZones } = createNodePorts()
const night: TimeWindow = { days: ['fri', 'sat'], from: '22:00', to: '05:00', timezone: 'Europe/Berlin' }
const early: TimeWindow = { days: [], from: '02:00', to: '03:00', timezone: 'Europe/Berlin' }
const office: TimeWindow = {
  days: ['mon', 'tue', 'wed', 'thu'],
  from: '09:00',
  to: '16:30',
  timezone: 'America/New_York',
}

it.each([
  ['office: as it opens', office, '2026-11-23T14:00:00Z', true],
  ['office: a minute before', office, '2026-11-23T13:59:59Z', false],
  ['office: its last minute', office, '2026-11-23T21:29:59Z', true],
  ['office: as it closes', office, '2026-11-23T21:30:00Z', false],
  ['office: on a Friday', office, '2026-11-27T15:00:00Z', false],
  ['office: an hour earlier by UTC in summer', office, '2026-07-20T13:00:00Z', true],
  ['night: its first evening', night, '2026-11-27T21:00:00Z', true],
  ['night: the morning after its last evening', night, '2026-11-29T03:59:00Z', true],
  ['night: as it ends', night, '2026-11-29T04:00:00Z', false],
  ['night: the morning before its first evening', night, '2026-11-27T03:00:00Z', false],
  ['early: before clocks go forward', early, '2026-03-28T01:30:00Z', true],
  ['early: the hour that clocks skip, before', early, '2026-03-29T00:59:00Z', false],
  ['early: the hour that clocks skip, after', early, '2026-03-29T01:00:00Z', false],
  ['early: the hour that clocks show twice, first', early, '2026-10-25T00:30:00Z', true],
  ['early: the hour that clocks show twice, second', early, '2026-10-25T01:30:00Z', true],
  ['early: after it', early, '2026-10-25T02:00:00Z', false],
])('%s', (_, window, moment, expected) => {
  expect(isWithin(window, timeZones.wallTime(Date.parse(moment), window.timezone))).toBe(expected)
})

it('opens within the schedule and below the limit', () => {
  const now = Date.parse('2026-11-23T12:00:00Z')
  expect(whyNotOpen({ schedule: [], limits: {} }, { now, timeZones, open: 99 })).toBeUndefined()
  expect(whyNotOpen({ schedule: [], limits: { openPullRequests: 2 } }, { now, timeZones, open: 1 })).toBeUndefined()
  expect(whyNotOpen({ schedule: [], limits: { openPullRequests: 2 } }, { now, timeZones, open: 2 })).toBe(
    '2 pull requests are open, and spec.publish.limits allows 2',
  )
  expect(whyNotOpen({ schedule: [night, early], limits: {} }, { now, timeZones, open: 0 })).toBe(
    'pull requests are opened fri, sat 22:00 to 05:00 Europe/Berlin; daily 02:00 to 03:00 Europe/Berlin',
  )
  const nowhere = { ...night, timezone: 'Europe/Atlantis' }
  expect(whyNotOpen({ schedule: [nowhere], limits: {} }, { now, timeZones, open: 0 })).toBe(
    'spec.publish.schedule names a time zone that is not known, Europe/Atlantis',
  )
})
