import { expect, test } from 'vitest'
import type { LabelSelector } from '../../../src/model/rollout-config.ts'
import { selects } from '../../../src/publish/rollout/label-selector.ts'

type Expression = LabelSelector['matchExpressions'][number]

const labels = new Map([
  ['stage', 'dev'],
  ['zone', ''],
])

const cases: readonly {
  readonly name: string
  readonly is?: Readonly<Record<string, string>>
  readonly where?: readonly Expression[]
  readonly want: boolean
}[] = [
  { name: 'nothing is asked', want: true },
  { name: 'a label has the value', is: { stage: 'dev' }, want: true },
  { name: 'a label has another', is: { stage: 'prod' }, want: false },
  { name: 'one of two labels', is: { stage: 'dev', team: 'a' }, want: false },
  { name: 'In', where: [{ key: 'stage', operator: 'In', values: ['test', 'dev'] }], want: true },
  { name: 'In, without the label', where: [{ key: 'team', operator: 'In', values: [''] }], want: false },
  { name: 'NotIn', where: [{ key: 'stage', operator: 'NotIn', values: ['dev'] }], want: false },
  { name: 'NotIn, without the label', where: [{ key: 'team', operator: 'NotIn', values: ['a'] }], want: true },
  { name: 'Exists, with an empty value', where: [{ key: 'zone', operator: 'Exists', values: [] }], want: true },
  { name: 'DoesNotExist', where: [{ key: 'zone', operator: 'DoesNotExist', values: [] }], want: false },
  {
    name: 'all of it must hold',
    is: { stage: 'dev' },
    where: [{ key: 'team', operator: 'Exists', values: [] }],
    want: false,
  },
]

test.each(cases)('$name: $want', ({ is = {}, where = [], want }) => {
  expect(selects({ matchLabels: new Map(Object.entries(is)), matchExpressions: where }, labels)).toBe(want)
})
