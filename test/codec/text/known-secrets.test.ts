import { describe, expect, test } from 'vitest'
import { collectKnownSecrets, findCertainSecret } from '../../../src/codec/text/known-secrets.ts'
import { MaskTexts } from '../../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../../src/codec/text/secret-texts.ts'

const random = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7nP9r'
const hex = '0a1b2c3d4e5f6789'.repeat(4)
const base32 = 'AQ3XKZ5LMBW7T2'.repeat(4)

/** Heads and bodies apart, so that no scanner takes them for real ones. */
const forms: readonly (readonly [string, string, string, 'certain' | 'told apart'])[] = [
  ['a token of GitHub', 'ghp', `_${random.slice(0, 36)}`, 'certain'],
  ['a token of an app of GitHub', 'gho', `_${random.slice(0, 36)}`, 'certain'],
  ['a token of an installation of GitHub', 'ghs', `_${random.slice(0, 36)}`, 'certain'],
  ['a fine-grained token of GitHub', 'github', `_pat_${random.slice(0, 22)}_${random}`, 'certain'],
  ['a token of GitLab', 'glpat', `-${random.slice(0, 20)}`, 'certain'],
  ['a token of an agent of GitLab', 'glagent', `-${random}`, 'certain'],
  ['a token of a runner of GitLab', 'glrt', `-${random.slice(0, 20)}`, 'certain'],
  ['an older token of a runner of GitLab', 'GR134', `8941${random.slice(0, 20)}`, 'certain'],
  ['a token of a bot of Slack', 'xoxb', '-1234567890123-1234567890124-aB3dE5gH7jK9mN1pQ3sT5vW7', 'told apart'],
  ['a token of a user of Slack', 'xoxp', '-2345678901-aB3dE5gH7jK9', 'certain'],
  ['a key of AWS', 'AKIA', 'Q3XKZ5LMBW7T2ABC', 'told apart'],
  ['a key of Google', 'AIza', random.slice(0, 35), 'told apart'],
  ['a client of Google', 'GOCSPX', `-${random.slice(0, 28)}`, 'told apart'],
  ['a key of Stripe', 'sk_live', `_${random.slice(0, 24)}`, 'told apart'],
  ['a token of npm', 'npm', `_${random.slice(0, 36)}`, 'certain'],
  ['a token of PyPI', 'pypi', `-AgEIcHlwaS5vcmc${random}`, 'certain'],
  ['a token of Vault', 'hvs', `.${random.slice(0, 24)}`, 'certain'],
  ['a token of Docker', 'dckr', `_pat_${random.slice(0, 27)}`, 'certain'],
  ['a token of DigitalOcean', 'dop', `_v1_${hex}`, 'certain'],
  ['a key of SendGrid', 'SG', `.${random.slice(0, 22)}.${random}`, 'certain'],
  ['a token of Hugging Face', 'hf', `_${random.slice(0, 34)}`, 'told apart'],
  ['a token of Grafana', 'glsa', `_${random.slice(0, 32)}_0a1b2c3d`, 'certain'],
  ['a key of Tailscale', 'tskey', `-auth-k123456CNTRL-${random.slice(0, 20)}`, 'certain'],
  ['a key of OpenAI', 'sk', `-proj-${random}`, 'told apart'],
  ['a token of Databricks', 'dapi', '0a1b2c3d4e5f67890a1b2c3d4e5f6789', 'told apart'],
  ['a JSON Web Token', 'eyJ', `${random}.${random}.${random}`, 'told apart'],
  ['a key of age', 'AGE-SECRET', `-KEY-1${'Q3XKZ5LMBW7T2AB'.repeat(4).slice(0, 58)}`, 'told apart'],
  ['a seed of a user of NATS', 'SU', base32.slice(0, 56), 'certain'],
  ['a seed of an account of NATS', 'SA', base32.slice(0, 56), 'certain'],
  ['a seed of an operator of NATS', 'SO', base32.slice(0, 56), 'certain'],
  ['a token of k3s', 'K10', `${hex}::server:${hex.slice(0, 32)}`, 'certain'],
  ['a token of k3s for agents', 'K10', `${hex}::ab3def.0123456789abcdef`, 'certain'],
  ['a bootstrap token', 'ab3def', '.0123456789abcdef', 'told apart'],
  ['a hash of a password', '$6', `$rounds=5000$saltsalt$${random}${random}`, 'told apart'],
  ['a hash of a password by bcrypt', '$2y', `$10$${random}aB3dE5gH7j`, 'told apart'],
  ['a hash of a password for Apache', '$apr1', '$saltsalt$aB3dE5gH7jK9mN1pQ3sT5v', 'told apart'],
  ['a hash of a password by Argon2', '$argon2id', `$v=19$m=65536,t=3,p=4$${random}$${random}`, 'told apart'],
]

function shown(text: string): string {
  const masks = new MaskTexts()
  collectSecretTexts(text, (secret) => {
    masks.add(secret)
  })
  return masks.mask(text, 'strict')
}

describe('a secret of a known form is found wherever it stands:', () => {
  test.each(forms)('%s', (_name, head, body) => {
    const secret = `${head}${body}`
    for (const text of [`note: see ${secret}`, `{"a": "${secret}"}`, `run "${secret}", then`])
      expect(shown(text)).toBe(text.replace(secret, '********'))
  })
})

test.each(forms)('%s is certain only where nothing else looks like it', (_name, head, body, how) => {
  expect(findCertainSecret(`a ${head}${body} b`)?.secret).toBe(how === 'certain' ? `${head}${body}` : undefined)
})

test('the secret of a pair of AWS is found beside its key', () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1'
  expect(shown(`s3fs: AKIA${'Q3XKZ5LMBW7T2ABC'}:${secret}`)).toBe('s3fs: ********')
})

describe('is no secret of a known form:', () => {
  test.each([
    ['a float', 'x: 123456.1234567890123456'],
    ['a name of two words', 'x: values.productionvalue1s.example'],
    ['an image', 'image: reg.example/nodejs:abcdef.0123456789abcdef-x'],
    ['a host', 'host: node01.0123456789abcdef.example.com'],
    ['a word in capitals', `x: SUMMARY${'A'.repeat(51)}`],
    ['a digest', `x: sha256:${hex}`],
    ['a word of base32 within another', `x: ${base32}SU${base32}`],
    ['a variable', 'x: $1$2'],
  ])('%s', (_name, text) => {
    const found: string[] = []
    collectKnownSecrets(text, (secret) => found.push(secret))
    expect(found).toEqual([])
  })
})

test.each([`ghp_${'x'.repeat(36)}`, 'glpat-EXAMPLE0123456789', 'npm_abcdefghijklmnopqrstuvwxyz0123456789'])(
  'an example is none that a check refuses: %s',
  (text) => {
    expect(findCertainSecret(text)).toBeUndefined()
  },
)

const keys: readonly (readonly [string, string])[] = [
  ['of RSA', `{"kty":"RSA","n":"bbb","e":"AQAB","d":"${random}"}`],
  ['of RSA with its primes', `{"kty":"RSA","n":"bbb","e":"AQAB","p":"${random}","dq":"${random}"}`],
  ['of a curve', `{"kty": "EC", "crv": "P-256", "x": "bbb", "d": "${random}"}`],
  ['of Ed25519', `{"kty": "OKP", "crv": "Ed25519", "x": "bbb", "d": "${random}"}`],
  ['that is shared', `{"kty": "oct", "k": "${random}"}`],
  ['in a set', `{"keys": [{"kty": "EC", "d": "${random}", "use": "sig"}]}`],
  ['within an entry of a ConfigMap', `data:\n  jwk: '{"kty":"EC","crv":"P-256","d":"${random}"}'`],
  ['as text in JSON', `data:\n  jwk: "{\\"kty\\":\\"EC\\",\\"d\\":\\"${random}\\"}"`],
  ['in YAML', `kty: OKP\ncrv: Ed25519\nd: ${random}`],
  ['in YAML, its type last', `- d: "${random}"\n  kty: EC`],
]

test.each(keys)('a private key as JSON is found: %s', (_name, text) => {
  expect(shown(text)).toBe(text.replaceAll(random, '********'))
})

test('a public key as JSON is shown', () => {
  const text = `{"kty":"RSA","n":"${random}","e":"AQAB","kid":"${random}"}`
  expect(shown(text)).toBe(text)
})

test.each(['Static key V1', 'tls-crypt-v2 client key', 'tls-crypt-v2 server key'])(
  'a key of OpenVPN is found: %s',
  (name) => {
    const text = `<tls-auth>\n-----BEGIN OpenVPN ${name}-----\n${hex.slice(0, 32)}\n-----END OpenVPN ${name}-----`
    expect(shown(text)).toBe(text.replace(hex.slice(0, 32), '********'))
  },
)
