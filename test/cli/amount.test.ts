import { describe, expect, it } from 'vitest'
import { parseAge, parseSize } from '../../src/cli/arguments/amount.ts'
import { formatSize } from '../../src/report/format-size.ts'

describe('amounts on the command line', () => {
  it.each([
    ['0', 0],
    ['1000', 1000],
    ['500MiB', 524_288_000],
    ['1.5 GiB', 1_610_612_736],
    ['2gib', 2_147_483_648],
    ['10kB', 10_000],
    ['3TB', 3e12],
    ['', undefined],
    ['MiB', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['5 MiB more', undefined],
    ['5 apples', undefined],
    ['Infinity', undefined],
    ['9'.repeat(400), undefined],
  ])('reads the size %j', (text, want) => {
    expect(parseSize(text)).toBe(want)
  })

  it.each([
    ['0', 0],
    ['30d', 2_592_000_000],
    ['1.5h', 5_400_000],
    ['2w', 1_209_600_000],
    ['10m', 600_000],
    ['1s', 1000],
    ['30', undefined],
    ['30D', undefined],
    ['a day', undefined],
  ])('reads the age %j', (text, want) => {
    expect(parseAge(text)).toBe(want)
  })

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1_048_575, '1.0 MiB'],
    [36_175_872, '34.5 MiB'],
    [2 ** 31, '2.0 GiB'],
    [5 * 2 ** 50, '5120.0 TiB'],
  ])('writes %d bytes', (bytes, want) => {
    expect(formatSize(bytes)).toBe(want)
  })
})
