import { expect, test } from 'vitest'
import { parseChallenges } from '../../../src/network/registry/challenge.ts'

const cases: readonly { readonly name: string; readonly input: string; readonly want: readonly unknown[] }[] = [
  { name: 'nothing', input: '', want: [] },
  {
    name: 'bearer as the Docker registry writes it',
    input:
      'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:kaas/stacks:pull,push"',
    want: [
      [
        'bearer',
        { realm: 'https://auth.example/token', service: 'registry.example', scope: 'repository:kaas/stacks:pull,push' },
      ],
    ],
  },
  { name: 'basic', input: 'Basic realm="Registry Realm"', want: [['basic', { realm: 'Registry Realm' }]] },
  { name: 'a scheme without parameters', input: 'Negotiate', want: [['negotiate', {}]] },
  {
    name: 'several in one header',
    input: 'Basic realm="a, b", Bearer realm="https://x/t", service=s , Digest',
    want: [
      ['basic', { realm: 'a, b' }],
      ['bearer', { realm: 'https://x/t', service: 's' }],
      ['digest', {}],
    ],
  },
  {
    name: 'token68 before another scheme',
    input: 'Negotiate YWJj==, Basic realm="x"',
    want: [
      ['negotiate', {}],
      ['basic', { realm: 'x' }],
    ],
  },
  {
    name: 'names in any case',
    input: 'BEARER Realm="r",SERVICE="s"',
    want: [['bearer', { realm: 'r', service: 's' }]],
  },
  {
    name: 'escapes in quotes, also a quote and a comma',
    input: String.raw`Bearer realm="a\"b\\c",service="d,e=f"`,
    want: [['bearer', { realm: String.raw`a"b\c`, service: 'd,e=f' }]],
  },
  {
    name: 'space around the equals sign',
    input: 'Bearer realm = "r" , service\t=s',
    want: [['bearer', { realm: 'r', service: 's' }]],
  },
  { name: 'of equal names the first', input: 'Bearer realm="a",realm="b"', want: [['bearer', { realm: 'a' }]] },
  { name: 'empty elements of the list', input: ', ,Basic realm="x",,', want: [['basic', { realm: 'x' }]] },
  { name: 'a quote that is never closed', input: 'Bearer realm="https://x', want: [['bearer', {}]] },
  { name: 'a parameter before any scheme', input: 'realm="x", Basic realm="y"', want: [['basic', { realm: 'y' }]] },
  { name: 'garbage', input: '"""', want: [] },
  {
    name: 'names of the prototype',
    input: 'Bearer __proto__="x",constructor=y',
    want: [
      [
        'bearer',
        Object.fromEntries([
          ['__proto__', 'x'],
          ['constructor', 'y'],
        ]),
      ],
    ],
  },
]

test.each(cases)('$name', ({ input, want }) => {
  const challenges = parseChallenges(input)
  expect(challenges.map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])).toEqual(want)
})
