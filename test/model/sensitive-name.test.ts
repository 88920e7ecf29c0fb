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
])('%s is none', (name) => {
  expect(isNameOfSecret(name)).toBe(false)
})
