import { expect, test } from 'vitest'
import { Health, type KnownTrouble, type WatchedHealth } from '../../src/controller/health.ts'
import { configMaps } from '../../src/kube/resource.ts'

function watch(namespace: string, hasSynced: boolean, stuckFor: number = 0): WatchedHealth {
  return { target: { resource: configMaps, namespace, labelSelector: '', content: 'metadata' }, hasSynced, stuckFor }
}

const minutes = 60_000
const fine: KnownTrouble = { why: undefined, last: undefined }
const ok = { status: 200, text: 'ok\n' }
const notListed = (text: string): object => ({ status: 503, text })

test.each([
  { what: 'waits for the lease', needed: [], further: [], live: ok, ready: ok },
  { what: 'has listed all', needed: [watch('', true)], further: [], live: ok, ready: ok },
  {
    what: 'has not listed all',
    needed: [watch('a', true), watch('b', false), watch('', false)],
    further: [],
    live: ok,
    ready: notListed('configmaps of b, configmaps: not listed yet\n'),
  },
  {
    what: 'has not listed a kind that one object asks for',
    needed: [],
    further: [watch('', false)],
    live: ok,
    ready: ok,
  },
  { what: 'heard nothing for ten minutes', needed: [watch('', true, 10 * minutes)], further: [], live: ok, ready: ok },
  {
    what: 'heard nothing for longer',
    needed: [watch('', true, 10 * minutes + 1)],
    further: [watch('a', true, 11 * minutes)],
    live: notListed('configmaps, configmaps of a: not heard of for too long\n'),
    ready: ok,
  },
])('who $what', ({ needed, further, live, ready }) => {
  const health = new Health()
  for (const one of [...needed, ...further]) health.follow(one)
  for (const one of needed) health.need(one, fine)
  expect([health.answer('/healthz'), health.answer('/readyz')]).toEqual([live, ready])
})

test('what is watched no longer is not waited for', () => {
  const health = new Health()
  const silent = watch('', true, 11 * minutes)
  health.follow(silent)
  health.leave(silent)
  expect(health.answer('/healthz')).toEqual(ok)
})

test('nothing else is answered', () => {
  expect(new Health().answer('/metrics')).toEqual({ status: 404, text: 'there are /healthz and /readyz\n' })
})

test.each([
  { hasSeen: false, trouble: fine, ready: notListed('lease l: not seen yet\n') },
  { hasSeen: false, trouble: { why: undefined, last: 'no answer' }, ready: notListed('lease l: no answer\n') },
  { hasSeen: true, trouble: fine, ready: ok },
  { hasSeen: true, trouble: { why: undefined, last: 'no answer' }, ready: ok },
  { hasSeen: true, trouble: { why: 'not allowed', last: 'not allowed' }, ready: notListed('lease l: not allowed\n') },
])('a lease that was seen: $hasSeen, trouble $trouble', ({ hasSeen, trouble, ready }) => {
  const health = new Health()
  health.needLease('l', { hasSeen: () => hasSeen }, trouble)
  expect(health.answer('/readyz')).toEqual(ready)
})

test('one line for each reason', () => {
  const health = new Health()
  health.needLease('l', { hasSeen: () => true }, { why: 'no answer', last: 'no answer' })
  health.need(watch('a', true), { why: 'not allowed', last: 'not allowed' })
  health.need(watch('b', true), { why: 'no answer', last: 'no answer' })
  expect(health.answer('/readyz').text).toBe('lease l, configmaps of b: no answer\nconfigmaps of a: not allowed\n')
})
