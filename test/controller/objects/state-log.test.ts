import { expect, test } from 'vitest'
import { createLog } from '../../../src/controller/log.ts'
import type { Condition } from '../../../src/controller/objects/conditions.ts'
import { StateLog } from '../../../src/controller/objects/state-log.ts'

const at = { now: () => 0 }
const since = '2026-01-02T03:04:05Z'
const ready: Condition = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'all is there' }
const waits: Condition = { type: 'Ready', status: 'False', reason: 'FieldMissing', message: 'a field is missing' }
const other: Condition = { ...waits, reason: 'SourceNotFound', message: 'no Cluster' }
const stalled: readonly Condition[] = [waits, { ...waits, type: 'Stalled', status: 'True' }]
const of = 'K","key":"a/b"'
const waiting = `info waits {"kind":"${of},"reason":"FieldMissing","message":"a field is missing","since":"${since}"}`

test.each([
  ['is ready, and was before', [{ conditions: [ready], before: { status: 'True' } }], []],
  ['becomes ready', [{ conditions: [ready], before: { status: 'False' } }], [`info ready {"kind":"${of}}`]],
  ['is ready from the start', [{ conditions: [ready], before: undefined }], [`info ready {"kind":"${of}}`]],
  ['waits, as before this process began', [{ conditions: [waits], before: { status: 'False' } }], [waiting]],
  [
    'waits for the same, in other words',
    [waits, { ...waits, message: 'a field is still missing' }].map((condition) => ({
      conditions: [condition],
      before: { status: 'False' },
    })),
    [waiting],
  ],
  [
    'waits for something else, and is ready then',
    [
      { conditions: [waits], before: undefined },
      { conditions: [other], before: { status: 'False' } },
      { conditions: [ready], before: { status: 'False' } },
      { conditions: [ready], before: { status: 'True' } },
    ],
    [
      waiting,
      `info waits {"kind":"${of},"reason":"SourceNotFound","message":"no Cluster","since":"${since}"}`,
      `info ready {"kind":"${of}}`,
    ],
  ],
  [
    'needs a person',
    [{ conditions: stalled, before: undefined }],
    [
      `warn a person has to act {"kind":"${of},"reason":"FieldMissing","message":"a field is missing","since":"${since}"}`,
    ],
  ],
])('an object that %s', (_, passes, lines) => {
  const found: string[] = []
  const log = createLog('info', at, (line) =>
    found.push(line.replace(/^\{"level":"(\w+)","time":"[^"]+",(.*),"msg":"([^"]+)"\}\s*$/, '$1 $3 {$2}')),
  )
  const states = new StateLog('K', log)
  for (const pass of passes) states.state('a/b', { since, ...pass })
  expect(found).toEqual(lines)
})

test('what is paused, and what is gone', () => {
  const found: string[] = []
  const note = (message: string): void => {
    found.push(message)
  }
  const states = new StateLog('K', { info: note, warn: note })
  const wait = (): void => {
    states.state('a/b', { conditions: [waits], since: '', before: { status: 'False' } })
  }
  wait()
  states.paused('a/b', 'The Cluster is paused')
  states.paused('a/b', 'The Cluster is paused')
  wait()
  states.forget('a/b')
  wait()
  expect(found).toEqual(['waits', 'paused', 'waits', 'waits'])
})
