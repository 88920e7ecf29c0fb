import { describe, expect, test } from 'vitest'
import { builtInRules } from '../../../src/check/built-in/built-in-rules.ts'
import { validateObject } from '../../../src/check/schema/validate-object.ts'
import { formatPointer, textAt } from '../../../src/model/field.ts'
import { refusedObjects } from '../../../tools/fleets/refused-objects.ts'
import { trialObjects, trialSchemas } from '../../../tools/fleets/schema-trial.ts'

const schemas = trialSchemas('1.34', [])

function problemsOf(text: string): readonly string[] {
  return trialObjects(text).flatMap(({ ours }) => {
    const found = schemas.find(textAt(ours, 'apiVersion'), textAt(ours, 'kind'))
    if (found.state !== 'known') return [found.state]
    return validateObject(ours, found.schema).map(
      ({ kind, path, says }) => `${formatPointer(path)}: ${kind === 'not-allowed' ? says : `${kind} ${says}`}`,
    )
  })
}

describe('what API servers refuse beyond schemas', () => {
  // the same objects are asked of an API server: test/system/kube-refused-objects.test.ts
  test('each fault, with its place', () => {
    const found = refusedObjects.map(({ name, fault }) => [name, problemsOf(fault)])
    expect(Object.fromEntries(found)).toMatchSnapshot()
    expect(found.filter(([, problems]) => problems?.length === 0)).toEqual([])
  })

  test.each(refusedObjects)('$name: not what is near it', ({ near }) => {
    expect(problemsOf(near)).toEqual([])
  })

  test('in rules for kinds and fields that there are', () => {
    const names = refusedObjects.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(builtInRules.size).toBeGreaterThan(100)
  })
})
