import { expect, test } from 'vitest'
import { nearestName } from '../../src/model/nearest-name.ts'

const known = ['render', 'template', 'init', 'completion', 'version', 'help']

test.each([
  { input: 'redner', want: 'render' },
  { input: 'rendr', want: 'render' },
  { input: 'temp', want: 'template' },
  { input: 'int', want: 'init' },
  { input: 'completoin', want: 'completion' },
  { input: 'vresion', want: 'version' },
  { input: 'x', want: undefined },
  { input: 'deploy', want: undefined },
  { input: '', want: undefined },
])('$input means $want', ({ input, want }) => {
  expect(nearestName(input, known)).toBe(want)
})
