import { expect, test } from 'vitest'
import { isNameOfSecret } from '../../src/model/sensitive-name.ts'

test.each([
  'API_KEY',
  'api-key',
  'apiKey',
  'GITHUB_PAT',
  'wifi.psk',
  'certificateKey',
  'PGPASSWORD',
  'tls.key',
  'userPassword',
  'user-password',
  'hasuraAdminSecret',
  'DB_PASS_MAIN',
  'routing_key',
  'service_key',
  'APP_KEY',
  'STORAGE_KEY',
  'HMAC_KEY',
  'SESSION_KEY',
  'AUTH_HEADER',
  'SESSION_COOKIE',
  'id_ed25519',
  '.netrc',
])('%s is the name of a secret', (name) => {
  expect(isNameOfSecret(name)).toBe(true)
})

test.each([
  'path',
  'PATCH',
  'secretName',
  'tokenPath',
  'apiKeyRef',
  'certificateKeyPath',
  'pattern',
  'compat',
  'useTokenReview',
  'create-secret',
  'COMPASS_URL',
  'bypass-list',
  'api_key_ref',
  'public_key',
  'sort_key',
  'partition_key',
  'primary_key',
  'foreign_key',
  'label_key',
  'topologyKey',
  'cookie',
  'sessionCookieName',
  'header',
])('%s is none', (name) => {
  expect(isNameOfSecret(name)).toBe(false)
})
