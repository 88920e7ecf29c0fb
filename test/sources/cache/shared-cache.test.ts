import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { cacheInfo } from '../../../src/sources/cache/prune-cache.ts'
import { bundled } from '../../../tools/bundled.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { createCachePorts } from './cache-ports.ts'

const { ports } = createCachePorts()
const source = join(import.meta.dirname, '../../../src')

/** Starts a program that has `cache`, `number` and `blob(n)`: 200 kB that only n decides. */
async function start(folder: string, number: number, body: string): Promise<ChildProcess> {
  const text = `import { openBlobCache } from '${source}/sources/cache/blob-cache.ts'
import { pruneCache } from '${source}/sources/cache/prune-cache.ts'
import { createNodePorts } from '${source}/system/node-ports.ts'
const [folder, number] = [process.argv[2], Number(process.argv[3])]
const ports = createNodePorts()
const cache = openBlobCache(folder, ports)
const blob = (n) => new Uint8Array(200_000).fill(n % 251, 0, 100_000).fill(n % 241, 100_000)
console.log('ready')
${body}
`
  const words = [await bundled({ text }), join(folder, 'cache'), String(number)]
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function endOf(child: ChildProcess): Promise<string> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const [status, signal]: readonly unknown[] = await once(child, 'exit')
  return `${String(status ?? signal)} ${errors}`.trim()
}

function blob(n: number): Uint8Array {
  return new Uint8Array(200_000).fill(n % 251, 0, 100_000).fill(n % 241, 100_000)
}

describe('a cache of many processes', () => {
  it('serves eight that put and get the same and their own, spoil entries and prune', async () => {
    const folder = await tempFolder()
    const body = `
import { writeFile } from 'node:fs/promises'
import { blobPath } from '${source}/sources/cache/cache-paths.ts'
for (let round = 0; round < 25; round++) {
  const shared = blob(round)
  const own = blob(100 + number)
  const [a, b] = await Promise.all([cache.put(shared), cache.put(own)])
  const [x, y] = await Promise.all([cache.get(a), cache.get(b)])
  for (const [found, wanted] of [[x, shared], [y, own]]) {
    if (found !== undefined && Buffer.compare(found, wanted) !== 0) throw new Error('wrong bytes')
  }
  if (number === 0 && round % 5 === 0) await writeFile(blobPath(folder, a), 'spoilt')
  if (number === 1 && round % 5 === 0) await pruneCache(folder, { maxBytes: 0, minAge: 0 }, ports)
}`
    const children = await Promise.all(Array.from({ length: 8 }, (_, number) => start(folder, number, body)))
    expect(await Promise.all(children.map(endOf))).toEqual(Array.from({ length: 8 }, () => '0'))
    const cache = openBlobCache(join(folder, 'cache'), ports)
    for (let n = 0; n < 108; n++) {
      const digest = await cache.put(blob(n))
      expect(Buffer.compare((await cache.get(digest)) ?? new Uint8Array(), blob(n))).toBe(0)
    }
    expect((await cacheInfo(join(folder, 'cache'), ports)).leftovers.count).toBe(0)
  }, 120_000)

  it('is good whenever a writer is killed, 20 times', async () => {
    const folder = await tempFolder()
    const cache = openBlobCache(join(folder, 'cache'), ports)
    const body = `for (let round = 0; ; round++) {
  await cache.put(blob(number * 1000 + round))
  console.log('put')
}`
    const kill = async (round: number): Promise<void> => {
      const child = await start(folder, round, body)
      const ended = once(child, 'exit')
      // some while they write their first, some after it: on a busy machine time alone would let none of them write
      const wanted = `ready\n${'put\n'.repeat(round % 3)}`
      let said = ''
      await new Promise<void>((resolve) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          if (said.length >= wanted.length) resolve()
        })
      })
      await setTimeout((round * 7) % 41)
      child.kill('SIGKILL')
      await ended
    }
    for (let round = 0; round < 20; round += 2) await Promise.all([kill(round), kill(round + 1)])
    let found = 0
    for (const group of await readdir(join(folder, 'cache/v1/blobs/sha256'))) {
      for (const hex of await readdir(join(folder, 'cache/v1/blobs/sha256', group))) {
        // every entry is checked when it is read: one that was there and is not given would be a damaged one
        expect(await cache.get(`sha256:${hex}`)).toBeDefined()
        found++
      }
    }
    expect(found).toBeGreaterThan(20)
  }, 120_000)
})
