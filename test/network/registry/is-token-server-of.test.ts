import { describe, expect, test } from 'vitest'
import { isTokenServerOf } from '../../../src/network/registry/is-token-server-of.ts'

const cases: readonly (readonly [registry: string, realm: string, want: boolean])[] = [
  ['https://ghcr.io', 'https://ghcr.io/token', true],
  ['https://registry-1.docker.io', 'https://auth.docker.io/token', true],
  ['https://registry.gitlab.com', 'https://gitlab.com/jwt/auth', true],
  ['https://example.com', 'https://auth.example.com/token', true],
  ['https://registry.example.co.uk', 'https://auth.example.co.uk/token', true],
  ['http://127.0.0.1:5000', 'http://127.0.0.1:5001/token', true],
  ['https://ghcr.io', 'http://ghcr.io/token', false],
  ['https://ghcr.io', 'https://ghcr.io.evil.example/token', false],
  ['https://registry.example.com', 'https://evilexample.com/token', false],
  ['https://registry.example.com', 'https://example.org/token', false],
  ['https://example.co.uk', 'https://evil.co.uk/token', false],
  ['https://example.co.uk', 'https://auth.example.co.uk/token', true],
  ['https://mine.azurecr.io', 'https://other.azurecr.io/token', false],
  ['https://mine.azurecr.io', 'https://mine.azurecr.io/oauth2/token', true],
  ['http://10.0.0.1', 'http://11.0.0.1/token', false],
  ['http://[::1]:5000', 'http://[::2]:5000/token', false],
  ['http://registry', 'http://other/token', false],
  ['http://registry', 'http://registry:81/token', true],
]

describe('where the credentials of a registry go', () => {
  test.each(cases)('%s to %s: %s', (registry, realm, want) => {
    expect(isTokenServerOf(realm, registry)).toBe(want)
  })
})
