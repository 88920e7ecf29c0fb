import { expect, test } from 'vitest'
import { isPlainYaml } from '../../../src/codec/go-yaml/is-plain-yaml.ts'

test.each([
  ['', true],
  ['a: {b: [c, "d", \'e\']}\nf: |\n  &g\n  <<: *h\n', true],
  ['"<<": a', true],
  ['a: b&c*d!e', true],
  ['a: &b c', false],
  ['a: *b', false],
  ['!!binary JHBhdGNo: a', false],
  ['a: ! b', false],
  ['<<: {a: b}', false],
  ['{a: {<<: {b: c}}}', false],
  ['%YAML 1.1\n---\na: b', false],
])('%j: %s', (text, wanted) => {
  expect(isPlainYaml(text)).toBe(wanted)
})
