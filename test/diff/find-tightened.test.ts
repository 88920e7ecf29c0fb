import { expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { findMergedOtherwise, findTightened } from '../../src/diff/find-tightened.ts'
import { Dict } from '../../src/model/value.ts'

function definition(schema: string, version = 'v1'): Dict {
  const text = `spec: {versions: [{name: ${version}, served: true, schema: {openAPIV3Schema: {type: object, ${schema}}}}]}`
  const value = parseGoYaml(text, { integers: 'int' })
  if (!(value instanceof Dict)) throw new TypeError('no map')
  return value
}
const field = (schema: string): string => `properties: {a: {${schema}}}`

const rows: readonly (readonly [before: string, after: string, found: readonly string[]])[] = [
  [field('type: string'), field('type: integer'), ['v1: a: has to be integer, was string']],
  [field('type: integer'), field('type: number'), []],
  [field('type: integer'), field('x-kubernetes-int-or-string: true'), []],
  [
    field('x-kubernetes-int-or-string: true'),
    field('type: integer'),
    ['v1: a: has to be integer, was an integer or text'],
  ],
  [field('type: string'), field('type: string, enum: [x]'), ['v1: a: takes some values only']],
  [field('enum: [x, b, z]'), field('enum: [z, w]'), ['v1: a: no longer takes x, b']],
  [field('enum: [x]'), field('enum: [x, y]'), []],
  [field('minimum: 1'), field('minimum: 2'), ['v1: a: minimum 2, was 1']],
  [field('minimum: 2'), field('minimum: 1'), []],
  [field('maximum: 2'), field('maximum: 1.5'), ['v1: a: maximum 1.5, was 2']],
  [field('maximum: 2'), field('type: integer'), ['v1: a: has to be integer']],
  [field('type: string'), field('type: string, maxLength: 9'), ['v1: a: maxLength 9']],
  [field('type: array'), field('type: array, minItems: 0'), []],
  [field('type: string'), field('type: string, pattern: "^x"'), ['v1: a: has a pattern']],
  [field('pattern: "^x"'), field('pattern: "^y"'), ['v1: a: has another pattern']],
  [field('pattern: "^x"'), field('description: y'), []],
  [field('format: date'), field('format: date-time'), ['v1: a: has another format']],
  [field('nullable: true'), field('nullable: false'), ['v1: a: no longer takes null']],
  [
    field('x-kubernetes-preserve-unknown-fields: true'),
    field('type: object'),
    ['v1: a: has to be object', 'v1: a: no longer keeps unknown fields'],
  ],
  [
    field('type: string'),
    field('type: string, x-kubernetes-validations: [{rule: "self != x"}, {rule: "self != y"}]'),
    ['v1: a: has 2 new rules'],
  ],
  [field('type: string'), `required: [a], ${field('type: string')}`, ['v1: a: is required']],
  [field('type: string'), `required: [a], ${field('type: string, default: x')}`, []],
  [`required: [a], ${field('type: string')}`, field('type: string'), []],
  [
    field('items: {properties: {b: {type: string}}}'),
    field('items: {required: [b], properties: {b: {type: string, maxLength: 1}}}'),
    ['v1: a[].b: is required', 'v1: a[].b: maxLength 1'],
  ],
  [
    field('additionalProperties: {type: string}'),
    field('additionalProperties: {type: string, minLength: 1}'),
    ['v1: a.*: minLength 1'],
  ],
  ['properties: {}', field('type: string, maxLength: 1'), []],
]

test.each(rows)('%s -> %s', (before, after, found) => {
  expect(findTightened(definition(before), definition(after))).toEqual(found)
})

test('versions of one of the two only, and those that are not served, are not compared', () => {
  const [loose, tight] = [field('type: string'), field('type: string, maxLength: 1')]
  expect(findTightened(definition(loose, 'v1beta1'), definition(tight))).toEqual([])
  const unserved = definition(tight)
  expect(findTightened(definition(loose), unserved)).toEqual(['v1: a: maxLength 1'])
})

const items = 'items: {type: object, properties: {name: {type: string}}}'
const list = (how: string): string => field(`type: array, ${items}${how === '' ? '' : `, ${how}`}`)
const byName = 'x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]'

test.each([
  [list(byName), list(''), ['v1: a: is replaced as a whole, was merged by name']],
  [list('x-kubernetes-list-type: atomic'), list(byName), ['v1: a: is merged by name, was replaced as a whole']],
  [
    list(byName),
    list(byName.replace('[name]', '[name, port]')),
    ['v1: a: is merged by name and port, was merged by name'],
  ],
  [
    field('type: object'),
    field('type: object, x-kubernetes-map-type: atomic'),
    ['v1: a: is replaced as a whole, was merged field by field'],
  ],
  [list('x-kubernetes-list-type: atomic'), list(''), []],
  [field('type: string'), list(byName), []],
])('what is merged otherwise: %s -> %s', (before, after, found) => {
  expect(findMergedOtherwise(definition(before), definition(after))).toEqual(found)
})
