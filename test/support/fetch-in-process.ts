import { Secret } from '../../src/model/secret.ts'
import { createNodeGit } from '../../src/system/node-git.ts'

// For tests that need other processes: fetches each ref of `url` into `folder`, one after the other, and prints the commits.
const [url = '', folder = '', ...refs] = process.argv.slice(2)
const value = process.env['TEST_AUTHORIZATION']
const authorization = value === undefined ? undefined : new Secret(value)
delete process.env['TEST_AUTHORIZATION']
if (process.env['STACKMASON_READY'] !== undefined) process.stdout.write('ready\n')
const git = createNodeGit()
for (const ref of refs) {
  const remote = { url, timeout: 60_000, ...(authorization !== undefined && { authorization }) }
  process.stdout.write(`${await git.fetch(remote, ref, folder)}\n`)
}
