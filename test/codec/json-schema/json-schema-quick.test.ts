import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, normalizeSchema, SchemaError } from '../../../src/codec/json-schema/json-schema-dialect.ts'
import { createQuickCheck } from '../../../src/codec/json-schema/json-schema-quick.ts'
import { compileSchema } from '../../../src/codec/json-schema/json-schema.ts'
import { parseGoJson } from '../../../src/codec/json/go-json.ts'
import { toPlain } from '../../../src/codec/json/plain-value.ts'

function quick(schema: string, data: string): string {
  const plain = toPlain(parseGoJson(schema))
  const draft = draftOf(plain)
  const check = createQuickCheck(normalizeSchema(plain, draft), { draft, patterns: 'at-once' })
  return check === undefined ? 'none' : check(toPlain(parseGoJson(data)))
}

describe('the quick check', () => {
  it.each([
    ['{"type":"string"}', '"a"', 'valid'],
    ['{"type":"string"}', '1', 'invalid'],
    ['{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"string"}}}', '1', 'invalid'],
    ['{"$ref":"#"}', '1', 'unknown'],
    ['{"properties":{"enum":{"pattern":"^a"}}}', '{"enum":"b"}', 'invalid'],
    ['{"properties":{"$ref":{"type":"string"},"$id":{"type":"string"}}}', '{"$id":1}', 'invalid'],
    ['{"unevaluatedProperties":false}', '{}', 'none'],
    ['{"$ref":"#x","$defs":{"a":{"$anchor":"x"}}}', '1', 'none'],
    ['{"$defs":{"a":{"$id":"https://x"}}}', '1', 'none'],
    ['{"$ref":"https://x"}', '1', 'none'],
    ['{"$ref":"#/$defs/none"}', '1', 'none'],
    ['{"pattern":"(?=a)"}', '1', 'none'],
    ['{"minLength":2}', '"💩"', 'invalid'],
    ['{"$schema":"http://json-schema.org/draft-07/schema","format":"ipv4"}', '"x"', 'invalid'],
    ['{"format":"ipv4"}', '"x"', 'valid'],
  ])('%s on %s: %s', (schema, data, want) => {
    expect(quick(schema, data)).toBe(want)
  })
})

const key = fc.constantFrom('a', 'b', 'ab', 'enum', 'constructor', '__proto__')
const scalar = fc.constantFrom(null, true, false, 0, 1, 2, 1.5, 0.3, -1, '', 'a', 'ab', '💩', '1.2.3.4')
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('data'), { maxLength: 3 }),
    fc.dictionary(key, tie('data'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const { schema } = fc.letrec((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 })
  const map = fc.dictionary(key, tie('schema'), { maxKeys: 3, noNullPrototype: true })
  const count = fc.nat(3)
  const names = fc.uniqueArray(key, { maxLength: 2 })
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer', [
            'string',
            'array',
          ]),
          enum: fc.array(scalar, { maxLength: 3 }),
          minLength: count,
          maxLength: count,
          pattern: fc.constantFrom('a', '^a$', 'b+$', '.'),
          format: fc.constantFrom('ipv4', 'int32', 'date'),
          minimum: count,
          exclusiveMaximum: count,
          multipleOf: fc.constantFrom(0.1, 1, 2),
          minItems: count,
          uniqueItems: fc.boolean(),
          maxProperties: count,
          required: names,
          $ref: fc.constant('#/definitions/x'),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      fc.record(
        {
          const: data,
          items: fc.oneof(tie('schema'), list),
          additionalItems: tie('schema'),
          contains: tie('schema'),
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom('a', '^b', '.b'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          dependencies: fc.dictionary(key, fc.oneof(tie('schema'), names), { maxKeys: 2, noNullPrototype: true }),
          allOf: list,
          anyOf: list,
          oneOf: list,
          not: tie('schema'),
          if: tie('schema'),
          then: tie('schema'),
          else: tie('schema'),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    ),
  }
})

/**
 * What the full validator, which a nested `$id` calls for, finds: it gives up where a schema refers to itself without
 * end.
 */
function full(text: string, value: string): string {
  try {
    return compileSchema(parseGoJson(text)).validate(parseGoJson(value)).length === 0 ? 'valid' : 'invalid'
  } catch (error) {
    if (error instanceof SchemaError) return 'unknown'
    throw error
  }
}

it('says the same as the full validator', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#'
  let decided = 0
  const run = fc.check(
    fc.property(schema, schema, data, (top, x, value) => {
      const text = JSON.stringify({ $schema, allOf: [top], definitions: { x } })
      const said = quick(text, JSON.stringify(value))
      const forced = JSON.stringify({ $schema, allOf: [top], definitions: { x, y: { $id: 'https://example.com/y' } } })
      const wanted = full(forced, JSON.stringify(value))
      if (said === 'unknown' || wanted === 'unknown') return true
      decided++
      return said === wanted
    }),
    { seed: 1, numRuns: 60 },
  )
  expect(fc.defaultReportMessage(run)).toBeUndefined()
  expect(decided).toBeGreaterThan(20)
})
