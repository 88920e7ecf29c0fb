import { describe, expect, it } from 'vitest'
import { formatFloat32G, formatFloatG, formatJsonFloat } from '../../../src/codec/json/go-float.ts'
import { numberRows } from '../tables/go-yaml-format-rows.ts'

describe('formatFloatG', () => {
  it.each(numberRows)('writes %d as strconv does', (value, _json, _yaml, pretty) => {
    expect(formatFloatG(value)).toBe(pretty.trimEnd())
  })

  it.each([
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [NaN, 'NaN'],
  ])('writes %d', (value, want) => {
    expect(formatFloatG(value)).toBe(want)
  })
})

describe('formatFloat32G', () => {
  it.each([
    [1.1, '1.1'],
    [0.1, '0.1'],
    [1.23456789, '1.2345679'],
    [16777217, '1.6777216e+07'],
    [1e40, '+Inf'],
    [1e-46, '0'],
    [-3, '-3'],
    [3.4028234663852886e38, '3.4028235e+38'],
  ])('writes %d', (value, want) => {
    expect(formatFloat32G(value)).toBe(want)
  })
})

describe('formatJsonFloat', () => {
  it.each(numberRows)('writes %d as encoding/json does', (value, json) => {
    expect(formatJsonFloat(value)).toBe(json)
  })
})
