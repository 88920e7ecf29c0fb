import { describe, expect, test } from 'vitest'
import { pathAtLine } from '../../../src/codec/yaml/path-at-line.ts'
import { parsePositionedYaml } from '../../../src/codec/yaml/positioned-yaml.ts'

const text = `apiVersion: v1
metadata:
  name: a
  labels: {x: y, z: w}
list:
- name: first
  size: 1
- name: second
data:
  script: |
    one
    two
  after: b
`

describe('pathAtLine', () => {
  const rows: readonly (readonly [number, readonly (string | number)[]])[] = [
    [1, ['apiVersion']],
    [2, ['metadata']],
    [3, ['metadata', 'name']],
    [4, ['metadata', 'labels', 'z']],
    [6, ['list', 0, 'name']],
    [7, ['list', 0, 'size']],
    [8, ['list', 1, 'name']],
    [11, ['data', 'script']],
    [12, ['data', 'script']],
    [13, ['data', 'after']],
    [99, ['data', 'after']],
  ]
  test.each(rows)('line %i', (line, want) => {
    const [document] = parsePositionedYaml({ name: 'x.yaml', text }).documents
    expect(document === undefined ? undefined : pathAtLine(document, line)).toEqual(want)
  })
})
