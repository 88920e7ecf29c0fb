import { describe, expect, it, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { compileSchema, type SchemaProblem } from '../../../src/codec/json-schema/json-schema.ts'

import { SchemaError } from '../../../src/codec/json-schema/json-schema-dialect.ts'
import { dict, goInt64, type Value } from '../../../src/model/value.ts'

/** JSON text as our values; `__proto__` stays an ordinary key. */
function value(json: string): Value {
  return toValue(JSON.parse(json))
}

function toValue(data: unknown): Value {
  if (Array.isArray(data)) return data.map(toValue)
  if (typeof data === 'object' && data !== null)
    return dict(Object.entries(data).map(([k, v]) => [k, toValue(v)] as const))
  if (typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean') return data
  return null
}

function problems(schema: string, data: string): readonly string[] {
  return compileSchema(value(schema))
    .validate(value(data))
    .map((problem) => `/${problem.path.join('/')} ${problem.keyword}: ${problem.message}`)
}

const draft = (name: string): string =>
  name.startsWith('draft') ? `http://json-schema.org/${name}/schema#` : `https://json-schema.org/draft/${name}/schema`

describe('validate', () => {
  it.each([
    ['{"type":"string"}', '1', ['/ type: got number, want string']],
    ['{"type":["string","null"]}', '{}', ['/ type: got object, want string or null']],
    ['{"type":"integer"}', '1.0', []],
    ['{"type":"integer"}', '1.5', ['/ type: got number, want integer']],
    ['{"required":["a","b"]}', '{}', ["/ required: missing property 'a'", "/ required: missing property 'b'"]],
    [
      '{"properties":{"a":{"additionalProperties":false}}}',
      '{"a":{"x":1}}',
      ["/a additionalProperties: additional properties 'x' not allowed"],
    ],
    ['{"items":{"enum":["a",1,null]}}', '["a",1,null,"1"]', ["/3 enum: value must be one of 'a', '1', 'null'"]],
    ['{"const":"x"}', '"secret"', ["/ const: value must be 'x'"]],
    ['{"const":{"a":[1]}}', '{"a":[1.0]}', []],
    ['{"const":{"a":[1]}}', '{"a":[2]}', ["/ const: 'const' failed"]],
    ['{"pattern":"^a+$"}', '"secret"', ["/ pattern: does not match pattern '^a+$'"]],
    ['{"properties":{"a/b~c":{"minimum":3}}}', '{"a/b~c":2}', ['/a/b~c minimum: minimum: want 3']],
    ['{"multipleOf":0.1}', '0.3', []],
    ['{"multipleOf":0.1}', '0.35', ['/ multipleOf: multipleOf: want 0.1']],
    ['{"uniqueItems":true}', '[{"a":1,"b":2},{"b":2,"a":1}]', ['/ uniqueItems: items are equal']],
    ['{"propertyNames":{"pattern":"^a"}}', '{"b":1}', ["/ propertyNames: invalid propertyName 'b'"]],
    ['{"if":{"const":1},"then":{"const":2}}', '1', ["/ const: value must be '2'"]],
    ['{"minLength":2}', '"💩"', ['/ minLength: minLength: want 2']],
    ['false', '1', ['/ false schema: false schema']],
    ['true', '1', []],
    ['{"dependentRequired":{"a":["b"]}}', '{"a":1}', ["/ dependentRequired: properties b required, if 'a' exists"]],
    ['{"not":{}}', '1', ["/ not: 'not' failed"]],
    ['{"unevaluatedProperties":false}', '{"x":1}', ["/ unevaluatedProperties: additional properties 'x' not allowed"]],
    ['{"nullable":true,"type":"string"}', 'null', ['/ type: got null, want string']],
  ])('%s on %s', (schema, data, want) => {
    expect(problems(schema, data)).toEqual(want)
  })

  it('gives what a message needs as data', () => {
    const schema = value(
      '{"properties":{"kind":{"enum":["a","b"]},"n":{"type":"integer","examples":["4"]}},"additionalProperties":false}',
    )
    const found = compileSchema(schema).validate(value('{"kind":"c","n":"x","kinf":1}'))
    expect(found).toEqual<readonly SchemaProblem[]>([
      {
        path: [],
        keyword: 'additionalProperties',
        message: "additional properties 'kinf' not allowed",
        property: 'kinf',
        allowed: ['kind', 'n'],
      },
      { path: ['kind'], keyword: 'enum', message: "value must be one of 'a', 'b'", allowed: ['a', 'b'] },
      {
        path: ['n'],
        keyword: 'type',
        message: 'got string, want integer',
        expected: ['integer'],
        got: 'string',
        example: '4',
      },
    ])
  })

  it('takes Go integers as numbers', () => {
    expect(compileSchema(value('{"type":"integer","maximum":9}')).validate(goInt64(9))).toEqual([])
    expect(compileSchema(value('{"maximum":9}')).validate(goInt64(10))).toHaveLength(1)
  })
})

describe('drafts', () => {
  it.each([
    ['draft-04', '{"minimum":1,"exclusiveMinimum":true}', '1', 1],
    ['draft-04', '{"minimum":1,"exclusiveMinimum":false}', '1', 0],
    [
      'draft-04',
      '{"id":"http://x/y","properties":{"a":{"$ref":"#/definitions/s"}},"definitions":{"s":{"type":"string"}}}',
      '{"a":1}',
      1,
    ],
    ['draft-04', '{"const":1}', '2', 0],
    ['draft-06', '{"if":{"const":1},"then":false}', '1', 0],
    ['draft-07', '{"$ref":"#/definitions/s","type":"number","definitions":{"s":{"type":"string"}}}', '"a"', 0],
    ['2019-09', '{"$ref":"#/$defs/s","maxLength":0,"$defs":{"s":{"type":"string"}}}', '"a"', 1],
    ['draft-07', '{"items":[{"type":"string"}],"additionalItems":false}', '["a",1]', 1],
    ['2020-12', '{"prefixItems":[{"type":"string"}],"items":false}', '["a",1]', 1],
    ['draft-07', '{"format":"ipv4"}', '"x"', 1],
    ['2020-12', '{"format":"ipv4"}', '"x"', 0],
    ['draft-07', '{"format":"int32"}', '"x"', 0],
    [
      '2020-12',
      '{"type":"array","items":{"$dynamicRef":"#n"},"$defs":{"n":{"$dynamicAnchor":"n","type":"object"}}}',
      '[1]',
      1,
    ],
    ['draft-07', '{"$ref":"http://json-schema.org/draft-07/schema#"}', '{"type":1}', 1],
    ['draft-07', '{"$ref":"#/x-other/deep","x-other":{"deep":{"type":"string"}}}', '1', 1],
    ['draft-07', '{"id":"not an id here","$async":true,"type":"string"}', '"a"', 0],
  ])('%s %s on %s gives %i problems', (name, schema, data, count) => {
    const text = schema.replace('{', `{"$schema":${JSON.stringify(draft(name))},`)
    const found = problems(text, data)
    expect(found.length > 0 ? 1 : 0).toBe(count)
  })

  it('reads the un-versioned name as the newest draft, as Helm does', () => {
    expect(problems('{"$schema":"http://json-schema.org/schema#","prefixItems":[false]}', '[1]')).toHaveLength(1)
  })
})

describe('schemas that are refused', () => {
  it.each([
    [
      '{"$ref":"https://user:secret@example.com/x.json#/a"}',
      '$ref "https://example.com/x.json#/a" names another document; schemas are never fetched, so it has to be part of this one',
    ],
    [
      '{"$schema":"https://example.com/own"}',
      '$schema "https://example.com/own" is not a known draft; use one of draft-04 to 2020-12',
    ],
    ['{"properties":{"a":5}}', '#/properties/a must be an object or a boolean'],
    [
      '{"type":"text"}',
      '#/type must be one of null, boolean, object, array, number, string, integer, or a list of them',
    ],
    ['{"items":[{}]}', '#/items must be an object or a boolean (lists are prefixItems since 2020-12)'],
    ['{"exclusiveMinimum":true}', '#/exclusiveMinimum must be a number'],
    ['{"allOf":[]}', '#/allOf must be a list of schemas'],
    ['{"required":"a"}', '#/required must be a list of different strings'],
    ['{"minLength":-1}', '#/minLength must be an integer from 0 on'],
    ['{"pattern":"(?=a)"}', 'the schema is not valid: error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['5', '# must be an object or a boolean'],
  ])('%s', (schema, message) => {
    expect(() => compileSchema(value(schema))).toThrow(new SchemaError(message))
  })

  it('a reference that leads nowhere', () => {
    expect(() => compileSchema(value('{"$ref":"#/$defs/none"}'))).toThrow(SchemaError)
  })
})

describe('hostile schemas and values', () => {
  it('keys of Object.prototype are ordinary keys', () => {
    const schema =
      '{"properties":{"constructor":{"type":"string"},"__proto__":{"type":"string"}},"additionalProperties":false}'
    expect(problems(schema, '{"constructor":1,"__proto__":{"x":1},"toString":1,"hasOwnProperty":2}')).toEqual([
      "/ additionalProperties: additional properties 'toString' not allowed",
      "/ additionalProperties: additional properties 'hasOwnProperty' not allowed",
      '/constructor type: got number, want string',
      '/__proto__ type: got object, want string',
    ])
    expect(problems('{"required":["__proto__","valueOf"]}', '{}')).toHaveLength(2)
    expect(problems('{"required":["__proto__"]}', '{"__proto__":1}')).toEqual([])
    expect(
      problems('{"uniqueItems":true,"items":{"enum":[{"valueOf":1}]}}', '[{"valueOf":1},{"constructor":2}]'),
    ).toHaveLength(1)
    expect(problems('{"toString":{"valueOf":1},"constructor":3,"__proto__":{"type":"string"}}', '1')).toEqual([])
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x')
  })

  it('patterns take linear time', () => {
    expect(problems('{"pattern":"^(a+)+$"}', JSON.stringify(`${'a'.repeat(20_000)}!`))).toHaveLength(1)
    expect(problems('{"patternProperties":{"^(a+)+$":false,"^b":false}}', '{"bb":1}')).toEqual([
      '/bb false schema: false schema',
    ])
  })

  it('references without end are an error', () => {
    const schema = compileSchema(value('{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}'))
    expect(() => schema.validate(1)).toThrow(SchemaError)
  })

  it('references that multiply are an error', () => {
    const defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let i = 1; i <= 40; i++)
      defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] }
    const schema = compileSchema(toValue({ $ref: '#/$defs/d40', $defs: defs }))
    expect(() => schema.validate(1)).toThrow('the schema follows too many references for this value')
  })

  it('a schema or value that is nested too deeply is an error', () => {
    let deep: Value = dict([['type', 'string']])
    for (let i = 0; i < 100_000; i++) deep = dict([['not', deep]])
    expect(() => compileSchema(deep)).toThrow('the schema or the value is nested too deeply')
    expect(() => compileSchema(value('{"type":"string"}')).validate(deep)).toThrow(SchemaError)
  })

  it('problems of one value do not leak into the next', () => {
    const schema = compileSchema(value('{"type":"string"}'))
    expect(schema.validate(1)).toHaveLength(1)
    expect(schema.validate('a')).toEqual([])
    expect(compileSchema(value('{"type":"string"}'))).toBe(schema)
  })

  it('patterns of our own schemas are compiled when a value meets them', () => {
    const schema = value('{"properties":{"a":{"type":"string","pattern":"("},"b":{"pattern":"^x$"}}}')
    expect(() => compileSchema(schema)).toThrow(SchemaError)
    const own = compileSchema(schema, { patterns: 'on-use' })
    expect(own.validate(dict([['b', 'x']]))).toEqual([])
    expect(() => own.validate(dict([['a', 'x']]))).toThrow(SchemaError)
    const valid = compileSchema(value('{"pattern":"^x$"}'), { patterns: 'on-use' })
    expect([valid.validate('x'), valid.validate('y').length]).toEqual([[], 1])
  })
})

test.each([
  ['{if: {properties: {a: {const: 1}}}, then: {required: [b]}}', '{a: 1}', "missing property 'b'"],
  ['{properties: {a: {contains: {type: string}}}}', '{a: [1]}', 'no item is as one of them has to be'],
  [
    '{properties: {a: {prefixItems: [{}], unevaluatedItems: false}}}',
    '{a: [1, 2]}',
    'it has more items than it may have',
  ],
])('no words of the validator: %s refuses %s', (schema, value, message) => {
  const { validate } = compileSchema(parseGoYaml(schema))
  const messages = validate(parseGoYaml(value)).map((problem) => problem.message)
  expect(messages).toContain(message)
  expect(messages.filter((text) => text.startsWith('must '))).toEqual([])
})
