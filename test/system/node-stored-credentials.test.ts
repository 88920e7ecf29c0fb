import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { askCredentialHelper } from '../../src/system/node-stored-credentials.ts'
import { tempFolder } from '../support/temp-folder.ts'

const path = process.env['PATH'] ?? ''

afterEach(() => {
  process.env['PATH'] = path
})

/** Puts a real program on PATH: a shell script of these lines. */
async function install(lines: string): Promise<string> {
  const folder = await tempFolder()
  const file = join(folder, 'docker-credential-test.helper_1')
  writeFileSync(file, `#!/bin/sh\n${lines}\n`)
  chmodSync(file, 0o755)
  process.env['PATH'] = `${folder}${delimiter}${path}`
  return folder
}

const name = 'test.helper_1'

describe('askCredentialHelper', () => {
  test('gives what the helper has for the server', async () => {
    await install(
      `read -r server; [ "$1" = get ] && printf '{"ServerURL":"%s","Username":"me","Secret":"for %s"}' "$server" "$server"`,
    )
    const found = await askCredentialHelper(name, 'registry.example:5000')
    expect([found?.username, found?.secret.reveal()]).toEqual(['me', 'for registry.example:5000'])
    expect(inspect(found, { showHidden: true, depth: 10 }) + JSON.stringify(found)).not.toContain('for ')
  })

  test('knows when the helper has nothing', async () => {
    await install(`echo 'credentials not found in native keychain'; exit 1`)
    expect(await askCredentialHelper(name, 'registry.example')).toBeUndefined()
  })

  test('gets along with a helper that reads nothing', async () => {
    await install(`exec <&-; printf '{"Username":"me","Secret":"x"}'`)
    expect((await askCredentialHelper(name, 'x'.repeat(200_000)))?.username).toBe('me')
  })

  test.each([
    { name: 'fails', lines: 'echo hunter2; echo hunter2 >&2; exit 3', want: 'ended with status 3' },
    { name: 'is killed', lines: 'kill -9 $$', want: 'ended with status SIGKILL' },
    { name: 'prints nothing', lines: 'true', want: 'did not answer with credentials in JSON' },
    { name: 'prints text', lines: 'echo hunter2', want: 'did not answer with credentials in JSON' },
    { name: 'prints other JSON', lines: `echo '["hunter2"]'`, want: 'did not answer with credentials in JSON' },
    { name: 'prints null', lines: 'echo null', want: 'did not answer with credentials in JSON' },
    {
      name: 'prints a number for a secret',
      lines: `echo '{"Username":"hunter2","Secret":7}'`,
      want: 'did not answer with credentials in JSON',
    },
    { name: 'prints without end', lines: 'while :; do echo hunter2; done', want: 'wrote more than 1048576 bytes' },
    { name: 'hangs', lines: 'sleep 60', timeout: 200, want: 'did not answer within 0.2 s' },
  ])('tells of a helper that $name', async ({ lines, timeout, want }) => {
    await install(lines)
    const error: unknown = await askCredentialHelper(name, 'registry.example', timeout).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toEqual(new Error(`docker-credential-${name} ${want}`))
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2')
  })

  test('tells of a helper that is not installed', async () => {
    await expect(askCredentialHelper('not-here', 'registry.example')).rejects.toThrow(
      'docker-credential-not-here is not installed',
    )
  })

  test('tells of a helper that may not be run', async () => {
    chmodSync(join(await install('true'), `docker-credential-${name}`), 0o644)
    await expect(askCredentialHelper(name, 'registry.example')).rejects.toThrow(
      `docker-credential-${name} cannot be run`,
    )
  })

  test.each(['../evil', 'a b', 'a;b', '', 'a/b', '$(id)'])('runs nothing called %j', async (helper) => {
    await expect(askCredentialHelper(helper, 'registry.example')).rejects.toThrow(
      `${JSON.stringify(helper)} is not the name of a helper`,
    )
  })

  test('asks for no server of several lines', async () => {
    await expect(askCredentialHelper(name, 'a\nb')).rejects.toThrow(
      'a server with control characters in its name has no credentials',
    )
  })
})
