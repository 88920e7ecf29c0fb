import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const tree = 'rendered/clusters/team-a/web/cluster'

/** Files that a render reads, and what it says when a pipe stands there; of its own records it needs none. */
const pipes: readonly (readonly [path: string, status: number, code: string])[] = [
  ['stackmason.yaml', 2, 'FILE_UNREADABLE'],
  ['stackmason.lock', 2, 'FILE_UNREADABLE'],
  ['stacks/starter.yaml', 2, 'FILE_UNREADABLE'],
  ['clusters/team-a/web/cluster.yaml', 2, 'FILE_UNREADABLE'],
  ['providers/docker/starter/csctl.yaml', 2, 'FILE_UNREADABLE'],
  ['providers/docker/starter/cluster-class/values.yaml', 2, 'FILE_UNREADABLE'],
  ['rendered/.stackmason/lock.json', 2, 'WRITE_BUSY'],
  ['rendered/.stackmason/journal.json', 0, ''],
  ['rendered/.stackmason/written.sha256', 0, ''],
  ['rendered/.stackmason-tree', 1, 'WRITE_NOT_OWNED'],
  [`${tree}/cluster-web.yaml`, 1, 'WRITE_NOT_OWNED'],
  [`${tree}/kustomization.yaml`, 1, 'WRITE_NOT_OWNED'],
]

describe('a pipe where a file is expected', () => {
  test.each(pipes)('%s: status %i %s, and no waiting', async (path, wanted, code) => {
    const cwd = await tempFolder()
    await runCli(['init', '.'], { cwd })
    await runCli(['render', '-q'], { cwd })
    await rm(join(cwd, path), { force: true })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(cwd, path)])
    const { status, stderr } = await runCli(['render', '-q'], { cwd })
    expect(status).toBe(wanted)
    expect(stderr).toContain(code)
  })
})

const CLUSTER = 'clusters/team-a/web/cluster.yaml'
const OWN_VALUES = 'clusters/team-a/web/values/welcome.yaml'
const PIPE = 'Put a plain file in its place: stackmason does not wait for what may come through a pipe.'
const LARGE =
  'Remove content that is not configuration, or split the file: no more is read of a file that people write.'

/** What lies where a file of the fleet is expected, and what the reader is told: why, and what to do. */
const inTheWay: readonly (readonly [name: string, path: string, make: string, reason: string, hint: string])[] = [
  ['a pipe', CLUSTER, 'mkfifo "$0"', 'it is a named pipe, not a file', PIPE],
  ['a pipe', OWN_VALUES, 'mkfifo "$0"', 'it is a named pipe, not a file', PIPE],
  ['a pipe', 'stackmason.yaml', 'mkfifo "$0"', 'it is a named pipe, not a file', PIPE],
  [
    'a socket',
    CLUSTER,
    'cd "$(dirname "$0")" && node -e "const s = net.createServer().listen(process.argv[1], () => process.exit())" "$(basename "$0")"',
    'it is a socket, not a file',
    'Put a plain file in its place, or remove it.',
  ],
  ['a file of 17 MiB', CLUSTER, 'truncate -s 17M "$0"', 'it is larger than 16 MiB', LARGE],
  ['a file of 8 GiB', OWN_VALUES, 'truncate -s 8G "$0"', 'it is larger than 16 MiB', LARGE],
  ['a file of 8 GiB', 'stackmason.yaml', 'truncate -s 8G "$0"', 'it is larger than 16 MiB', LARGE],
  ['a file of 8 GiB', 'stacks/starter.yaml', 'truncate -s 8G "$0"', 'it is larger than 16 MiB', LARGE],
  ['a loop of links', CLUSTER, 'ln -s "$0" "$0"', 'it is a link', 'Put the file itself in its place.'],
]

describe('in the place of a file of the fleet', () => {
  test.each(inTheWay)('%s at %s', async (_, path, make, reason, hint) => {
    const cwd = await tempFolder()
    await runCli(['init', '.'], { cwd })
    await rm(join(cwd, path), { force: true })
    execFileSync('sh', ['-c', `mkdir -p "$(dirname "$0")" && ${make}`, join(cwd, path)])
    const { status, stdout } = await runCli(['render', '-o', 'json'], { cwd })
    expect(status).toBe(2)
    const findings: unknown = JSON.parse(stdout)
    // and nothing else: what is there is not missed
    expect(findings).toMatchObject({
      findings: [{ code: 'FILE_UNREADABLE', message: `${path} cannot be read: ${reason}`, hint }],
    })
  })
})
