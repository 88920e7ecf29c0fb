import { describe, expect, test } from 'vitest'
import { environmentRepository } from '../../../src/network/registry/environment-repository.ts'
import {
  apiHost,
  canonicalName,
  formatName,
  formatReference,
  isDigest,
  isTag,
  parseRepository,
} from '../../../src/network/registry/repository-name.ts'

const noHost = 'it does not begin with the host of a registry, such as registry.example'
const noPath = 'the path of the repository is missing after the host'
const badPath =
  'after the host a path follows, of lower-case letters, digits and single . _ - between them, without tag or digest'

describe('a repository', () => {
  const cases: readonly { readonly input: string; readonly want: readonly [string, string] | string }[] = [
    { input: 'registry.example/kaas/cluster-stacks', want: ['registry.example', 'kaas/cluster-stacks'] },
    { input: 'oci://registry.example:5000/a', want: ['registry.example:5000', 'a'] },
    { input: 'localhost/a', want: ['localhost', 'a'] },
    { input: 'registry/a/b', want: ['registry', 'a/b'] },
    { input: '[::1]:5000/a', want: ['[::1]:5000', 'a'] },
    { input: 'registry.example/a/', want: ['registry.example', 'a'] },
    { input: 'registry.example/a__b/c--d/e.f_g', want: ['registry.example', 'a__b/c--d/e.f_g'] },
    { input: '', want: noHost },
    { input: 'registry.example', want: noPath },
    { input: 'user@registry.example/a', want: noHost },
    { input: 'user:password@registry.example/a', want: noHost },
    { input: 'registry.example:99999/a', want: noHost },
    { input: '-registry/a', want: noHost },
    { input: 'registry.example/a:tag', want: badPath },
    { input: 'registry.example/a@sha256:00', want: badPath },
    { input: 'registry.example/../a', want: badPath },
    { input: 'registry.example/A', want: badPath },
    { input: 'registry.example//a', want: badPath },
    { input: 'registry.example/a?b', want: badPath },
    { input: `registry.example/${'a'.repeat(256)}`, want: badPath },
  ]
  test.each(cases)('$input', ({ input, want }) => {
    const outcome = parseRepository(input)
    expect('value' in outcome ? [outcome.value.host, outcome.value.repository] : outcome.reason).toEqual(want)
  })
})

describe('the environment', () => {
  const cases: readonly {
    readonly name: string
    readonly registry?: string
    readonly repository?: string
    readonly want: readonly [string, string] | string
  }[] = [
    {
      name: 'as the operator wants it',
      registry: 'registry.example',
      repository: 'registry.example/kaas/stacks',
      want: ['registry.example', 'kaas/stacks'],
    },
    {
      name: 'as the build scripts want it',
      registry: 'registry.example',
      repository: 'kaas/stacks',
      want: ['registry.example', 'kaas/stacks'],
    },
    {
      name: 'the host in the repository only',
      repository: 'registry.example/kaas/stacks',
      want: ['registry.example', 'kaas/stacks'],
    },
    { name: 'a port', registry: 'localhost:5000', repository: 'localhost:5000/a', want: ['localhost:5000', 'a'] },
    {
      name: 'a path beside the host',
      registry: 'registry.example/kaas',
      repository: 'stacks',
      want: ['registry.example', 'kaas/stacks'],
    },
    {
      name: 'schemes and slashes',
      registry: 'https://registry.example/',
      repository: 'oci://registry.example/a/',
      want: ['registry.example', 'a'],
    },
    {
      name: 'a first part with a dot is a host only when more follows',
      registry: 'registry.example',
      repository: 'stacks.v1',
      want: ['registry.example', 'stacks.v1'],
    },
    { name: 'nothing', want: 'OCI_REPOSITORY is not set' },
    { name: 'the registry alone', registry: 'registry.example', want: 'OCI_REPOSITORY is not set' },
    {
      name: 'no host at all',
      repository: 'kaas/stacks',
      want: 'OCI_REGISTRY is not set, and OCI_REPOSITORY names no host',
    },
    {
      name: 'two hosts',
      registry: 'a.example',
      repository: 'b.example/x',
      want: 'OCI_REGISTRY names a.example, and OCI_REPOSITORY names b.example',
    },
    { name: 'a tag', registry: 'a.example', repository: 'x:v1', want: badPath },
  ]
  test.each(cases)('$name', ({ registry, repository, want }) => {
    const variables = new Map([
      ['OCI_REGISTRY', registry],
      ['OCI_REPOSITORY', repository],
    ])
    const outcome = environmentRepository({ get: (name) => variables.get(name) })
    expect('value' in outcome ? [outcome.value.host, outcome.value.repository] : outcome.reason).toEqual(want)
  })
})

test('Docker Hub has one name for signatures and another for its API', () => {
  const names = [
    ['docker.io', 'alpine'],
    ['registry-1.docker.io', 'bitnamicharts/nginx'],
    ['registry.example', 'alpine'],
  ] as const
  const shown = names.map(([host, repository]) => {
    const canonical = canonicalName({ host, repository })
    return [formatName(canonical), apiHost(canonical)]
  })
  expect(shown).toEqual([
    ['index.docker.io/library/alpine', 'registry-1.docker.io'],
    ['index.docker.io/bitnamicharts/nginx', 'registry-1.docker.io'],
    ['registry.example/alpine', 'registry.example'],
  ])
})

test('tags and digests are told apart, and anything else is neither', () => {
  const digest = `sha256:${'0a'.repeat(32)}`
  const texts = [
    'v1',
    'openstack-scs2-1-34-v2',
    '_x',
    digest,
    digest.toUpperCase(),
    'sha512:00',
    '',
    '..',
    'a/b',
    '-a',
    'a b',
    'x'.repeat(129),
  ]
  expect(texts.filter(isTag)).toEqual(['v1', 'openstack-scs2-1-34-v2', '_x'])
  expect(texts.filter(isDigest)).toEqual([digest])
  const name = { host: 'registry.example', repository: 'a' }
  expect(formatReference(name, 'v1')).toBe('registry.example/a:v1')
  expect(formatReference(name, digest)).toBe(`registry.example/a@${digest}`)
})
