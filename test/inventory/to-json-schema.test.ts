import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { toEditorSchema } from '../../src/inventory/to-json-schema.ts'
import { Dict } from '../../src/model/value.ts'

function convert(yaml: string, name = 'x'): unknown {
  const schema = parseGoYaml(yaml)
  if (!(schema instanceof Dict)) throw new Error('no schema')
  return JSON.parse(JSON.stringify(toEditorSchema(schema, name)))
}

describe('the schema of a variable for editors', () => {
  test.each([
    [
      '{type: string, minLength: 1, maxLength: 5, enum: [a, b], default: a}',
      { type: 'string', minLength: 1, maxLength: 5, enum: ['a', 'b'], default: 'a' },
    ],
    [
      '{type: integer, minimum: 1, maximum: 9, multipleOf: 2}',
      { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
    ],
    [
      '{type: number, minimum: 1, exclusiveMinimum: true, maximum: 2.5, exclusiveMaximum: false}',
      { type: 'number', exclusiveMinimum: 1, maximum: 2.5 },
    ],
    ['{exclusiveMinimum: true}', {}],
    ['{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}', { type: ['integer', 'string'] }],
    ['{x-kubernetes-int-or-string: true, nullable: true}', { type: ['integer', 'string', 'null'] }],
    ['{type: string, nullable: true, enum: [a]}', { type: ['string', 'null'], enum: ['a', null] }],
    [
      '{type: object, properties: {a: {type: string}}, required: [a]}',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    ],
    ['{type: object, required: []}', { type: 'object', additionalProperties: false }],
    ['{type: object, x-kubernetes-preserve-unknown-fields: true}', { type: 'object' }],
    ['{x-kubernetes-preserve-unknown-fields: true}', {}],
    [
      '{type: object, additionalProperties: {type: string}}',
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    ['{type: object, additionalProperties: true}', { type: 'object' }],
    [
      '{type: array, items: {type: object}, uniqueItems: true}',
      { type: 'array', items: { type: 'object', additionalProperties: false }, uniqueItems: true },
    ],
    [
      '{type: object, properties: {a: {}}, oneOf: [{required: [a]}, {type: object, not: {required: [b]}}]}',
      {
        type: 'object',
        properties: { a: {} },
        additionalProperties: false,
        oneOf: [{ required: ['a'] }, { type: 'object', not: { required: ['b'] } }],
      },
    ],
    [
      '{type: string, pattern: "^[a-z]+$", format: cidr, example: a}',
      { type: 'string', pattern: '^[a-z]+$', examples: ['a'] },
    ],
    // what only Go reads
    ['{type: string, pattern: "(?i)^a\\\\z"}', { type: 'string' }],
    [
      '{type: string, description: "  what it is\\n", x-kubernetes-validations: [{rule: "self != \'\'", message: not empty}, {rule: size(self) < 3}, 5], x-metadata: {labels: {}}}',
      { type: 'string', description: 'what it is\n\nRule: not empty\n\nRule: size(self) < 3' },
    ],
  ])('%s', (yaml, want) => {
    expect(convert(yaml)).toEqual(want)
  })

  test('holds no default that may be a secret', () => {
    expect(convert('{type: string, default: hunter2, example: hunter2}', 'adminPassword')).toEqual({ type: 'string' })
    expect(
      convert(
        '{type: object, default: {password: hunter2, user: a}, properties: {token: {type: string, default: hunter2}}}',
      ),
    ).toEqual({
      type: 'object',
      default: { password: '********', user: 'a' },
      properties: { token: { type: 'string' } },
      additionalProperties: false,
    })
  })

  test('takes any name of a field, and no description that is too long', () => {
    const schema = convert(
      '{type: object, properties: {__proto__: {type: string}, constructor: {type: integer}}, default: {__proto__: a}}',
    )
    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","default":{"__proto__":"a"},"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"additionalProperties":false}',
    )
    const long = convert(`{description: "${'x'.repeat(5_000_000)}"}`)
    expect(long).toEqual({ description: `${'x'.repeat(2000)}…` })
  })

  test.each([
    [
      '{type: 5, properties: {a: 1, b: null}, items: [], allOf: [1], required: x, enum: x, not: 1}',
      { properties: { a: {}, b: {} }, allOf: [{}] },
    ],
    [
      '{type: nothing, required: [1, a, a], enum: [], anyOf: [], minLength: -1, maximum: x, multipleOf: 0, uniqueItems: x}',
      { required: ['a'] },
    ],
    ['{minimum: x, minItems: null, pattern: 1, description: 1}', {}],
  ])('is one also of what is none: %s', (yaml, want) => {
    expect(convert(yaml)).toEqual(want)
  })
})
