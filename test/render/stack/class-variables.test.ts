import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { fieldAt } from '../../../src/model/field.ts'
import { defaultClassVariables } from '../../../src/render/stack/class-variables.ts'
import { objectOf } from './objects.ts'

const clusterClass = objectOf(`
spec:
  variables:
    - name: flavor
      schema: {openAPIV3Schema: {type: string, default: small}}
    - name: disk
      schema: {openAPIV3Schema: {type: integer}}
    - name: image
      schema:
        openAPIV3Schema:
          type: object
          default: {}
          properties:
            name: {type: string, default: ubuntu}
            tags: {type: array, items: {type: object, properties: {weight: {type: integer, default: 1}}}}
          additionalProperties: {type: object, properties: {active: {type: boolean, default: true}}}
`)

describe('defaultClassVariables', () => {
  const rows: readonly { readonly name: string; readonly variables: string; readonly want: string }[] = [
    {
      name: 'appends what has a default, in class order, and nothing else',
      variables: '[]',
      want: '[{"name":"flavor","value":"small"},{"name":"image","value":{"name":"ubuntu"}}]',
    },
    {
      name: 'keeps the order and the values that are given',
      variables: '[{name: disk, value: 20}, {name: flavor, value: big}]',
      want: '[{"name":"disk","value":20},{"name":"flavor","value":"big"},{"name":"image","value":{"name":"ubuntu"}}]',
    },
    {
      name: 'fills in inside given objects, list items and additional properties',
      variables: '[{name: flavor, value: x}, {name: image, value: {tags: [{}, {weight: 3}], extra: {}}}]',
      want: '[{"name":"flavor","value":"x"},{"name":"image","value":{"extra":{"active":true},"name":"ubuntu","tags":[{"weight":1},{"weight":3}]}}]',
    },
  ]
  test.each(rows)('$name', ({ variables, want }) => {
    const cluster = objectOf(`{metadata: {name: c}, spec: {topology: {class: x, variables: ${variables}}}}`)
    const before = formatGoJson(cluster)
    expect(
      formatGoJson(fieldAt(defaultClassVariables(cluster, clusterClass), 'spec', 'topology', 'variables') ?? null),
    ).toBe(want)
    expect(formatGoJson(cluster)).toBe(before)
  })

  test('a Cluster without topology is left as it is', () => {
    const cluster = objectOf('{metadata: {name: c}, spec: {}}')
    expect(defaultClassVariables(cluster, clusterClass)).toBe(cluster)
  })
})
