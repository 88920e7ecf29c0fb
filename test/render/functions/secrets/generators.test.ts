import { describe, expect, test } from 'vitest'
import { GoInt, goInt, type Value } from '../../../../src/model/value.ts'
import { generatorFunctions } from '../../../../src/render/functions/secrets/generators.ts'
import { recordingContext, type Recorded } from '../recording-context.ts'

function call(recorded: Recorded, name: string, ...args: readonly Value[]): Value {
  const found = generatorFunctions.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args, recorded.context)
}

test.each(['randAlphaNum', 'randAlpha', 'randAscii', 'randNumeric', 'randBytes'])(
  '%s defers: it records what to generate and makes nothing',
  (name) => {
    const recorded = recordingContext()
    const text = call(recorded, name, goInt(24))
    expect(recorded.generated).toEqual([
      { spec: { function: name, arguments: ['24'], identity: 'chart/templates/a.yaml:3:1' }, part: 'value' },
    ])
    expect(recorded.tokens.get(typeof text === 'string' ? text : '')).toMatchObject({
      kind: 'generated',
      part: 'value',
    })
    expect(call(recorded, name, goInt(0))).toBe('')
  },
)

test.each([
  ['randAlphaNum', [goInt(-1)], ''],
  ['randAscii', [goInt(-5)], ''],
] satisfies [string, Value[], string][])('%s of a negative length is empty, as in sprig', (name, args, want) => {
  expect(call(recordingContext(), name, ...args)).toBe(want)
})

test.each([
  ['randBytes', [goInt(-1)], 'runtime error: makeslice: len out of range'],
  ['randInt', [goInt(3), goInt(3)], 'invalid argument to Intn'],
  ['randInt', [goInt(4), goInt(3)], 'invalid argument to Intn'],
  ['randInt', [goInt(-(2n ** 63n)), goInt(2n ** 63n - 1n)], 'invalid argument to Intn'],
] satisfies [string, Value[], string][])('%s fails as Go does: %#', (name, args, message) => {
  expect(() => call(recordingContext(), name, ...args)).toThrow(message)
})

test('uuidv4 defers', () => {
  const recorded = recordingContext()
  call(recorded, 'uuidv4')
  expect(recorded.generated).toMatchObject([{ spec: { function: 'uuidv4', arguments: [] }, part: 'value' }])
})

describe('what no one uses for secrets gets a fixed answer and a finding', () => {
  test('randInt gives the smallest number', () => {
    const recorded = recordingContext()
    const result = call(recorded, 'randInt', goInt(-3), goInt(12))
    expect(result).toEqual(new GoInt(-3n))
    expect(recorded.findings).toMatchObject([{ code: 'TEMPLATE_NOT_DETERMINISTIC', severity: 'warning' }])
    expect(recorded.generated).toEqual([])
  })

  test('shuffle leaves its text, tokens included', () => {
    const recorded = recordingContext()
    const token = recorded.tokens.add({ kind: 'runtime', type: 'string', path: 'a' })
    expect(call(recorded, 'shuffle', `abc${token}`)).toBe(`abc${token}`)
    expect(recorded.findings).toMatchObject([{ code: 'TEMPLATE_NOT_DETERMINISTIC', severity: 'warning' }])
  })
})

test('each function says what it does with tokens', () => {
  expect(Object.fromEntries(generatorFunctions.map((one) => [one.name, one.tokens]))).toEqual({
    randAlphaNum: 'refuse',
    randAlpha: 'refuse',
    randAscii: 'refuse',
    randNumeric: 'refuse',
    randBytes: 'refuse',
    randInt: 'refuse',
    uuidv4: 'refuse',
    shuffle: 'pass',
  })
})
