import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { CredentialHelpers } from '../../../src/model/credentials.ts'
import { FileError } from '../../../src/model/ports.ts'
import { Secret } from '../../../src/model/secret.ts'
import { authorizationOf } from '../../../src/network/credentials/authorization.ts'
import { findCredentials, type CredentialRequest } from '../../../src/network/credentials/find-credentials.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { memoryFiles } from '../../support/memory-files.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const at = { source: { name: 'stackmason.yaml', text: 'x' }, start: 0, end: 1 }
const docker = '/home/me/.docker/config.json'
const podman = '/run/user/1/containers/auth.json'
const home = { HOME: '/home/me', XDG_RUNTIME_DIR: '/run/user/1' }

interface Case {
  readonly name: string
  readonly request?: Partial<CredentialRequest>
  readonly variables?: Readonly<Record<string, string>>
  /** Path to JSON, or to text as it is. */
  readonly files?: Readonly<Record<string, object | string>>
  /** `helper server` to user and secret. */
  readonly helpers?: Readonly<Record<string, readonly [string, string] | Error>>
}

interface Finding extends Case {
  /** `basic user password`, `bearer token`, `identityToken token`, or nothing. */
  readonly want: string | undefined
}

interface Problem extends Case {
  readonly want: { readonly message: string; readonly hint: string; readonly file?: string }
}

/** Finds, and notes what helpers were asked. */
function find({ request, variables = {}, files = {}, helpers = {} }: Case): {
  readonly found: ReturnType<typeof findCredentials>
  readonly asked: readonly string[]
} {
  const environment = new Map(Object.entries(variables))
  const texts = Object.entries(files).map(
    ([path, content]) => [path, typeof content === 'string' ? content : JSON.stringify(content)] as const,
  )
  const asked: string[] = []
  const get: CredentialHelpers['get'] = async (helper, server) => {
    asked.push(`${helper} ${server}`)
    const answer = new Map(Object.entries(helpers)).get(`${helper} ${server}`)
    if (answer instanceof Error) throw answer
    return answer === undefined ? undefined : { username: answer[0], secret: new Secret(answer[1]) }
  }
  const found = findCredentials(
    { host: 'registry.example', kind: 'registry', at, ...request },
    {
      environment: { get: (name) => environment.get(name) },
      files: memoryFiles(new Map(texts)),
      credentialHelpers: { get },
    },
  )
  return { found, asked }
}

async function shownFinding(row: Case): Promise<string | undefined> {
  const found = await find(row).found
  if (found === undefined) return undefined
  return found.type === 'basic'
    ? `basic ${found.username} ${found.password.reveal()}`
    : `${found.type} ${found.token.reveal()}`
}

function auths(entries: Readonly<Record<string, object>>): object {
  return { auths: entries }
}

const entry = { auth: base64('me:hunter2') }

describe('findCredentials', () => {
  const findings: readonly Finding[] = [
    { name: 'nothing', want: undefined },
    { name: 'nothing, with a home', variables: home, want: undefined },
    // what the fleet names
    {
      name: 'a token',
      request: { variables: { token: 'MY_TOKEN' } },
      variables: { MY_TOKEN: ' hunter2\n' },
      want: 'bearer hunter2',
    },
    {
      name: 'user and password',
      request: { variables: { username: 'U', password: 'P' } },
      variables: { U: 'me', P: 'pass word:hunter2' },
      want: 'basic me pass word:hunter2',
    },
    {
      name: 'what the fleet names goes before all else',
      request: { variables: { token: 'MY_TOKEN' } },
      variables: { ...home, MY_TOKEN: 'mine', OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'theirs' },
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: 'bearer mine',
    },
    ...(['git', 'http', 'helm', 'github'] as const).map((kind) => ({
      name: `what the fleet names, for ${kind}`,
      request: { kind, variables: { token: 'MY_TOKEN' } },
      variables: { MY_TOKEN: 'mine' },
      want: 'bearer mine',
    })),
    // what the environment allows of that
    ...[
      { host: 'registry.example', list: 'registry.example=MY_TOKEN' },
      { host: 'registry.example:443', list: 'other.example=MY_TOKEN,\n Registry.Example.=MY_TOKEN ' },
      { host: 'localhost:5000', list: 'localhost:5000=OTHER localhost:5000=MY_TOKEN' },
      { host: 'registry.example', reached: 'http' as const, list: 'registry.example:80=MY_TOKEN' },
    ].flatMap(({ list, ...server }) =>
      [{}, { GITHUB_HEAD_REF: 'feature' }].map((run) => ({
        name: `what ${JSON.stringify(list)} allows for ${server.host} ${Object.keys(run).join()}`,
        request: { ...server, variables: { token: 'MY_TOKEN' } },
        variables: { ...run, MY_TOKEN: 'mine', STACKMASON_ALLOWED_CREDENTIALS: list },
        want: 'bearer mine',
      })),
    ),
    {
      name: 'a run of CI that is for no pull request',
      request: { variables: { token: 'MY_TOKEN' } },
      variables: {
        MY_TOKEN: 'mine',
        CI: 'true',
        GITHUB_HEAD_REF: '',
        BUILDKITE_PULL_REQUEST: 'false',
        STACKMASON_ALLOWED_CREDENTIALS: ' ',
      },
      want: 'bearer mine',
    },
    {
      name: 'what the machine has for the host, in a run for a pull request',
      variables: { ...home, GITHUB_HEAD_REF: 'feature', STACKMASON_ALLOWED_CREDENTIALS: 'other.example=MY_TOKEN' },
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    // the operator's variables
    {
      name: 'OCI_ACCESS_TOKEN is sent encoded',
      variables: { OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'hunter2' },
      want: `bearer ${base64('hunter2')}`,
    },
    {
      name: 'OCI_USERNAME and OCI_PASSWORD',
      variables: { OCI_REGISTRY: 'Registry.Example', OCI_USERNAME: 'me', OCI_PASSWORD: 'hunter2' },
      want: 'basic me hunter2',
    },
    {
      name: 'the host of OCI_REPOSITORY',
      variables: { OCI_REPOSITORY: 'registry.example/kaas/stacks', OCI_USERNAME: 'me', OCI_PASSWORD: 'hunter2' },
      want: 'basic me hunter2',
    },
    {
      name: 'OCI_REPOSITORY without a host',
      request: { host: 'kaas' },
      variables: { OCI_REPOSITORY: 'kaas/stacks', OCI_USERNAME: 'me', OCI_PASSWORD: 'hunter2' },
      want: undefined,
    },
    {
      name: 'OCI_REGISTRY with scheme and port',
      request: { host: 'localhost:5000' },
      variables: { OCI_REGISTRY: 'http://localhost:5000', OCI_ACCESS_TOKEN: 'a' },
      want: 'bearer YQ==',
    },
    {
      name: 'OCI_REGISTRY with the default port',
      request: { host: 'Registry.example' },
      variables: { OCI_REGISTRY: 'registry.example:443', OCI_ACCESS_TOKEN: 'a' },
      want: 'bearer YQ==',
    },
    {
      name: 'the default port of http',
      request: { host: 'registry.example:80', reached: 'http' },
      variables: { OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'a' },
      want: 'bearer YQ==',
    },
    {
      name: 'the port of http where TLS is used',
      request: { host: 'registry.example:80' },
      variables: { OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'a' },
      want: undefined,
    },
    {
      name: 'a stored entry, asked with the default port',
      request: { host: 'registry.example:0443' },
      variables: home,
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: 'a stored entry with the default port',
      variables: home,
      files: { [docker]: auths({ 'registry.example:443': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: 'the entry that is spelled alike goes first',
      request: { host: 'registry.example:443' },
      variables: home,
      files: {
        [docker]: auths({ 'registry.example': { auth: base64('me:other') }, 'registry.example:443': entry }),
      },
      want: 'basic me hunter2',
    },
    {
      name: 'another host than OCI_REGISTRY',
      request: { host: 'registry.example:5000' },
      variables: { OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'hunter2' },
      want: undefined,
    },
    {
      name: 'no registry',
      request: { kind: 'helm' },
      variables: { ...home, OCI_REGISTRY: 'registry.example', OCI_ACCESS_TOKEN: 'hunter2' },
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: undefined,
    },
    // GitHub
    ...['github.com', 'api.github.com'].map((host) => ({
      name: host,
      request: { kind: 'github' as const, host },
      variables: { GH_TOKEN: 'c', GITHUB_TOKEN: 'b', GIT_ACCESS_TOKEN: 'a' },
      want: 'bearer a',
    })),
    {
      name: 'GITHUB_TOKEN',
      request: { kind: 'github', host: 'api.github.com' },
      variables: { GH_TOKEN: 'c', GITHUB_TOKEN: 'b', GIT_ACCESS_TOKEN: '' },
      want: 'bearer b',
    },
    {
      name: 'GH_TOKEN',
      request: { kind: 'github', host: 'api.github.com' },
      variables: { GH_TOKEN: 'c' },
      want: 'bearer c',
    },
    {
      name: 'GITHUB_TOKEN of GitHub Actions',
      request: { kind: 'github', host: 'api.github.com' },
      variables: { GITHUB_TOKEN: 'b', GITHUB_SERVER_URL: 'https://github.com' },
      want: 'bearer b',
    },
    {
      name: 'github.com is not shown the token of another forge',
      request: { kind: 'github', host: 'api.github.com' },
      variables: { GITHUB_TOKEN: 'b', GITHUB_SERVER_URL: 'https://forge.example' },
      want: undefined,
    },
    {
      name: 'github.com is shown its own token on another forge',
      request: { kind: 'github', host: 'api.github.com' },
      variables: { GH_TOKEN: 'c', GITHUB_TOKEN: 'b', GITHUB_SERVER_URL: 'https://forge.example' },
      want: 'bearer c',
    },
    {
      name: 'another GitHub server is not shown the tokens',
      request: { kind: 'github', host: 'github.example' },
      variables: { GH_TOKEN: 'c', GITHUB_TOKEN: 'b', GIT_ACCESS_TOKEN: 'a' },
      want: undefined,
    },
    {
      name: 'git on github.com is not',
      request: { kind: 'git', host: 'github.com' },
      variables: { GITHUB_TOKEN: 'b' },
      want: undefined,
    },
    // files
    {
      name: "Docker's file",
      variables: home,
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: "Docker's file at DOCKER_CONFIG",
      variables: { ...home, DOCKER_CONFIG: '/etc/docker' },
      files: { '/etc/docker/config.json': auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: 'on Windows',
      variables: { USERPROFILE: 'C:\\Users\\me' },
      files: { 'C:/Users/me/.docker/config.json': auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: "Podman's file",
      variables: home,
      files: { [podman]: auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: "Podman's lasting file",
      variables: home,
      files: { '/home/me/.config/containers/auth.json': auths({ 'registry.example': entry }) },
      want: 'basic me hunter2',
    },
    {
      name: 'REGISTRY_AUTH_FILE goes before',
      variables: { ...home, REGISTRY_AUTH_FILE: '/a.json' },
      files: {
        '/a.json': auths({ 'registry.example': { auth: base64('first:x') } }),
        [docker]: auths({ 'registry.example': entry }),
      },
      want: 'basic first x',
    },
    {
      name: 'the next file when the first has nothing',
      variables: home,
      files: {
        [docker]: auths({ 'other.example': entry, 'registry.example': {} }),
        [podman]: auths({ 'registry.example': entry }),
      },
      want: 'basic me hunter2',
    },
    ...[
      'https://registry.example',
      'https://registry.example/v1/',
      'http://registry.example/v2/',
      'registry.example/v2/',
      'REGISTRY.example/',
    ].map((key) => ({
      name: `the key ${key}`,
      variables: home,
      files: { [docker]: auths({ 'other.example': {}, [key]: entry }) },
      want: 'basic me hunter2',
    })),
    {
      name: 'a port makes another registry',
      request: { host: 'registry.example:5000' },
      variables: home,
      files: { [docker]: auths({ 'registry.example': entry }) },
      want: undefined,
    },
    {
      name: 'the longest path',
      request: { repository: 'kaas/stacks/scs' },
      variables: home,
      files: {
        [podman]: auths({
          'registry.example': { auth: base64('host:x') },
          'registry.example/kaas': { auth: base64('kaas:x') },
          'registry.example/kaas/stacks': { auth: base64('stacks:x') },
          'registry.example/kaas/stacks/other': { auth: base64('other:x') },
        }),
      },
      want: 'basic stacks x',
    },
    {
      name: 'no part of a name',
      request: { repository: 'kaas-two/stacks' },
      variables: home,
      files: { [podman]: auths({ 'registry.example/kaas': entry }) },
      want: undefined,
    },
    ...['docker.io', 'index.docker.io', 'registry-1.docker.io'].map((host) => ({
      name: `Docker Hub as ${host}`,
      request: { host },
      variables: home,
      files: { [docker]: auths({ 'https://index.docker.io/v1/': entry }) },
      want: 'basic me hunter2',
    })),
    {
      name: 'an identity token',
      variables: home,
      files: { [docker]: auths({ 'registry.example': { ...entry, identitytoken: 'hunter2' } }) },
      want: 'identityToken hunter2',
    },
    {
      name: 'a registry token',
      variables: home,
      files: { [docker]: auths({ 'registry.example': { registrytoken: 'hunter2' } }) },
      want: 'bearer hunter2',
    },
    {
      name: 'user and password that are not encoded',
      variables: home,
      files: { [docker]: auths({ 'registry.example': { username: 'me', password: 'hunter2' } }) },
      want: 'basic me hunter2',
    },
    {
      name: 'a password with colons, other letters and zeros at its end',
      variables: home,
      files: { [docker]: auths({ 'registry.example': { auth: base64('me:a:ü:b\0\0') } }) },
      want: 'basic me a:ü:b',
    },
    ...[
      { auths: null },
      { auths: [] },
      { auths: { 'registry.example': 'text' } },
      { auths: { 'registry.example': { auth: 7, username: {}, password: [] } } },
      { credHelpers: 'x', credsStore: 7 },
      { credHelpers: { 'registry.example': ['x'] } },
    ].map((document) => ({
      name: `a file of another shape: ${JSON.stringify(document)}`,
      variables: home,
      files: { [docker]: document },
      want: undefined,
    })),
    ...['__proto__', 'constructor', 'toString'].map((host) => ({
      name: `a host called ${host}`,
      request: { host },
      variables: home,
      files: { [docker]: '{"auths":{},"credHelpers":{}}' },
      want: undefined,
    })),
    {
      name: 'an entry called __proto__',
      variables: home,
      files: { [docker]: `{"auths":{"__proto__":{"registry.example":{"auth":"${entry.auth}"}}}}` },
      want: undefined,
    },
    // helpers
    {
      name: 'the helper of the registry',
      variables: home,
      files: { [docker]: { credHelpers: { 'registry.example': 'ecr-login' }, credsStore: 'desktop' } },
      helpers: { 'ecr-login registry.example': ['AWS', 'hunter2'] },
      want: 'basic AWS hunter2',
    },
    {
      name: 'the helper for all',
      variables: home,
      files: { [docker]: { auths: { 'registry.example': {} }, credsStore: 'desktop' } },
      helpers: { 'desktop registry.example': ['me', 'hunter2'] },
      want: 'basic me hunter2',
    },
    {
      name: 'a token of a helper',
      variables: home,
      files: { [docker]: { credsStore: 'desktop' } },
      helpers: { 'desktop registry.example': ['<token>', 'hunter2'] },
      want: 'identityToken hunter2',
    },
    {
      name: 'Docker Hub by a helper',
      request: { host: 'docker.io' },
      variables: home,
      files: { [docker]: { credsStore: 'desktop' } },
      helpers: { 'desktop https://index.docker.io/v1/': ['me', 'hunter2'] },
      want: 'basic me hunter2',
    },
    {
      name: 'a helper that has nothing, and the file that has',
      variables: home,
      files: { [docker]: { auths: { 'registry.example': entry }, credsStore: 'desktop' } },
      want: 'basic me hunter2',
    },
    {
      name: 'a helper that has nothing but an empty secret',
      variables: home,
      files: { [docker]: { credsStore: 'desktop' } },
      helpers: { 'desktop registry.example': ['', ''] },
      want: undefined,
    },
  ]

  test.each(findings)('$name', async (row) => {
    expect(await shownFinding(row)).toBe(row.want)
  })

  const repair =
    'Install or repair the helper, or take it out of the file, which names it under credHelpers or credsStore.'

  const problems: readonly Problem[] = [
    {
      name: 'a variable that is not set',
      request: { variables: { token: 'MY_TOKEN' } },
      want: {
        message: 'the variable MY_TOKEN, which the fleet names for credentials, is not set',
        hint: 'Set MY_TOKEN, or take it out of `credentialsFrom` when the server needs no credentials.',
      },
    },
    {
      name: 'a variable that is empty',
      request: { variables: { username: 'U', password: 'P' } },
      variables: { U: 'me', P: ' \n' },
      want: {
        message: 'the variable P, which the fleet names for credentials, is empty',
        hint: 'Set P, or take it out of `credentialsFrom` when the server needs no credentials.',
      },
    },
    {
      name: 'a variable of several lines',
      request: { variables: { token: 'MY_TOKEN' } },
      variables: { MY_TOKEN: 'hunter2\r\nx-evil: 1' },
      want: {
        message: 'the variable MY_TOKEN holds line breaks or control characters, which no server takes in credentials',
        hint: 'Set MY_TOKEN to the token or password alone.',
      },
    },
    ...['registry', 'git', 'http', 'helm', 'github'].flatMap((kind) =>
      [
        { GITHUB_HEAD_REF: 'feature' },
        { CI_MERGE_REQUEST_IID: '7' },
        { CI_EXTERNAL_PULL_REQUEST_IID: '7' },
        { BITBUCKET_PR_ID: '7' },
        { SYSTEM_PULLREQUEST_PULLREQUESTID: '7' },
        { BUILDKITE_PULL_REQUEST: '7' },
        { CIRCLE_PULL_REQUEST: 'https://forge.example/a/b/pull/7' },
        { CHANGE_ID: '7' },
        { CI_COMMIT_PULL_REQUEST: '7' },
        { DRONE_PULL_REQUEST: '7' },
        { PULL_NUMBER: '7' },
      ].map((run) => ({
        name: `a run for a pull request, which names any variable: ${kind}, ${Object.keys(run).join()}`,
        request: {
          kind: kind as CredentialRequest['kind'],
          host: 'evil.example:8443',
          variables: { token: 'PUBLISH' },
        },
        variables: { ...run, PUBLISH: 'hunter2' },
        want: {
          message:
            'the variable PUBLISH is not sent to evil.example:8443: this run is for a pull request, which may name any host and variable',
          hint: 'If evil.example:8443 may have it, set STACKMASON_ALLOWED_CREDENTIALS to evil.example:8443=PUBLISH in the settings of CI; else find out who named it in the fleet.',
        },
      })),
    ),
    ...[
      'registry.example=P',
      'evil.example:8443=P',
      'evil.example=PP',
      'evil.example=',
      '=P',
      'P',
      'x.evil.example=P',
      'evil.example==P',
    ].map((list) => ({
      name: `a list without it: ${list}`,
      request: { host: 'evil.example', variables: { username: 'U', password: 'P' } },
      variables: { U: 'me', P: 'hunter2', STACKMASON_ALLOWED_CREDENTIALS: `evil.example=U ${list}` },
      want: {
        message:
          'the variable P is not sent to evil.example: STACKMASON_ALLOWED_CREDENTIALS does not list evil.example=P',
        hint: 'If evil.example may have it, add evil.example=P to STACKMASON_ALLOWED_CREDENTIALS in the settings of CI; else find out who named it in the fleet.',
      },
    })),
    {
      name: 'a user without a password',
      variables: { OCI_REGISTRY: 'registry.example', OCI_USERNAME: 'me' },
      want: {
        message: 'the variable OCI_USERNAME is set, but OCI_PASSWORD is not',
        hint: 'Set OCI_PASSWORD too, or unset OCI_USERNAME.',
      },
    },
    {
      name: 'a password without a user',
      variables: { OCI_REGISTRY: 'registry.example', OCI_PASSWORD: 'hunter2' },
      want: {
        message: 'the variable OCI_PASSWORD is set, but OCI_USERNAME is not',
        hint: 'Set OCI_USERNAME too, or unset OCI_PASSWORD.',
      },
    },
    {
      name: 'REGISTRY_AUTH_FILE names nothing',
      variables: { REGISTRY_AUTH_FILE: '/gone.json' },
      want: {
        message: 'the file with credentials for registries cannot be read: it is not there',
        hint: 'Check the variable REGISTRY_AUTH_FILE, which names it.',
        file: '/gone.json',
      },
    },
    ...['', '{', '[]', '"hunter2"', '{"auths":{"a":"hunter2"'].map((content) => ({
      name: `no JSON object: ${content}`,
      variables: home,
      files: { [docker]: content },
      want: {
        message: 'the file with credentials for registries is not a JSON object',
        hint: 'Repair or remove it, and log in again.',
        file: docker,
      },
    })),
    ...['hunter2!', base64('hunter2'), base64(':hunter2')].map((auth) => ({
      name: `a damaged entry: ${auth}`,
      variables: home,
      files: { [docker]: auths({ 'registry.example': { auth } }) },
      want: {
        message:
          'the entry for registry.example in the file with credentials cannot be read: "auth" is not user:password in base64',
        hint: 'Log in to registry.example again.',
        file: docker,
      },
    })),
    {
      name: 'a helper that fails',
      variables: home,
      files: { [docker]: { auths: { 'registry.example': entry }, credsStore: 'desktop' } },
      helpers: { 'desktop registry.example': new Error('docker-credential-desktop is not installed') },
      want: {
        message: 'the credential helper for registry.example failed: docker-credential-desktop is not installed',
        hint: repair,
        file: docker,
      },
    },
  ]

  test.each(problems)('$name', async (row) => {
    const { found } = find(row)
    const [diagnostic] = await diagnosticsOf(found)
    expect(diagnostic).toEqual({ code: 'FETCH_CREDENTIALS', severity: 'error', at, ...row.want })
    const error: unknown = await found.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StackmasonError)
    expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain('hunter2')
  })

  test('a file that may not be read', async () => {
    const found = findCredentials(
      { host: 'registry.example', kind: 'registry' },
      {
        environment: { get: (name) => (name === 'HOME' ? '/home/me' : undefined) },
        files: {
          ...memoryFiles(new Map()),
          read: async (path) => {
            throw new FileError('not-permitted', path)
          },
        },
        credentialHelpers: { get: async () => undefined },
      },
    )
    expect(await diagnosticsOf(found)).toEqual([
      {
        code: 'FETCH_CREDENTIALS',
        severity: 'error',
        message: 'the file with credentials for registries cannot be read: permission is denied',
        hint: 'Check its permissions, or name another folder with DOCKER_CONFIG.',
        file: docker,
      },
    ])
  })

  test('a helper is asked once, and only where a file names it', async () => {
    const both = { credHelpers: { 'registry.example': 'desktop', 'other.example': 'x' }, credsStore: 'desktop' }
    const { found, asked } = find({ name: '', variables: home, files: { [docker]: both } })
    expect(await found).toBeUndefined()
    expect(asked).toEqual(['desktop registry.example'])
  })
})

describe('authorizationOf', () => {
  test.each([
    [{ type: 'basic', username: 'Aladdin', password: new Secret('open sesame') }, 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    [{ type: 'basic', username: 'me', password: new Secret('ü') }, `Basic ${base64('me:ü')}`],
    [{ type: 'bearer', token: new Secret('abc') }, 'Bearer abc'],
    [{ type: 'identityToken', token: new Secret('abc') }, 'Bearer abc'],
  ] as const)('%o', (credentials, want) => {
    expect(authorizationOf(credentials).reveal()).toBe(want)
  })

  test('is a secret', () => {
    const header = authorizationOf({ type: 'bearer', token: new Secret('hunter2') })
    expect(
      [`${String(header)}`, JSON.stringify({ header }), inspect(header, { showHidden: true })].join(),
    ).not.toContain('hunter2')
  })
})
