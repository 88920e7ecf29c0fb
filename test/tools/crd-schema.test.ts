import { expect, it } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { toPlain } from '../../src/codec/json/plain-value.ts'
import { crdToJsonSchema } from '../../tools/crd-schema.ts'

const crd = toPlain(
  parseGoYaml(`
spec:
  group: x.io
  names: {kind: Thing}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          properties:
            spec:
              description: |-
                spec is the wish.
                More words follow here.
              type: object
              required: [a]
              properties:
                a: {type: integer, format: int32, minimum: 1, x-kubernetes-validations: []}
                b: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
                c: {x-kubernetes-preserve-unknown-fields: true}
                d: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {e: {type: string}}}
                f: {type: object, additionalProperties: {type: array, items: {type: object, properties: {g: {type: string}}}}}
            status: {type: object}
`),
)

const options = { version: 'v1', id: 'https://x.io/thing.json', description: 'a thing', examples: [] }

it('keeps what means the same and closes what the API server would prune', () => {
  expect(crdToJsonSchema(crd, options)).toMatchObject({
    $id: 'https://x.io/thing.json',
    title: 'Thing',
    additionalProperties: false,
    properties: {
      apiVersion: { const: 'x.io/v1' },
      kind: { const: 'Thing' },
      spec: {
        description: 'spec is the wish.',
        type: 'object',
        required: ['a'],
        additionalProperties: false,
        properties: {
          a: { type: 'integer', minimum: 1 },
          b: { type: ['integer', 'string'] },
          c: {},
          d: { type: 'object', properties: { e: { type: 'string' } } },
          f: {
            type: 'object',
            additionalProperties: {
              type: 'array',
              items: { type: 'object', properties: { g: { type: 'string' } }, additionalProperties: false },
            },
          },
        },
      },
    },
  })
})

it('drops status, formats and rules that only the API server knows', () => {
  const text = JSON.stringify(crdToJsonSchema(crd, options))
  expect(['"status"', '"format"', 'x-kubernetes', 'anyOf'].filter((word) => text.includes(word))).toEqual([])
  expect(JSON.parse(text).properties.spec.properties.d).not.toHaveProperty('additionalProperties')
})

it('says what a CustomResourceDefinition lacks', () => {
  expect(() => crdToJsonSchema(crd, { ...options, version: 'v2' })).toThrow(
    'the CustomResourceDefinition has no schema',
  )
})
