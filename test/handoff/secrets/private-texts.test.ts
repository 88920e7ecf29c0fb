import { expect, test } from 'vitest'
import { encodeBase64 } from '../../../src/codec/bytes/base64.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { privateTexts } from '../../../src/handoff/secrets/private-texts.ts'
import { dict } from '../../../src/model/value.ts'

const b64 = (text: string): string => encodeBase64(encodeUtf8(text))
const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nAgEAAoIBAQC7VJTUt9Us8cKj\n'
const pem = (label: string, head = ''): string => `-----BEGIN ${label}-----\n${head}${body}-----END ${label}-----\n`
const pgp = (head = ''): string =>
  `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${head}\n${body}=abcd\n-----END PGP PRIVATE KEY BLOCK-----\n`
const age = `# created: today\nAGE-SECRET-KEY-1${'Q'.repeat(58)}\n`
const putty = (encryption: string): string =>
  `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: ${encryption}\nComment: me\nPrivate-Lines: 1\n${body}Private-MAC: 00\n`
const jwk = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7nP9r'
const openvpn = `#\n-----BEGIN OpenVPN Static key V1-----\n${'0a1b2c3d4e5f6789'.repeat(2)}\n-----END OpenVPN Static key V1-----\n`
const kubeconfig = (user: string): string =>
  `apiVersion: v1\nkind: Config\nclusters: [{name: a}]\ncontexts: []\nusers:\n- name: a\n  user:\n    ${user}\n`

test.each<[string, string, string]>([
  ['a key', pem('PRIVATE KEY'), 'a private key'],
  ['a key of OpenSSH', pem('OPENSSH PRIVATE KEY'), 'a private key'],
  [
    'a key that is indented',
    `tls:\n  key: |\n    ${pem('EC PRIVATE KEY').replaceAll('\n', '\n    ')}`,
    'a private key',
  ],
  ['a key in JSON', JSON.stringify({ key: pem('RSA PRIVATE KEY') }), 'a private key'],
  ['a key in base64', b64(pem('RSA PRIVATE KEY')), 'a private key'],
  ['a key in base64, in lines', b64(pem('RSA PRIVATE KEY')).replaceAll(/.{76}/g, '$&\n  '), 'a private key'],
  ['a key of OpenPGP', pgp(), 'a private key'],
  ['a key of OpenPGP with headers', pgp('Version: A 1\nComment: b: c\n'), 'a private key'],
  ['a key of OpenPGP in JSON', JSON.stringify({ key: pgp('Comment: b\n') }), 'a private key'],
  ['a key of OpenPGP in base64', b64(pgp()), 'a private key'],
  ['a key of age', age, 'a private key'],
  ['a key of age in base64', b64(age), 'a private key'],
  ['a key of PuTTY', putty('none'), 'a private key'],
  ['a key as JSON', `{"kty":"EC","crv":"P-256","d":"${jwk}"}`, 'a private key'],
  ['a key as JSON within JSON', JSON.stringify({ key: `{"d":"${jwk}","kty":"OKP"}` }), 'a private key'],
  ['a key as JSON in base64', b64(`{"kty":"EC","crv":"P-256","d":"${jwk}"}`), 'a private key'],
  ['a static key of OpenVPN', openvpn, 'a private key'],
  ['a static key of OpenVPN in base64', b64(openvpn), 'a private key'],
  ['a seed of NATS', `seed: SU${'AQ3XKZ5LMBW7T2'.repeat(4)}`, 'a seed of NATS'],
  ['a token of k3s', `K10${'0a1b2c3d4e5f6789'.repeat(4)}::server:0a1b2c3d`, 'a token of k3s or RKE2'],
  ['a token of GitHub', `ghp${'_'}${jwk.slice(0, 36)}`, 'a token of GitHub'],
  [
    'a token in a text of base64',
    b64(`[section]\nurl = x\nkey = glpat${'-'}${jwk.slice(0, 20)}\n`),
    'a token of GitLab',
  ],
  ['a kubeconfig with a key', kubeconfig(`client-key-data: ${b64(pem('RSA PRIVATE KEY'))}`), 'a private key'],
  ['a kubeconfig with a token', kubeconfig('token: eyJhbGciOiJSUzI1NiJ9.e30.c2ln'), 'a kubeconfig with credentials'],
  ['a kubeconfig in base64', b64(kubeconfig('token: abcdef.0123456789abcdef')), 'a kubeconfig with credentials'],
])('%s is found', (_name, text, what) => {
  const found = privateTexts(dict([['data', dict([['list', ['', text]]])]]))
  expect(found.map((entry) => [entry.field, entry.what])).toEqual([['data.list.1', what]])
})

test.each<[string, string]>([
  ['a certificate', pem('CERTIFICATE')],
  ['a certificate in base64', b64(pem('CERTIFICATE'))],
  ['a public key', pem('PUBLIC KEY')],
  ['a key with a passphrase', pem('ENCRYPTED PRIVATE KEY')],
  ['an older key with a passphrase', pem('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AA\n\n')],
  ['a public key of OpenPGP', pgp().replaceAll('PRIVATE', 'PUBLIC')],
  ['an example of OpenPGP', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF...\n${'x y '.repeat(30)}`],
  ['what tells of keys of age', `AGE-SECRET-KEY-1... ${'x y '.repeat(30)}`],
  ['a public key as JSON', `{"kty":"EC","crv":"P-256","x":"${jwk}","kid":"${jwk}"}`],
  ['a key as JSON beside a public one', `{"kty":"EC"}, {"d":"${jwk}"}`],
  ['an example of a token', `ghp${'_'}${'x'.repeat(36)}`],
  ['a bootstrap token of the pages', 'abcdef.0123456789abcdef and more of the same text, longer than that'],
  ['a key of PuTTY with a passphrase', putty('aes256-cbc')],
  ['an example', '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----\n'],
  ['what a description says', `The key starts with -----BEGIN PRIVATE KEY-----. ${'It is read once. '.repeat(9)}`],
  ['a kubeconfig that refers', kubeconfig('tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token')],
  ['a kubeconfig with a template', kubeconfig('token: ${SERVICE_ACCOUNT_TOKEN_OF_THE_POD}')],
  ['other base64', b64(`clusters contexts users ${'x'.repeat(99)}`)],
])('%s is not', (_name, text) => {
  expect(privateTexts(dict([['data', dict([['a', text]])]]))).toEqual([])
})

test('a private key whose members are fields is found', () => {
  const key = dict([
    ['kty', 'EC'],
    ['x', jwk],
    ['d', jwk],
  ])
  expect(privateTexts(dict([['spec', dict([['keys', [key]]])]])).map(({ field }) => field)).toEqual(['spec.keys.0.d'])
})

const megabytes = 20_000_000

test.each<[string, string]>([
  ['base64 that begins as PEM does', `LS0tLS1CRUdJTi${'A'.repeat(megabytes)}`],
  ['line breaks behind the head of a key', `-----BEGIN PRIVATE KEY-----${'\n'.repeat(megabytes)}`],
  ['headers of a key', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${'Ab: c\n'.repeat(megabytes / 6)}`],
  ['blanks behind a token', `clusters contexts users token:${' '.repeat(megabytes)}`],
])('20 MB of %s are passed', (_name, text) => {
  expect(privateTexts(dict([['data', dict([['a', text]])]]))).toEqual([])
})

test('a token of 20 MB is found', () => {
  const text = kubeconfig(`token: ${'a'.repeat(megabytes)}`)
  expect(privateTexts(dict([['data', dict([['a', text]])]]))).toMatchObject([{ what: 'a kubeconfig with credentials' }])
})
