import { describe, expect, it } from 'vitest'
import { positionedFile, spanInValues } from '../../../src/codec/yaml/positioned-file.ts'
import { positionAt } from '../../../src/model/source.ts'

describe('a file with places', () => {
  it('is parsed once', () => {
    const source = { name: 'x.yaml', text: 'a: 1\n---\nb: 2\n' }
    const file = positionedFile(source)
    expect(file.documents).toHaveLength(2)
    expect(positionedFile(source)).toBe(file)
    expect(positionedFile(source, 'bool')).not.toBe(file)
    expect(file.problems).toEqual([])
  })

  it.each([
    { path: ['a', 'b'], want: '4:8' },
    { path: ['a', 'c'], want: '2:6' },
    { path: ['d'], want: '5:4' },
    { path: ['none'], want: '1:1' },
    { path: ['a', 'none'], want: '2:3' },
  ])('has $path in the last document with it', ({ path, want }) => {
    const source = { name: 'values.yaml', text: 'a:\n  c: 1\n---\na: {b: 2}\nd: 3\n' }
    const { start } = spanInValues(source, path)
    const { line, column } = positionAt(source, start)
    expect(`${String(line)}:${String(column)}`).toBe(want)
  })
})
