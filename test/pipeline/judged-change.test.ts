import { expect, it } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { judgedPart } from '../../src/pipeline/publishing/judged-change.ts'

const fileOf = (name: string): { path: string; change: 'changed'; from: string } => ({
  path: `clusters/team/${name}/cluster/cluster-${name}.yaml`,
  change: 'changed',
  from: '',
})
const files = [fileOf('one'), { path: 'handoff/team/kustomization.yaml', change: 'changed' as const, from: '' }]
const error = { code: 'OBJECT_OWNED_TWICE', severity: 'error', message: 'none' } as const
const acknowledgement = { code: error.code, reason: 'it is so', at: undefined } as unknown as NonNullable<
  Diagnostic['acknowledgement']
>

const cluster = 'team/two'
const twice = (...names: readonly string[]): Diagnostic => ({
  ...error,
  about: { cluster },
  folders: names.map((name) => `clusters/team/${name}/cluster`),
})

interface Row {
  readonly name: string
  readonly finding: Diagnostic
  /** What was found before; default: nothing. */
  readonly before?: readonly Diagnostic[] | undefined
  /** Further clusters that change in the run. */
  readonly beside?: readonly string[]
  readonly incomplete?: string
  readonly isPassed: boolean
  readonly isTold?: boolean
}

const ofTwo: Diagnostic = { ...error, about: { cluster } }

it.each<Row>([
  { name: 'an error of its own', finding: { ...error, about: { cluster: 'team/one' } }, isPassed: false },
  { name: 'an error of another change', finding: ofTwo, beside: ['two'], isPassed: true, isTold: false },
  { name: 'an error of a neighbour that was there', finding: ofTwo, before: [ofTwo], isPassed: true, isTold: false },
  { name: 'an error of a neighbour that is new', finding: ofTwo, before: [], isPassed: false },
  { name: 'an error of a neighbour of which nobody knows', finding: ofTwo, before: undefined, isPassed: false },
  { name: 'a new error about nobody', finding: error, before: [], isPassed: false },
  {
    name: 'one that is acknowledged',
    finding: { ...ofTwo, acknowledgement },
    before: [],
    isPassed: true,
    isTold: false,
  },
  {
    name: 'a warning of a neighbour',
    finding: { ...ofTwo, severity: 'warning' },
    before: [],
    isPassed: true,
    isTold: false,
  },
  { name: 'an error that it has with a neighbour', finding: twice('one', 'two'), before: [], isPassed: false },
  { name: 'the same which was there', finding: twice('one', 'two'), before: [twice('one', 'two')], isPassed: false },
  { name: 'the same with another change', finding: twice('two', 'one'), beside: ['two'], isPassed: false },
  {
    name: 'an error that two others have',
    finding: twice('two', 'three'),
    beside: ['three'],
    isPassed: true,
    isTold: false,
  },
  { name: 'an error in a folder of nobody alone', finding: { ...ofTwo, folders: ['handoff/team'] }, isPassed: false },
  {
    name: 'an error in a folder beside that',
    finding: { ...ofTwo, folders: ['handoff/team/two'] },
    beside: ['two'],
    isPassed: true,
    isTold: false,
  },
  {
    name: 'a part that was not judged',
    finding: ofTwo,
    beside: ['two'],
    incomplete: 'Incomplete.',
    isPassed: false,
    isTold: false,
  },
])('of a group passes by what is told of it: $name', async (row) => {
  const { finding, beside = [], incomplete, isPassed, isTold = true } = row
  const judged = { fleet: 'lab', isPassed: false, incomplete, findings: [finding] }
  const group = { group: 'cluster/team/one', files, all: [...files, ...beside.map(fileOf)] }
  const before = 'before' in row ? row.before : []
  expect(await judgedPart(judged, group, () => Promise.resolve(before))).toEqual({
    ...judged,
    isPassed,
    findings: isTold ? [finding] : [],
  })
})

it('of the fleet is told as it is, and nobody asks for more', async () => {
  const judged = { fleet: 'lab', isPassed: false, findings: [ofTwo] }
  const ask = (): never => {
    throw new Error('nobody asks')
  }
  expect(await judgedPart(judged, { group: 'shared', files, all: files }, ask)).toBe(judged)
  const own = { ...judged, findings: [twice('one')] }
  expect(await judgedPart(own, { group: 'cluster/team/one', files, all: files }, ask)).toEqual(own)
})
