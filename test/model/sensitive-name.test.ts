import { expect, test } from 'vitest'
import { isNameOfSecret } from '../../src/model/sensitive-name.ts'

test.each(['API_KEY', 'api-key', 'apiKey', 'GITHUB_PAT', 'wifi.psk', 'certificateKey', 'PGPASSWORD', 'tls.key'])(
  '%s is the name of a secret',
  (name) => {
    expect(isNameOfSecret(name)).toBe(true)
  },
)

test.each(['path', 'PATCH', 'secretName', 'tokenPath', 'apiKeyRef', 'certificateKeyPath', 'pattern', 'compat'])(
  '%s is none',
  (name) => {
    expect(isNameOfSecret(name)).toBe(false)
  },
)
