import { compareSync } from 'bcryptjs'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { readDer, type DerValue } from '../../src/codec/bytes/der.ts'
import { formatHex } from '../../src/codec/bytes/hex.ts'
import { derivePassword, passwordTypes } from '../../src/generate/derive-password.ts'
import { decryptText, encryptText } from '../../src/generate/encrypted-text.ts'
import { makeParts, type Parts } from '../../src/generate/make-parts.ts'
import { decodePem } from '../../src/generate/certificates/pem.ts'
import { keyTypes } from '../../src/generate/certificates/private-key.ts'
import { randomAlphabets } from '../../src/generate/random-text.ts'
import type { KeyPair } from '../../src/generate/certificates/x509.ts'
import { nodeCrypto } from '../../src/system/node-crypto.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { realHelm } from '../support/helm.ts'
import { tempFolder } from '../support/temp-folder.ts'

const helm = realHelm('holding what is generated against helm') ?? ''

/** What the real helm makes of expressions, by their names. */
async function rendered(
  expressions: Readonly<Record<string, string>>,
  setup = '',
): Promise<Readonly<Record<string, string>>> {
  const folder = await tempFolder()
  mkdirSync(join(folder, 'templates'))
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: made\nversion: 1.0.0\n')
  const lines = Object.entries(expressions).map(([name, text]) => `${name}: {{ ${text} | toJson }}`)
  writeFileSync(join(folder, 'templates/made.yaml'), `${setup}\n${lines.join('\n')}\n`)
  return parse(execFileSync(helm, ['template', 'made', folder], { encoding: 'utf8' }))
}

function make(name: string, args: readonly string[], signer?: KeyPair): Promise<Parts> {
  return makeParts({ function: name, arguments: args, signer }, createNodePorts())
}

describe.skipIf(helm === '')('as the real helm', () => {
  test('passwords are derived', { timeout: 60_000 }, async () => {
    const types = [...passwordTypes]
    const made = await rendered(
      Object.fromEntries(types.map((type) => [type, `derivePassword 7 "${type}" "pässword" "user" "example.com"`])),
    )
    const request = { counter: 7, password: 'pässword', user: 'user', site: 'example.com' }
    const ours = types.map((type) => [type, derivePassword({ ...request, type }, nodeCrypto)])
    expect(Object.fromEntries(ours)).toEqual(made)
  })

  test('text is encrypted: each reads what the other wrote', async () => {
    const long = 'a longer text of more than one block, é'
    const ours = encryptText('a password', long, { crypto: nodeCrypto, vector: new Uint8Array(16).fill(7) })
    const made = await rendered({
      encrypted: `encryptAES "a password of far more than thirty-two bytes" "${long}"`,
      decrypted: `decryptAES "a password" "${ours}"`,
    })
    expect(made['decrypted']).toBe(long)
    expect(decryptText('a password of far more than thirty-two bytes', made['encrypted'] ?? '', nodeCrypto)).toBe(long)
  })

  test('passwords are hashed', async () => {
    const theirs = await rendered({ htpasswd: 'htpasswd "admin" "sécret"', bcrypt: 'bcrypt "sécret"' })
    const [user, hash = ''] = (theirs['htpasswd'] ?? '').split(':')
    expect(user).toBe('admin')
    const ours = await Promise.all([make('htpasswd', ['admin', 'sécret']), make('bcrypt', ['sécret'])])
    for (const one of [hash, theirs['bcrypt'] ?? '', ...ours.map((parts) => parts.get('hash') ?? '')]) {
      expect(one).toMatch(/^\$2a\$10\$[./0-9A-Za-z]{53}$/)
      expect(compareSync('sécret', one)).toBe(true)
    }
  })

  test('random text has every character of the alphabet and no other', async () => {
    const theirs = await rendered(
      Object.fromEntries([...randomAlphabets.keys()].map((name) => [name, `${name} 20000`])),
    )
    const characters = Object.entries(theirs).map(([name, text]) => [name, [...new Set(text)].toSorted().join('')])
    expect(Object.fromEntries(characters)).toEqual(
      Object.fromEntries([...randomAlphabets].map(([name, text]) => [name, Array.from(text).toSorted().join('')])),
    )
  })

  test('private keys have kind, size and form', { timeout: 120_000 }, async () => {
    const types = [...keyTypes.keys()]
    const theirs = await rendered(Object.fromEntries(types.map((type) => [type, `genPrivateKey "${type}"`])))
    for (const type of types) {
      const ours = `${(await make('genPrivateKey', [type])).get('key') ?? ''}\n`
      expect({ type, key: describeKey(ours) }).toEqual({ type, key: describeKey(theirs[type] ?? '') })
    }
  })

  test('certificates have the same fields', { timeout: 120_000 }, async () => {
    const setup = `{{- $ca := genCA "an authority" 3650 }}
{{- $plain := genSelfSignedCert "" (list) (list "a.example" "*.b.example") 10 }}
{{- $leaf := genSignedCert "sérver_1" (list "10.0.0.1" "::1" "::ffff:192.0.2.1") (list "c.example") 36500 $ca }}`
    const names = ['ca', 'plain', 'leaf']
    const theirs = await rendered(
      Object.fromEntries(names.flatMap((name) => [`${name}.Cert`, `${name}.Key`].map((field) => [field, `$${field}`]))),
      setup,
    )
    const ca = await make('genCA', ['an authority', '', '', '3650'])
    const signer = { cert: `${ca.get('cert') ?? ''}\n`, key: `${ca.get('key') ?? ''}\n` }
    const plain = await make('genSelfSignedCert', ['', '', 'a.example,*.b.example', '10'])
    const leafArgs = ['sérver_1', '10.0.0.1,::1,::ffff:192.0.2.1', 'c.example', '36500', signer.cert]
    const leaf = await make('genSignedCert', leafArgs, signer)
    const ours = new Map(Object.entries({ ca, plain, leaf }))
    for (const name of names) {
      const made = ours.get(name)
      expect({ name, cert: describeCertificate(`${made?.get('cert') ?? ''}\n`) }).toEqual({
        name,
        cert: describeCertificate(theirs[`${name}.Cert`] ?? ''),
      })
      expect(describeKey(`${made?.get('key') ?? ''}\n`)).toEqual(describeKey(theirs[`${name}.Key`] ?? ''))
    }
  })
})

/** What is the same of every key of a kind. */
function describeKey(pem: string): object {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
  const [sequence] = readDer(decodePem(pem)?.bytes ?? new Uint8Array())
  return {
    lines: [
      ...new Set(
        pem
          .split('\n')
          .slice(1, -3)
          .map(({ length }) => length),
      ),
    ],
    block: decodePem(pem)?.type,
    asymmetricKeyType,
    asymmetricKeyDetails,
    fields: readDer(sequence?.content ?? new Uint8Array()).map(({ tag }) => tag),
  }
}

/**
 * All of a certificate that does not hang on its keys, its number and the time; names and extensions as their bytes.
 */
function describeCertificate(pem: string): object {
  const children = (value: DerValue | undefined): readonly DerValue[] => readDer(value?.content ?? new Uint8Array())
  const [certificate] = readDer(decodePem(pem)?.bytes ?? new Uint8Array())
  const [body, algorithm] = children(certificate)
  const [version, serial, inner, issuer, validity, subject, key, extensions] = children(body)
  const whole = (value: DerValue | undefined): string => formatHex(value?.whole ?? new Uint8Array())
  const parsed = new X509Certificate(pem)
  const lifetime = Date.parse(parsed.validTo) - Date.parse(parsed.validFrom)
  return {
    version: whole(version),
    serialTag: serial?.tag,
    algorithms: [whole(inner), whole(algorithm)],
    names: [whole(issuer), whole(subject)],
    validity: children(validity).map(({ tag }) => tag),
    lifetime,
    key: whole(children(key)[0]),
    extensions: children(children(extensions)[0]).map((extension) => {
      const [id, ...rest] = children(extension)
      const value = rest.at(-1)
      // identifiers of keys: their form and length
      const isOfKey = ['0603551d0e', '0603551d23'].includes(whole(id))
      const shown = isOfKey ? formatHex((value?.content ?? new Uint8Array()).subarray(0, -20)) : whole(value)
      return [whole(id), ...rest.slice(0, -1).map(whole), shown]
    }),
  }
}
