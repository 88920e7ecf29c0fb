import fc from 'fast-check'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  baseName,
  dirName,
  isAbsolutePath,
  isInside,
  joinPath,
  normalizePath,
  relativePath,
  resolvePath,
} from '../../src/codec/path.ts'

describe('normalizePath', () => {
  it.each([
    ['', '.'],
    ['.', '.'],
    ['./a//b/', 'a/b'],
    ['a/../..', '..'],
    ['../../a', '../../a'],
    ['/..', '/'],
    ['/a/./b/../c', '/a/c'],
    ['C:/a/../..', 'C:/'],
  ])('%j becomes %j', (input, want) => {
    expect(normalizePath(input)).toBe(want)
  })
})

describe('dirName and baseName', () => {
  it.each([
    ['/a/b.yaml', '/a', 'b.yaml'],
    ['/a', '/', 'a'],
    ['/', '/', ''],
    ['a', '.', 'a'],
    ['C:/a', 'C:/', 'a'],
    ['a/b/', 'a', 'b'],
  ])('%j', (input, folder, name) => {
    expect([dirName(input), baseName(input)]).toEqual([folder, name])
  })
})

describe('isInside', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a', '/a/../b', false],
    ['/', '/b', true],
    ['.', 'x', true],
    ['.', '..', false],
    ['.', '../x', false],
    ['.', '..x', true],
    ['.', '/x', false],
    ['a', '../a', false],
  ])('%j holds %j: %s', (folder, path, want) => {
    expect(isInside(folder, path)).toBe(want)
  })
})

describe('resolvePath', () => {
  it.each([
    ['/fleet', 'a/b', '/fleet/a/b'],
    ['/fleet', '../x', '/x'],
    ['/fleet', '/x/./y', '/x/y'],
    ['/fleet', 'C:/x', 'C:/x'],
  ])('%j and %j', (folder, path, want) => {
    expect(resolvePath(folder, path)).toBe(want)
  })
})

it('tells absolute from relative paths', () => {
  expect(['/', '/a', 'C:/', 'a', './a', '', 'C:a'].map(isAbsolutePath)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

it('agrees with Node on POSIX paths', () => {
  const part = fc.constantFrom('a', 'b', 'cd', '.', '..', '')
  const path = fc.array(part, { maxLength: 7 }).map((parts) => parts.join('/'))
  const absolute = path.map((text) => `/${text}`)
  fc.assert(
    fc.property(path, path, absolute, absolute, (a, b, from, to) => {
      const bare = posix.normalize(a).replace(/(?<=.)\/$/, '')
      expect(normalizePath(a)).toBe(bare)
      expect(joinPath('x', b)).toBe(posix.join('x', b).replace(/(?<=.)\/$/, ''))
      expect(relativePath(from, to)).toBe(posix.relative(from, to) || '.')
      expect(dirName(from)).toBe(posix.dirname(posix.normalize(from)))
    }),
    { seed: 1 },
  )
})
