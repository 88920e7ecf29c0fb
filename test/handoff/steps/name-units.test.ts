import { expect, test } from 'vitest'
import { nameUnits, type UnitSpeech, unitWords } from '../../../src/handoff/steps/name-units.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import type { StepPlan } from '../../../src/model/steps.ts'

const unit = (path: string, target: Unit['target'] = 'workload', cluster = 'web'): Unit =>
  ({
    name: `${cluster}-${path.replaceAll('/', '-')}`,
    path: `clusters/a/${cluster}/${path}`,
    target,
    cluster: { name: cluster, namespace: 'a' },
  }) as Unit

const flux: UnitSpeech = { nameOf: ({ name }) => name, suspended: ['is suspended', 'are suspended'] }

const others = [unit('cluster', 'management'), unit('addons', 'workload', 'other')]

test.each([
  {
    name: 'one',
    words: unitWords.ready,
    units: [unit('addons')],
    want: 'unit web-addons is ready',
    found: ['web-addons'],
  },
  {
    name: 'all of several, without those of own addons',
    words: unitWords.ready,
    units: [unit('addons'), unit('addons/02-csi-before'), unit('addons/02-csi'), unit('addons-own')],
    want: 'units web-addons, web-addons-02-csi-before and web-addons-02-csi are ready',
    found: ['web-addons', 'web-addons-02-csi-before', 'web-addons-02-csi'],
  },
  {
    name: 'own ones, too, in a decommission',
    words: unitWords.suspended,
    units: [unit('addons'), unit('addons-own')],
    want: 'units web-addons and web-addons-own are suspended',
    found: ['web-addons', 'web-addons-own'],
  },
  {
    name: 'that of the Cluster object at the end of a decommission',
    words: unitWords.applied,
    units: [unit('addons')],
    want: 'unit web-cluster',
    found: ['web-cluster'],
  },
  { name: 'none where there are none', words: unitWords.ready, units: [], want: unitWords.ready, found: undefined },
  {
    name: 'none where the step is about none',
    words: 'the Cluster is gone',
    units: [unit('addons')],
    want: 'the Cluster is gone',
    found: undefined,
  },
])('a step names the units that it is about: $name', ({ words, units, want, found }) => {
  const due = { action: 'addons', summary: 's', before: [`Before: ${words}.`, 'x'] } as const
  const plan = { cluster: { name: 'web', namespace: 'a' }, due, then: [due] } as unknown as StepPlan
  const [named] = nameUnits([plan], [...others, ...units], flux)
  expect([named?.due.before, named?.due.units]).toEqual([[`Before: ${want}.`, 'x'], found])
  expect(named?.then).toEqual([due])
})

test('Argo CD is said to have no automated sync, in the summary, too', () => {
  const speech: UnitSpeech = { nameOf: ({ name }) => `app.${name}`, suspended: ['has no sync', 'have no sync'] }
  const due = (words: string) => ({ action: 'prepare', summary: `s ${words}`, before: [`Before: ${words}.`] }) as const
  const say = (words: string, units: readonly Unit[]): readonly string[] => {
    const plan = { cluster: { name: 'web', namespace: 'a' }, due: due(words), then: [] } as unknown as StepPlan
    return nameUnits([plan], units, speech).flatMap((named) => [named.due.summary, ...named.due.before])
  }
  expect(say(unitWords.suspended, [unit('addons'), unit('addons-own')]).at(1)).toBe(
    'Before: units app.web-addons and app.web-addons-own have no sync.',
  )
  expect(say(unitWords.suspended, []).at(1)).toBe('Before: every unit of its addons has no sync.')
  expect(say(unitWords.applied, others)).toEqual(['s unit app.web-cluster', 'Before: unit app.web-cluster.'])
})

test.each([
  { suspends: 'all', before: ['Apply it.'], want: ['End app.web-cluster, app.web-addons.', 'Apply it.'] },
  {
    suspends: 'all',
    before: ['Commit it.', 'This suspends it.', 'Apply it.'],
    want: ['Commit it.', 'This suspends it.', 'End app.web-cluster, app.web-addons.', 'Apply it.'],
  },
  {
    suspends: 'addons',
    before: [`Before: ${unitWords.suspended}.`, 'x'],
    want: ['Before: unit app.web-addons has no sync.', 'End app.web-addons.', 'x'],
  },
  { suspends: 'addons', before: ['The Cluster is gone.'], want: ['The Cluster is gone.'] },
  { suspends: 'none', before: ['x'], want: ['x'] },
])('what has begun is ended where a step suspends $suspends: $before', ({ suspends, before, want }) => {
  const speech: UnitSpeech = {
    nameOf: ({ name }) => `app.${name}`,
    suspended: ['has no sync', 'have no sync'],
    ending: (names) => `End ${names.join(', ')}.`,
  }
  const plan = {
    cluster: { name: 'web', namespace: 'a' },
    due: { summary: 's', before },
    then: [],
    suspends,
  } as unknown as StepPlan
  const units = [unit('cluster', 'management'), unit('addons')]
  expect(nameUnits([plan], units, speech).map(({ due }) => due.before)).toEqual([want])
  expect(nameUnits([plan], [], speech)[0]?.due.before.join(' ')).not.toContain('End')
})
