import { expect, test } from 'vitest'
import type { HttpResponse } from '../../../src/model/http.ts'
import { fieldOf } from '../../../tools/servers/kube-client.ts'
import { settled } from '../../support/fake-clock.ts'
import { answer, type FakeRun, startFakeRun } from '../fake-run.ts'

interface Trial {
  readonly run: FakeRun
  /** The conditions of the object, as text. */
  readonly conditions: () => readonly string[]
  /** Of events. */
  readonly notes: readonly string[]
  /** How often a status was sent. */
  readonly sent: () => number
}

/** A controller with one StorageMigration, whose API server has nothing else. */
function start(spec: object, onLook: () => void, refusal?: HttpResponse): Trial {
  let status: unknown = {}
  let statuses = 0
  const notes: string[] = []
  const metadata = { name: 'm', namespace: 'a', uid: 'u', resourceVersion: '1', generation: 1 }
  const run = startFakeRun(
    {
      exchange: async ({ method, path, body }) => {
        const sent: unknown = body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body))
        if (method === 'POST') {
          notes.push(['type', 'reason', 'note'].map((field) => String(fieldOf(sent, field))).join(' '))
          return answer(201, {})
        }
        if (path.includes('/storagemigrations/m/status')) {
          statuses += 1
          if (refusal !== undefined) return refusal
          status = fieldOf(sent, 'status')
        }
        if (path.includes('/storagemigrations/m')) return answer(200, { metadata, spec, status })
        const isList = path.includes('limit=') || path.includes('labelSelector=')
        if (path.includes('/customresourcedefinitions') && !path.includes('limit=')) onLook()
        if (!isList) return answer(404, { reason: 'NotFound', details: { name: path.split('/').at(-1) } })
        const items = path.includes('/storagemigrations') ? [{ metadata, spec, status }] : []
        return answer(200, { metadata: { resourceVersion: '1' }, items })
      },
    },
    { kinds: ['StorageMigration'] },
  )
  const conditions = (): readonly string[] =>
    [fieldOf(status, 'conditions')]
      .flat()
      .map((condition) =>
        ['type', 'status', 'reason', 'message'].map((field) => String(fieldOf(condition, field))).join(' '),
      )
  return { run, conditions, notes, sent: () => statuses }
}

test.each([
  [
    'whose definition does not exist',
    { customResourceDefinitions: ['things.example.com'] },
    'things.example.com: the definition does not exist; its objects are migrated once it does',
  ],
  [
    'whose selector finds nothing',
    { selector: { matchLabels: { part: 'x' } } },
    'No definition has the labels of the selector',
  ],
])('a StorageMigration %s says so, and looks again', async (_, spec, message) => {
  let looks = 0
  const trial = start(spec, () => (looks += 1))
  await settled()
  await trial.run.clock.advance(2000)
  expect(trial.conditions()).toEqual([
    `Ready False DefinitionNotFound ${message}`,
    `StorageMigrated False DefinitionNotFound ${message}`,
    `Reconciling True DefinitionNotFound ${message}`,
  ])
  expect(trial.notes).toEqual([`Normal DefinitionNotFound ${message}`])
  const before = looks
  await trial.run.clock.advance(20 * 60_000)
  expect(looks).toBeGreaterThan(before)
  await trial.run.stop()
})

test.each([
  ['409', 409, {}],
  ['404', 404, { name: 'm', kind: 'locks' }],
])('a status that a webhook refuses with %s for good is told once, and sent less and less often', async (...row) => {
  const [, status, details] = row
  const message = 'admission webhook "w.example.com" denied the request: locked'
  const refusal = answer(status, { message, reason: 'Conflict', details })
  const trial = start({ customResourceDefinitions: ['things.example.com'] }, () => undefined, refusal)
  await settled()
  await trial.run.clock.advance(30 * 60_000)
  expect(trial.sent()).toBeGreaterThan(5)
  expect(trial.sent()).toBeLessThan(60)
  expect(trial.run.log.filter((line) => line.startsWith('error'))).toEqual([
    expect.stringContaining('admission webhook \\"w.example.com\\" denied the request: locked'),
  ])
  await trial.run.stop()
})
