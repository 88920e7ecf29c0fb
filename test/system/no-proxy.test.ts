import { describe, expect, test } from 'vitest'
import { isWithoutProxy } from '../../src/system/no-proxy.ts'

describe('NO_PROXY, as curl and Go read it', () => {
  test.each([
    ['', 'https://example.com', false],
    ['*', 'https://example.com', true],
    ['example.com', 'https://example.com', true],
    ['EXAMPLE.com', 'https://Example.com.', true],
    ['example.com', 'https://charts.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['.example.com', 'https://charts.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://charts.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['*example.com', 'https://example.com', false],
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'http://example.com', true],
    ['a.example, b.example', 'http://b.example', true],
    ['a.example b.example', 'http://b.example', true],
    ['.svc,.cluster.local,10.96.0.0/12', 'https://10.96.0.1', true],
    ['10.96.0.0/12', 'https://10.112.0.1', false],
    ['10.96.0.1/32', 'https://10.96.0.1:6443', true],
    ['10.0.0.0/8', 'https://10.example.com', false],
    ['10.0.0.0/33', 'https://10.0.0.1', false],
    ['example.com/8', 'https://example.com', false],
    ['0.0.0.0/0', 'https://192.0.2.1', true],
    ['192.0.2.1', 'https://192.0.2.1', true],
    ['192.0.2.1:6443', 'https://192.0.2.1:6443', true],
    ['192.0.2.1:6443', 'https://192.0.2.1', false],
    ['192.0.2.1', 'https://192.0.2.11', false],
    ['2001:db8::1', 'https://[2001:DB8:0::1]', true],
    ['[2001:db8::1]', 'https://[2001:db8::1]:6443', true],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443', true],
    ['2001:db8::/32', 'https://[2001:db8:1::1]', true],
    ['2001:db8::/32', 'https://192.0.2.1', false],
    [':443,,/8,.,*.', 'https://example.com', false],
  ])('%j: %s', (list, address, want) => {
    expect(isWithoutProxy(new URL(address), list)).toBe(want)
  })
})
