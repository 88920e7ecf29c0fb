import { describe, expect, test } from 'vitest'
import { shownUrl } from '../../../src/network/transport/shown-url.ts'

describe('shownUrl', () => {
  test.each([
    ['https://example.org/a/b', 'https://example.org/a/b'],
    ['https://example.org:8443/a?b=c#d', 'https://example.org:8443/a'],
    ['https://user:password@example.org/a', 'https://example.org/a'],
    ['https://user:p@ss@example.org/a', 'https://example.org/a'],
    ['https://token@example.org', 'https://example.org'],
    ['https://example.org/?signature=x', 'https://example.org/'],
    ['https://example.org/a@b', 'https://example.org/a@b'],
    ['https://user:pass?word@example.org/a', 'https://example.org/a'],
    ['https://user:pass/word@example.org/a?b', 'https://example.org/a'],
    ['https://[::1]:8443/a', 'https://[::1]:8443/a'],
    ['https://me@[::1]/a', 'https://[::1]/a'],
    ['oci://registry.example/charts', 'oci://registry.example/charts'],
    ['ssh://git@example.org:22/a.git', 'ssh://example.org:22/a.git'],
    ['git@example.org:a/b.git', 'example.org:a/b.git'],
    ['HTTPS://Example.org/a', 'HTTPS://Example.org/a'],
    ['https://example.org/\u202e\u001b[31m', 'https://example.org/[31m'],
    ['/srv/charts', '/srv/charts'],
    ['', ''],
  ])('%j is shown as %j', (url, want) => {
    expect(shownUrl(url)).toBe(want)
  })
})
