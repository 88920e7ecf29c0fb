import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { Ports } from '../../src/model/ports.ts'
import { openBlobCache } from '../../src/sources/cache/blob-cache.ts'
import { blobPath } from '../../src/sources/cache/cache-paths.ts'
import { formatLock } from '../../src/sources/lock/format-lock.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { lockedDependency, lockedRelease, lockOf } from '../sources/lock/locks.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, packageFolder, runCli } from './run-cli.ts'

const real = createNodePorts()

interface Place {
  readonly folder: string
  /** Digests of three entries, of 1 KiB each, longest unused first; the last was used today. */
  readonly digests: readonly string[]
  readonly run: (words: readonly string[]) => Promise<CliRun>
}

/** A folder with a cache in it. */
async function place(): Promise<Place> {
  const folder = await tempFolder()
  const cache = join(folder, 'cache')
  const ports: Ports = {
    ...real,
    environment: { get: (name) => (name === 'STACKMASON_CACHE' ? cache : undefined) },
  }
  const digests: string[] = []
  for (const date of ['2026-01-02', '2026-03-04', undefined]) {
    const digest = await openBlobCache(cache, ports).put(new Uint8Array(1024).fill(digests.length))
    const then = date === undefined ? new Date() : new Date(`${date}T05:06:07Z`)
    await utimes(blobPath(cache, digest) ?? '', then, then)
    digests.push(digest)
  }
  return { folder, digests, run: (words) => runCli(['cache', ...words], { cwd: folder, ports }) }
}

async function reportOf(run: Promise<CliRun>): Promise<Readonly<Record<string, unknown>>> {
  const { status, stdout, stderr } = await run
  expect([status, stderr]).toEqual([0, ''])
  const schema = compileSchema(parseGoJson(await readFile(join(packageFolder, 'schemas/cache-report.json'), 'utf8')))
  expect(schema.validate(parseGoJson(stdout))).toEqual([])
  const report: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  return report
}

describe('stackmason cache info', () => {
  test('shows a table', async () => {
    const { run } = await place()
    expect(await run(['info'])).toEqual({
      status: 0,
      stdout: `\
FOLDER        cache
FILES         3, 3.0 KiB
REPOSITORIES  0
LEFTOVERS     0
OLDEST USE    2026-01-02
NEWEST USE    ${new Date().toISOString().slice(0, 10)}
`,
      stderr: '',
    })
  })

  test('tells programs the same', async () => {
    const { run } = await place()
    expect(await reportOf(run(['info', '-o', 'json']))).toMatchObject({
      kind: 'CacheReport',
      action: 'info',
      folder: 'cache',
      files: { count: 3, bytes: 3072 },
      oldestUse: '2026-01-02T05:06:07.000Z',
    })
  })

  test('knows a cache that is not there', async () => {
    const folder = await tempFolder()
    const ports = { ...real, environment: { get: (name: string) => (name === 'HOME' ? folder : undefined) } }
    const { status, stdout } = await runCli(['cache', 'info'], { cwd: folder, ports })
    expect([status, stdout]).toEqual([
      0,
      'FOLDER        .cache/stackmason\nFILES         0\nREPOSITORIES  0\nLEFTOVERS     0\nOLDEST USE    -\nNEWEST USE    -\n',
    ])
  })

  test.each([
    { words: ['info'], done: 'read' },
    { words: ['prune'], done: 'written' },
  ])('says that a file is in the place of the cache: $words', async ({ words, done }) => {
    const { folder, run } = await place()
    await rm(join(folder, 'cache'), { recursive: true })
    await writeFile(join(folder, 'cache'), 'mine\n')
    expect(await run(words)).toEqual({
      status: 2,
      stdout: '',
      stderr: `error CACHE_FAILED cache: the cache could not be ${done}: it is a file, not a folder\n  → Move what is there out of the way, or choose another folder with STACKMASON_CACHE.\n`,
    })
  })

  test('says when there is no place for a cache', async () => {
    const ports = { ...real, environment: { get: () => undefined } }
    const { status, stdout, stderr } = await runCli(['cache', 'info'], { ports })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('there is no home folder to keep the cache in')
    expect(stderr).toContain('CACHE_FAILED')
  })
})

describe('stackmason cache prune', () => {
  test('removes what is longest unused', async () => {
    const { run } = await place()
    expect(await run(['prune', '--max-size', '2KiB'])).toEqual({
      status: 0,
      stdout: 'Removed 1 file (1.0 KiB) from cache; 2 files (2.0 KiB) stay.\n',
      stderr: '',
    })
    expect((await run(['prune', '--max-age', '1d'])).stdout).toBe(
      'Removed 1 file (1.0 KiB) from cache; 1 file (1.0 KiB) stays.\n',
    )
    expect((await run(['prune'])).stdout).toBe('Removed 0 files (0 B) from cache; 1 file (1.0 KiB) stays.\n')
  })

  test('tells programs what it removed', async () => {
    const { run } = await place()
    const report = await reportOf(run(['prune', '--max-size=0', '-o', 'json']))
    expect(report).toMatchObject({
      action: 'prune',
      files: { count: 1, bytes: 1024 },
      removed: { files: { count: 2, bytes: 2048 }, repositories: { count: 0, bytes: 0 } },
    })
    expect(report).not.toHaveProperty('lock')
  })

  test.each([
    { name: 'inside of a fleet', words: [] },
    { name: 'for a named fleet', words: ['--fleet', '.'] },
  ])('keeps what the lock names, $name', async ({ words }) => {
    const { folder, digests, run } = await place()
    const [first = '', second = ''] = digests
    const lock = lockOf(
      [lockedRelease('a-b-1-34-v1', { assets: new Map([['metadata.yaml', first]]) })],
      [lockedDependency('x', '1.0.0', { digest: second })],
    )
    await writeFile(join(folder, 'stackmason.yaml'), '')
    await writeFile(join(folder, 'stackmason.lock'), formatLock(lock))
    expect((await run(['prune', '--max-size', '0', ...words])).stdout).toBe(
      'Removed 0 files (0 B) from cache; 3 files (3.0 KiB) stay. What stackmason.lock names was kept.\n',
    )
  })

  test('removes nothing when the lock cannot be read', async () => {
    const { folder, run } = await place()
    await writeFile(join(folder, 'stackmason.yaml'), '')
    await writeFile(join(folder, 'stackmason.lock'), '<<<<<<< HEAD\n')
    const { status, stderr } = await run(['prune', '--max-size', '0'])
    expect(status).toBe(1)
    expect(stderr).toContain('LOCK_INVALID')
    expect((await run(['info'])).stdout).toContain('FILES         3,')
  })

  test('counts git repositories and leftovers', async () => {
    const { folder, run } = await place()
    for (const path of ['v1/git/a/HEAD', 'v1/git/a/objects/x', 'v1/temporary/1-a']) {
      await mkdir(join(folder, 'cache', path, '..'), { recursive: true })
      await writeFile(join(folder, 'cache', path), 'xx')
    }
    for (const path of ['v1/git/a/HEAD', 'v1/git/a/objects/x', 'v1/git/a/objects', 'v1/git/a', 'v1/temporary/1-a']) {
      await utimes(join(folder, 'cache', path), 1, 1)
    }
    expect((await run(['info'])).stdout).toContain('REPOSITORIES  1, 4 B\nLEFTOVERS     1, 2 B\n')
    expect((await run(['prune', '--max-age', '90d'])).stdout).toMatch(
      /^Removed \d files?, 1 git repository and 1 leftover \(.*\) from cache; \d files? \(.*\) stays?\.\n$/,
    )
  })
})

describe('stackmason cache', () => {
  test.each([
    { words: [], message: 'cache needs ACTION: info or prune' },
    { words: ['clear'], message: 'ACTION is one of info, prune, not "clear"' },
    { words: ['prune', '--max-size', 'much'], message: 'option --max-size takes a size such as 500MiB, not "much"' },
    { words: ['prune', '--max-age', '30'], message: 'option --max-age takes an age such as 30d or 12h, not "30"' },
    { words: ['info', '--max-age', '30d'], message: 'option --max-age is for cache prune' },
  ])('refuses $words', async ({ words, message }) => {
    const { status, stdout, stderr } = await runCli(['cache', ...words])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('refuses to prune for a fleet that is not there', async () => {
    const { run } = await place()
    const { status, stderr } = await run(['prune', '--fleet', 'nowhere'])
    expect(status).toBe(2)
    expect(stderr).toContain('CONFIG_NOT_FOUND')
  })
})
