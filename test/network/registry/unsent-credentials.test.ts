import { expect, test } from 'vitest'
import type { Credentials } from '../../../src/model/credentials.ts'
import { Secret } from '../../../src/model/secret.ts'
import { parseChallenges } from '../../../src/network/registry/challenge.ts'
import { keptFromService, unsentCredentials } from '../../../src/network/registry/unsent-credentials.ts'

const registry = { host: 'reg.example.com', origin: 'https://reg.example.com' }
const known: Readonly<Record<Credentials['type'], Credentials>> = {
  basic: { type: 'basic', username: 'mason', password: new Secret('pass') },
  bearer: { type: 'bearer', token: new Secret('abc') },
  identityToken: { type: 'identityToken', token: new Secret('abc') },
}

test.each([
  ['https://auth.example.com/token', undefined],
  ['https://auth.example.org/token?a=b', 'its token service https://auth.example.org/token is another server'],
  ['https://user:secret@auth.example.org/token', 'its token service https://auth.example.org/token is another server'],
  [
    'http://auth.example.com/token',
    'its token service http://auth.example.com/token would get them by http without TLS',
  ],
  ['http://auth.example.org/token', 'its token service http://auth.example.org/token is another server'],
  // that it is none is told when it is asked
  ['/token', undefined],
])('a token service at %s', (realm, want) => {
  expect(keptFromService(realm, registry)?.reason).toBe(want)
})

test.each<[Credentials['type'], string, string | undefined, string | undefined]>([
  ['basic', 'Basic realm="x"', undefined, undefined],
  ['bearer', 'Basic realm="x"', undefined, 'it asks for user and password, and they are a token'],
  ['identityToken', 'Basic realm="x"', undefined, 'it asks for user and password, and they are a token'],
  ['basic', '', undefined, 'it did not say how to show them'],
  ['identityToken', '', 'https://auth.example.com/token', undefined],
  ['identityToken', '', 'https://auth.example.org/', 'its token service https://auth.example.org/ is another server'],
  ['bearer', '', 'https://auth.example.org/', undefined],
])('%s credentials where "%s" was asked, and the token service %s', (type, header, realm, want) => {
  const refusing = { ...registry, realm, challenges: parseChallenges(header) }
  expect(unsentCredentials(known[type], refusing)?.reason).toBe(want)
})
