import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { type ExpansionStep, FleetProblems } from '../../../src/pipeline/expand/fleet-problems.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'

const problem = (message: string): Diagnostic => ({
  code: message.startsWith('template') ? 'HANDOFF_TEMPLATE' : 'HOLE_NOT_PATCHABLE',
  severity: 'error',
  message,
})

test.each<{
  readonly name: string
  readonly added: readonly (readonly [ExpansionStep, ...(readonly string[])])[]
  readonly reported: readonly string[]
}>([
  {
    name: 'of one step, each once',
    added: [
      ['render', 'a'],
      ['render', 'b', 'a'],
    ],
    reported: ['a', 'b'],
  },
  {
    name: 'of the first step alone',
    added: [
      ['units', 'c'],
      ['bound', 'b'],
      ['render', 'a'],
    ],
    reported: ['a'],
  },
  {
    name: 'of steps of one line together, in their order',
    added: [
      ['secrets', 'd'],
      ['bound', 'c'],
      ['class', 'b'],
      ['shared', 'a'],
      ['secrets', 'e'],
    ],
    reported: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    name: 'of a template, which fails for each unit',
    added: [
      ['tool', 'template a'],
      ['tool', 'b'],
      ['tool', 'template c'],
    ],
    reported: ['template a', 'b'],
  },
  {
    name: 'of names before those of templates',
    added: [
      ['tool', 'b'],
      ['names', 'a'],
    ],
    reported: ['a'],
  },
])('problems $name', async ({ added, reported }) => {
  const problems = new FleetProblems()
  for (const [step, ...messages] of added) problems.add(step, messages.map(problem))
  expect(problems.areNone).toBe(false)
  const found = await diagnosticsOf(Promise.resolve().then(() => problems.throwFirst([])))
  expect(found.map(({ message }) => message)).toEqual(reported)
})

test('work that fails gives nothing, and what it says is kept', async () => {
  const problems = new FleetProblems()
  expect(await problems.attempt('images', async () => 1)).toBe(1)
  expect(problems.areNone).toBe(true)
  const failing = problems.attempt('images', async () => {
    throw new StackmasonError(problem('a'))
  })
  expect(await failing).toBeUndefined()
  const found = await diagnosticsOf(Promise.resolve().then(() => problems.throwFirst([])))
  expect(found.map(({ message }) => message)).toEqual(['a'])
})

test('no problems stop nothing', () => {
  const problems = new FleetProblems()
  problems.add('render', [])
  expect(problems.areNone).toBe(true)
  expect(() => problems.throwFirst([])).not.toThrow()
})

const warning: Diagnostic = { code: 'TEMPLATE_GENERATED_SECRET', severity: 'warning', message: 'w' }

test.each([
  ['render', ['a']],
  ['bound', ['w', 'a']],
] as const)(
  'problems of step %s come after the warnings of rendering, unless they are its own',
  async (step, wanted) => {
    const problems = new FleetProblems()
    problems.add(step, [problem('a')])
    const found = await diagnosticsOf(Promise.resolve().then(() => problems.throwFirst([warning])))
    expect(found.map(({ message }) => message)).toEqual(wanted)
  },
)
