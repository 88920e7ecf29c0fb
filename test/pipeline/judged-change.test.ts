import { expect, it } from 'vitest'
import { judgedPart } from '../../src/pipeline/publishing/judged-change.ts'

const files = [{ path: 'clusters/team/one/cluster/cluster-one.yaml', change: 'changed' as const, from: '' }]
const error = { code: 'CLASS_VARIABLE_UNKNOWN', severity: 'error', message: 'none' } as const

it.each([
  { name: 'an error of another cluster', of: 'team/two', incomplete: undefined, isPassed: true },
  { name: 'an error of its own', of: 'team/one', incomplete: undefined, isPassed: false },
  { name: 'a part that was not judged', of: 'team/two', incomplete: 'Incomplete.', isPassed: false },
])('of a group passes by what was judged of it: $name', ({ of, incomplete, isPassed }) => {
  const findings = [{ ...error, about: { cluster: of } }]
  const judged = { fleet: 'lab', isPassed: false, incomplete, findings }
  expect(judgedPart(judged, 'cluster/team/one', { files }).isPassed).toBe(isPassed)
})
