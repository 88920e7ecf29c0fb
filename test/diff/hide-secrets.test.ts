import { describe, expect, test } from 'vitest'
import { formatDiff } from '../../src/report/tree-change/format-diff.ts'
import { compareTexts, type Texts } from './compare-texts.ts'

const path = 'clusters/a/one/addons/01-cni/x.yaml'
const file = (text: string): Texts => ({ [path]: text })
const deployment = (container: string): Texts =>
  file(
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{name: c, ${container}}]}}}}`,
  )
const map = (data: string): Texts => file(`{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {${data}}}`)
const custom = (spec: string, kind = 'Thing'): Texts =>
  file(`{apiVersion: example.com/v1, kind: ${kind}, metadata: {name: x}, spec: {${spec}}}`)

/** The lines about fields. */
function linesOf(before: Texts, after: Texts): readonly string[] {
  return formatDiff({ before: 'a', after: 'b', change: compareTexts(before, after) }, 'all')
    .split('\n')
    .flatMap((line) => (line.startsWith('      ') ? [line.slice(6)] : []))
}

/** Two secrets of one kind; joined here so that no scanner takes them for real ones. */
const tokens: readonly (readonly [string, string])[] = [
  ['ghp', '_'],
  ['github', '_pat_'],
  ['glpat', '-'],
  ['xoxb', '-'],
  ['xoxp', '-'],
].map(([a = '', b = '']) => [`${a}${b}1111aaaaBBBB2222cccc`, `${a}${b}3333aaaaBBBB4444cccc`] as const)

describe('is never shown:', () => {
  const [one, two] = ['hunter2aaa', 'hunter3bbb']
  test.each([
    {
      what: 'the word behind a flag',
      make: (secret: string) => deployment(`args: [--level, info, --token, ${secret}]`),
      shown: [
        'spec.template.spec.containers[name=c].args: changed (hidden)',
        'spec.template.spec.containers[name=c].args: changed (hidden)',
      ],
    },
    {
      what: 'the value of a flag',
      make: (secret: string) => deployment(`args: ["--password=${secret}", "--level=info"]`),
      shown: [
        'spec.template.spec.containers[name=c].args: - --password=********',
        'spec.template.spec.containers[name=c].args: + --password=********',
      ],
    },
    {
      what: 'the value of a short flag',
      make: (secret: string) => deployment(`command: [mysqldump, -p${secret}, -hdb]`),
      shown: [
        'spec.template.spec.containers[name=c].command: - -p********',
        'spec.template.spec.containers[name=c].command: + -p********',
      ],
    },
    {
      what: 'the password of a user in a command',
      make: (secret: string) => deployment(`command: [curl, -u, "me:${secret}", x]`),
      shown: [
        'spec.template.spec.containers[name=c].command: - me:********',
        'spec.template.spec.containers[name=c].command: + me:********',
      ],
    },
    {
      what: 'the password of a user in a line of a shell',
      make: (secret: string) => map(`"run.sh": "curl -u me:${secret} https://x"`),
      shown: ['data["run.sh"]: changed (hidden)'],
    },
    {
      what: 'words of a list that was not there',
      make: (secret: string) => deployment(secret === one ? 'image: x' : `image: x, args: [--api-key, ${secret}]`),
      shown: ['spec.template.spec.containers[name=c].args: + ["--api-key","********"]'],
    },
    {
      what: 'a variable that is told apart by its value',
      make: (secret: string) =>
        custom(`extraArgs: [{name: token, value: ${secret}}, {name: token, value: other-word-1}]`),
      shown: [
        'spec.extraArgs[token/********]: - {"name":"token","value":"********"}',
        'spec.extraArgs[token/********]: + {"name":"token","value":"********"}',
      ],
    },
    {
      what: 'the private member of a key as JSON has them, alone',
      make: (secret: string) => custom(`jwk: {kty: EC, kid: a, d: ${`${secret}AB12`.repeat(4)}}`),
      shown: ['spec.jwk.d: changed (hidden)'],
    },
    {
      what: 'the private members of a key that was not there',
      make: (secret: string) => custom(secret === one ? 'a: b' : `a: b, jwk: {kty: oct, kid: a, k: ${secret}}`),
      shown: ['spec.jwk: + {"k":"********","kid":"a","kty":"oct"}'],
    },
    {
      what: 'an entry of a ConfigMap with the name of a secret',
      make: (secret: string) => map(`userPassword: ${secret}, DB_PASS_MAIN: ${secret}, id_rsa: ${secret}`),
      shown: [
        'data.DB_PASS_MAIN: changed (hidden)',
        'data.id_rsa: changed (hidden)',
        'data.userPassword: changed (hidden)',
      ],
    },
    {
      what: 'the login of a registry in any kind',
      make: (secret: string) =>
        custom(`files: {".dockerconfigjson": "{\\"auths\\":{\\"x\\":{\\"auth\\":\\"${secret}\\"}}}"}`),
      shown: ['spec.files[".dockerconfigjson"]: changed (hidden)'],
    },
    {
      what: 'the default of a variable',
      make: (secret: string) =>
        custom(`variables: [{name: adminPassword, schema: {openAPIV3Schema: {default: ${secret}}}}]`),
      shown: ['spec.variables[name=adminPassword].schema.openAPIV3Schema.default: changed (hidden)'],
    },
    {
      what: 'a number',
      make: (secret: string) => custom(`pin: {password: ${secret === one ? '1234' : '5678'}}`),
      shown: ['spec.pin.password: changed (hidden)'],
    },
    {
      what: 'a line of a text',
      make: (secret: string) => map(`file: "level = ${secret === one ? 'a' : 'b'}\\npassword = ${secret}\\n"`),
      shown: [
        'data.file:',
        '  - level = a',
        '  + level = b',
        '    password = ********',
        '  lines with secrets: changed (hidden)',
      ],
    },
  ])('$what', ({ make, shown }) => {
    expect(linesOf(make(one), make(two))).toEqual(shown)
    const { facts, groups, changes } = compareTexts(make(one), make(two))
    expect(JSON.stringify({ facts, groups, fields: changes.map(({ fields }) => fields) })).not.toMatch(
      /hunter|1234|5678/,
    )
  })

  test.each(tokens)('a token that is known by its beginning, %#', (before, after) => {
    expect(linesOf(map(`note: "use ${before} here"`), map(`note: "use ${after} here"`))).toEqual([
      'data.note: changed (hidden)',
    ])
  })

  test('a JSON Web Token, and a key of AWS', () => {
    const jwt = (body: string): string => ['eyJhbGciOiJIUzI1NiJ9', `eyJ${body}iOiJ4In0`, 'c2lnbmF0dXJl'].join('.')
    expect(linesOf(map(`note: ${jwt('zdW')}`), map(`note: ${jwt('uYW')}`))).toEqual(['data.note: changed (hidden)'])
    expect(linesOf(map(`note: AKIA${'A'.repeat(16)}`), map(`note: AKIA${'B'.repeat(16)}`))).toEqual([
      'data.note: changed (hidden)',
    ])
  })
})

describe('is no secret:', () => {
  test.each([
    {
      what: 'where the access to a cluster lies',
      before: custom('kubeConfig: {secretRef: {name: one, key: value}}'),
      after: custom('kubeConfig: {secretRef: {name: two, key: data}}'),
      shown: ['spec.kubeConfig.secretRef.key: value -> data', 'spec.kubeConfig.secretRef.name: one -> two'],
    },
    {
      what: 'a reference that is new',
      before: custom('a: 1'),
      after: custom('a: 1, kubeConfig: {secretRef: {name: two, key: data}}'),
      shown: ['spec.kubeConfig: + {"secretRef":{"key":"data","name":"two"}}'],
    },
    {
      what: 'where generators find theirs',
      before: custom(
        'generators: [{pullRequest: {github: {tokenRef: {secretName: a, key: token}}}}]',
        'ApplicationSet',
      ),
      after: custom('generators: [{pullRequest: {github: {tokenRef: {secretName: b, key: pat}}}}]', 'ApplicationSet'),
      shown: [
        'spec.generators[0].pullRequest.github.tokenRef.key: token -> pat',
        'spec.generators[0].pullRequest.github.tokenRef.secretName: a -> b',
      ],
    },
    {
      what: 'the key of a label',
      before: custom('tolerations: [{key: one}], matchExpressions: [{key: a, operator: Exists}]'),
      after: custom('tolerations: [{key: two}], matchExpressions: [{key: b, operator: Exists}]'),
      shown: [
        'spec.matchExpressions[key=a]: - {"key":"a","operator":"Exists"}',
        'spec.matchExpressions[key=b]: + {"key":"b","operator":"Exists"}',
        'spec.tolerations[key=one]: - {"key":"one"}',
        'spec.tolerations[key=two]: + {"key":"two"}',
      ],
    },
    {
      what: 'a flag that names a file, a port or a user',
      before: deployment('args: [--token-file, /a, -port, "80"]'),
      after: deployment('args: [-u, "1000:1000", -p, "8080:80"]'),
      shown: ['--token-file', '/a', '-port', '80', '-u', '1000:1000', '-p', '8080:80'].map(
        (word, index) => `spec.template.spec.containers[name=c].args: ${index < 4 ? '-' : '+'} ${word}`,
      ),
    },
  ])('$what', ({ before, after, shown }) => {
    expect(linesOf(before, after)).toEqual(shown)
  })
})
