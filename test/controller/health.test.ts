import { expect, test } from 'vitest'
import { Health, type WatchedHealth } from '../../src/controller/health.ts'
import { configMaps } from '../../src/kube/resource.ts'

function watch(namespace: string, hasSynced: boolean, stuckFor: number = 0): WatchedHealth {
  return { target: { resource: configMaps, namespace, labelSelector: '', content: 'metadata' }, hasSynced, stuckFor }
}

const minutes = 60_000
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
    ready: notListed('configmaps of b: not listed yet\nconfigmaps: not listed yet\n'),
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
    live: notListed('configmaps: not heard of for too long\nconfigmaps of a: not heard of for too long\n'),
    ready: ok,
  },
])('who $what', ({ needed, further, live, ready }) => {
  const health = new Health()
  for (const one of needed) health.follow(one, 'needed')
  for (const one of further) health.follow(one, 'further')
  expect([health.answer('/healthz'), health.answer('/readyz')]).toEqual([live, ready])
})

test('nothing else is answered', () => {
  expect(new Health().answer('/metrics')).toEqual({ status: 404, text: 'there are /healthz and /readyz\n' })
})
