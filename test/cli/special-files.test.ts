import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
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
const ADDON = 'providers/docker/starter/cluster-addon/welcome'
const ADDON_VALUES = `${ADDON}/values.yaml`
const LINK = 'Correct the link, or remove it.'
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
  ['a link to nothing', OWN_VALUES, 'ln -s gone "$0"', 'it is a link to something that is not there', LINK],
  ['a link to nothing', ADDON_VALUES, 'ln -s gone "$0"', 'it is a link to something that is not there', LINK],
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

describe('in the place of a file of a release', () => {
  test.each(['metadata.yaml', 'clusteraddon.yaml', 'hashes.json', 'node-images.yaml'])(
    '%s, a pipe is told as one: the release does not count as one without it',
    async (name) => {
      const cwd = await tempFolder()
      await runCli(['init', '.'], { cwd })
      await runCli(['build', 'providers/docker/starter', '--version', 'v1', '--out', 'releases'], { cwd })
      const config = join(cwd, 'stackmason.yaml')
      const own = /providerDirectory:\n +path: .*\n +version: v1/
      await writeFile(config, (await readFile(config, 'utf8')).replace(own, 'directory: {path: releases}'))
      expect((await runCli(['render', '-q'], { cwd })).stderr).toBe('')
      const path = `releases/docker-starter-1-34-v1/${name}`
      await rm(join(cwd, path), { force: true })
      execFileSync('sh', ['-c', 'mkfifo "$0"', join(cwd, path)])
      expect(await runCli(['render', '-q'], { cwd })).toEqual({
        status: 2,
        stdout: '',
        stderr:
          `error FILE_UNREADABLE ${path} cannot be read: it is a named pipe, not a file\n` +
          `  for release docker-starter-1-34-v1\n  → ${PIPE}\n`,
      })
    },
  )

  test.each([
    ['a folder beside it', ADDON, '../w'],
    ['a folder in it', `${ADDON}/templates`, 'w'],
  ])('a link to %s is no file, and csctl follows it as little', async (_, path, target) => {
    const cwd = await tempFolder()
    await runCli(['init', '.'], { cwd })
    execFileSync('sh', ['-c', 'mv "$0" "$(dirname "$0")/$1" && ln -s "$1" "$0"', join(cwd, path), target])
    expect(await runCli(['render', '-q'], { cwd })).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        `error FILE_UNREADABLE ${path} is a link to a folder; in a release only links to files are followed`,
        '  for release docker-starter-1-34-v1',
        '  → Put a copy of the folder in its place: csctl reads no such link either.',
        '',
      ].join('\n'),
    })
  })
})

test('what else lies beside stackmason.yaml is not looked at', async () => {
  const cwd = await tempFolder()
  await runCli(['init', '.'], { cwd })
  // such as the result of a build with Nix
  execFileSync('sh', ['-ec', 'ln -s /usr result; ln -s gone later; mkfifo pipe'], { cwd })
  expect((await runCli(['render', '-q'], { cwd })).stderr).toBe('')
})

test('a folder of clusters that leads out of the fleet is refused, also with a link', async () => {
  const cwd = await tempFolder()
  await runCli(['init', '.'], { cwd })
  const outer = await tempFolder()
  execFileSync('sh', ['-ec', 'mv clusters "$0" && ln -s "$0/clusters" clusters', outer], { cwd })
  expect((await runCli(['render', '-q'], { cwd })).stderr).toBe(
    'error FILE_OUTSIDE clusters leads out of the fleet repository\n  → Put a copy of what it leads to in its place.\n',
  )
})
