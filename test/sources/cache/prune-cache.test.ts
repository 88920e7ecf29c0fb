import { execFileSync } from 'node:child_process'
import { lstat, lutimes, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FileError } from '../../../src/model/ports.ts'
import { blobPath } from '../../../src/sources/cache/cache-paths.ts'
import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { boundCache } from '../../../src/sources/cache/bound-cache.ts'
import { cacheInfo, pruneCache } from '../../../src/sources/cache/prune-cache.ts'
import { openSignatureRecords } from '../../../src/sources/cache/signature-records.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { createCachePorts, DAY } from './cache-ports.ts'

const { ports } = createCachePorts()
const NOTHING = { count: 0, bytes: 0 }

async function age(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY)
  await utimes(path, then, then)
}

/** A cache with an entry of 100 bytes for each age in days; gives the digests. */
async function cacheOf(folder: string, ages: readonly number[]): Promise<readonly string[]> {
  const cache = openBlobCache(folder, ports)
  const digests: string[] = []
  for (const [index, days] of ages.entries()) {
    const digest = await cache.put(new Uint8Array(100).fill(index))
    await age(blobPath(folder, digest) ?? '', days)
    digests.push(digest)
  }
  return digests
}

async function putRepository(folder: string, path: string, days: number): Promise<void> {
  for (const [name, text] of Object.entries({ HEAD: 'ref', 'objects/pack/a.pack': 'x'.repeat(500), config: '' })) {
    const file = join(folder, 'v1/git', path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const all = await readdir(join(folder, 'v1/git', path), { recursive: true })
  for (const name of [...all, '.']) await age(join(folder, 'v1/git', path, name), days)
}

async function putLeftover(folder: string, name: string, days: number): Promise<void> {
  await mkdir(join(folder, 'v1/temporary'), { recursive: true })
  await writeFile(join(folder, 'v1/temporary', name), 'half')
  await age(join(folder, 'v1/temporary', name), days)
}

/** Which of the digests are there, by number; without using them. */
async function there(folder: string, digests: readonly string[]): Promise<readonly number[]> {
  const found = await Promise.all(digests.map((digest) => ports.files.stat(blobPath(folder, digest) ?? '')))
  return found.flatMap((file, index) => (file === undefined ? [] : [index]))
}

describe('cacheInfo', () => {
  it('takes a folder that is not there for an empty cache', async () => {
    const folder = join(await tempFolder(), 'none')
    expect(await cacheInfo(folder, ports)).toEqual({
      folder,
      entries: NOTHING,
      repositories: NOTHING,
      leftovers: NOTHING,
    })
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  it('counts entries, repositories and leftovers', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [1, 30, 2])
    await putRepository(folder, 'example.com/a.git', 3)
    await putRepository(folder, 'b', 3)
    await putLeftover(folder, '1-a', 2)
    await writeFile(join(folder, 'v1/blobs/sha256/note'), 'mine')
    await mkdir(join(folder, 'v1/blobs/sha256/00'), { recursive: true })
    await writeFile(join(folder, 'v1/blobs/sha256/00/odd'), 'odd')
    const info = await cacheInfo(folder, ports)
    expect(info).toMatchObject({
      entries: { count: 3, bytes: 300 },
      repositories: { count: 2, bytes: 1006 },
      leftovers: { count: 2, bytes: 7 },
    })
    const days = (time = 0): number => Math.round((Date.now() - time) / DAY)
    expect([days(info.oldestUse), days(info.newestUse)]).toEqual([30, 1])
  })
})

describe('pruneCache', () => {
  it.each([
    { name: 'nothing without bounds', bounds: {}, left: [0, 1, 2, 3] },
    { name: 'what is longest unused, down to a size', bounds: { maxBytes: 250 }, left: [0, 3] },
    { name: 'nothing that fits', bounds: { maxBytes: 400 }, left: [0, 1, 2, 3] },
    { name: 'what is older than an age', bounds: { maxAge: 15 * DAY }, left: [0, 1, 3] },
    { name: 'everything but what was used just now', bounds: { maxBytes: 0 }, left: [3] },
    { name: 'everything but what was used lately, by age', bounds: { maxAge: 0 }, left: [3] },
    { name: 'what is beyond one of two bounds', bounds: { maxAge: 15 * DAY, maxBytes: 200 }, left: [0, 3] },
    { name: 'nothing that is younger than asked', bounds: { maxBytes: 0, minAge: 12 * DAY }, left: [0, 1, 3] },
  ])('removes $name', async ({ bounds, left }) => {
    const folder = await tempFolder()
    const digests = await cacheOf(folder, [1, 10, 20, 0])
    const result = await pruneCache(folder, bounds, ports)
    expect(await there(folder, digests)).toEqual(left)
    const gone = 4 - left.length
    expect(result).toMatchObject({
      folder,
      removed: { entries: { count: gone, bytes: 100 * gone }, repositories: NOTHING, leftovers: NOTHING },
      left: { entries: { count: left.length, bytes: 100 * left.length }, repositories: NOTHING },
    })
  })

  it('keeps what it is told to keep, and counts it', async () => {
    const folder = await tempFolder()
    const digests = await cacheOf(folder, [40, 30, 20, 10])
    const [oldest = ''] = digests
    await pruneCache(folder, { maxBytes: 200, keep: new Set([oldest]) }, ports)
    expect(await there(folder, digests)).toEqual([0, 3])
    await pruneCache(folder, { maxAge: DAY, keep: new Set([oldest]) }, ports)
    expect(await there(folder, digests)).toEqual([0])
  })

  it('removes whole repositories, but none that changed within a day', async () => {
    const folder = await tempFolder()
    await putRepository(folder, 'old', 20)
    await putRepository(folder, 'deep/er/fresh', 0.5)
    const { removed, left } = await pruneCache(folder, { maxBytes: 0 }, ports)
    expect(removed.repositories).toEqual({ count: 1, bytes: 503 })
    expect(left.repositories).toEqual({ count: 1, bytes: 503 })
    expect(await readdir(join(folder, 'v1/git'))).toEqual(['deep'])
    expect(await readdir(join(folder, 'v1/temporary'))).toEqual([])
  })

  it('takes unfinished fetches for leftovers', async () => {
    const folder = await tempFolder()
    await putRepository(folder, 'id/repository', 20)
    await putRepository(folder, 'id/repository.new-0123456789abcdef', 20)
    await putRepository(folder, 'id/repository.new-fedcba9876543210', 0.5)
    expect(await cacheInfo(folder, ports)).toMatchObject({ repositories: { count: 1 }, leftovers: { count: 2 } })
    const { removed } = await pruneCache(folder, {}, ports)
    expect(removed).toMatchObject({ repositories: NOTHING, leftovers: { count: 1 } })
    expect(await readdir(join(folder, 'v1/git/id'))).toEqual(['repository', 'repository.new-fedcba9876543210'])
  })

  it('sweeps what killed processes left more than a day ago', async () => {
    const folder = await tempFolder()
    await putLeftover(folder, '1-old', 1.5)
    await putLeftover(folder, '2-young', 0.5)
    await mkdir(join(folder, 'v1/temporary/3-folder/inner'), { recursive: true })
    await age(join(folder, 'v1/temporary/3-folder/inner'), 3)
    await age(join(folder, 'v1/temporary/3-folder'), 3)
    expect((await pruneCache(folder, {}, ports)).removed.leftovers).toEqual({ count: 2, bytes: 4 })
    expect(await readdir(join(folder, 'v1/temporary'))).toEqual(['2-young'])
  })

  it('leaves what another process uses while it looks', async () => {
    const folder = await tempFolder()
    const digests = await cacheOf(folder, [20, 10])
    const used = blobPath(folder, digests[0] ?? '') ?? ''
    let looks = 0
    const files = {
      ...ports.files,
      stat: async (path: string) => {
        if (path === used && ++looks === 2) await age(used, 0)
        return ports.files.stat(path)
      },
    }
    const { removed } = await pruneCache(folder, { maxBytes: 0 }, { ...ports, files })
    expect(removed.entries.count).toBe(1)
    expect(await there(folder, digests)).toEqual([0])
  })

  it('says when it may not remove', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [20])
    const remove = async (path: string): Promise<never> => {
      throw new FileError('not-permitted', path)
    }
    const files = { ...ports.files, remove }
    const [found] = await diagnosticsOf(pruneCache(folder, { maxBytes: 0 }, { ...ports, files }))
    expect(found).toMatchObject({
      code: 'CACHE_FAILED',
      message: 'the cache could not be written: permission is denied',
    })
  })
})

/** A folder of somebody, everything in it unused for long. */
async function putOwn(folder: string): Promise<readonly string[]> {
  await mkdir(join(folder, 'sub'), { recursive: true })
  for (const name of ['thesis.txt', 'a'.repeat(64), 'sub/notes.txt', 'HEAD', 'objects']) {
    await writeFile(join(folder, name), 'precious')
  }
  const names = await readdir(folder, { recursive: true })
  for (const name of [...names, '.']) await age(join(folder, name), 300)
  return names.sort()
}

describe('records of signatures', () => {
  const recordOf = (folder: string, name: string): string => join(folder, 'v1/signatures', name)

  async function putRecord(
    folder: string,
    name: string,
    { text, days }: { text: string; days: number },
  ): Promise<void> {
    await mkdir(dirname(recordOf(folder, name)), { recursive: true })
    await writeFile(recordOf(folder, name), text)
    await age(recordOf(folder, name), days)
  }

  it('go a day after what they name has gone, and so does what is none', async () => {
    const folder = await tempFolder()
    const [kept = '', gone = ''] = await cacheOf(folder, [1, 20])
    const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
    await putRecord(folder, a, { text: `${kept}\n`, days: 300 })
    await putRecord(folder, b, { text: `${gone}\n`, days: 20 })
    await putRecord(folder, c, { text: `sha256:${'0'.repeat(64)}\n`, days: 0 })
    await putRecord(folder, `${c}.17-00`, { text: 'half', days: 2 })
    await putRecord(folder, 'd'.repeat(64), { text: 'nothing', days: 2 })
    const names = async (): Promise<readonly string[]> => (await readdir(join(folder, 'v1/signatures'))).sort()
    expect((await pruneCache(folder, { maxAge: 10 * DAY }, ports)).removed).toMatchObject({
      entries: { count: 1 },
      leftovers: { count: 2 },
    })
    expect(await names()).toEqual([a, b, c])
    expect((await pruneCache(folder, { maxAge: 10 * DAY }, ports)).removed).toMatchObject({ leftovers: { count: 1 } })
    expect(await names()).toEqual([a, c])
    expect(await openSignatureRecords(folder, ports).read(`sha256:${a}`)).toBe(kept)
  })

  it('are not looked for behind a link', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [0])
    const home = join(await tempFolder(), 'home')
    await putRecord(home, 'a'.repeat(64), { text: 'mine', days: 20 })
    await symlink(join(home, 'v1/signatures'), join(folder, 'v1/signatures'))
    await pruneCache(folder, { maxAge: DAY }, ports)
    expect(await readdir(join(home, 'v1/signatures'))).toEqual(['a'.repeat(64)])
  })
})

/** Puts a link, made days ago, in the place of a path of a cache. */
async function putLink(to: string, path: string, days: number): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await mkdir(dirname(path), { recursive: true })
  await symlink(to, path)
  const then = new Date(Date.now() - days * DAY)
  await lutimes(path, then, then)
}

describe('a link in a cache', () => {
  const bounds = { maxBytes: 0, maxAge: 0, minAge: 0 }

  it.each([
    { at: 'v1', isLeft: true },
    { at: 'v1/blobs', isLeft: true },
    { at: 'v1/blobs/sha256', isLeft: true },
    { at: 'v1/blobs/sha256/aa', isLeft: false },
    { at: 'v1/temporary', isLeft: false },
    { at: 'v1/temporary/1-a', isLeft: false },
    { at: 'v1/temporary/1-a/inner', isLeft: false },
    { at: 'v1/git', isLeft: true },
    { at: 'v1/git/id', isLeft: true },
    { at: 'v1/git/id/repository.new-00', isLeft: false },
    { at: 'v1/git/id/repository', isLeft: true },
  ])('is not followed by prune: $at', async ({ at, isLeft }) => {
    const home = join(await tempFolder(), 'home')
    const names = await putOwn(home)
    const folder = await tempFolder()
    await cacheOf(folder, [20])
    await putLink(home, join(folder, at), 20)
    if (at.startsWith('v1/temporary/1-a/')) await age(join(folder, 'v1/temporary/1-a'), 20)
    await cacheInfo(folder, ports)
    await pruneCache(folder, bounds, ports)
    expect((await readdir(home, { recursive: true })).sort()).toEqual(names)
    expect((await ports.files.stat(join(folder, at)))?.type).toBe(isLeft ? 'link' : undefined)
  })

  it('goes as a leftover when it is a day old, so that repositories can be removed', async () => {
    const home = join(await tempFolder(), 'home')
    await mkdir(join(home, 'removed-old'), { recursive: true })
    const folder = await tempFolder()
    await putRepository(folder, 'old', 20)
    await putLink(home, join(folder, 'v1/temporary'), 0)
    const young = await pruneCache(folder, bounds, ports)
    expect(young.removed).toEqual({ entries: NOTHING, repositories: NOTHING, leftovers: NOTHING })
    await putLink(home, join(folder, 'v1/temporary'), 2)
    const { removed } = await pruneCache(folder, bounds, ports)
    expect(removed).toMatchObject({ repositories: { count: 1 }, leftovers: { count: 1 } })
    expect(await readdir(home)).toEqual(['removed-old'])
    expect(await readdir(join(folder, 'v1/temporary'))).toEqual([])
  })

  it('is not followed when it comes in the place of a folder meanwhile', async () => {
    const home = join(await tempFolder(), 'home')
    const names = await putOwn(home)
    const folder = await tempFolder()
    for (const name of names) await mkdir(join(folder, 'v1/temporary/1-a', name), { recursive: true })
    let isSwapped = false
    const removeEmptyDirectory = async (path: string): Promise<boolean> => {
      if (isSwapped) return ports.files.removeEmptyDirectory(path)
      isSwapped = true
      await putLink(home, join(folder, 'v1/temporary/1-a'), 20)
      return false
    }
    for (const name of [...names, '.']) await age(join(folder, 'v1/temporary/1-a', name), 20)
    await pruneCache(folder, bounds, { ...ports, files: { ...ports.files, removeEmptyDirectory } })
    expect(isSwapped).toBe(true)
    expect((await readdir(home, { recursive: true })).sort()).toEqual(names)
  })

  it('is the cache folder itself: somebody chose where it leads', async () => {
    const folder = await tempFolder()
    const link = join(await tempFolder(), 'cache')
    await symlink(folder, link)
    const digests = await cacheOf(link, [20, 0])
    expect(await cacheInfo(link, ports)).toMatchObject({ folder: link, entries: { count: 2, bytes: 200 } })
    const { ports: moving } = createCachePorts()
    await rm(join(folder, 'v1/pruned'), { force: true })
    expect(await boundCache(link, moving)).toMatchObject({ folder: link, left: { entries: { count: 2 } } })
    expect(await pruneCache(link, { maxAge: DAY }, ports)).toMatchObject({
      folder: link,
      removed: { entries: { count: 1 } },
    })
    expect(await there(folder, digests)).toEqual([1])
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
  })

  it('is the cache folder itself, and leads to nothing', async () => {
    const link = join(await tempFolder(), 'cache')
    await symlink('/nowhere/at/all', link)
    expect(await diagnosticsOf(cacheInfo(link, ports))).toMatchObject([
      {
        code: 'CACHE_FAILED',
        message: 'the cache could not be read: it is a link to something that is not there',
        hint: 'Create it, correct the link that leads there, or choose another folder with STACKMASON_CACHE.',
      },
    ])
  })
})

describe('in the place of the stamp', () => {
  it.each([
    { name: 'a pipe', put: (path: string) => execFileSync('mkfifo', [path]) },
    { name: 'a link to a file of somebody', put: (path: string, own: string) => symlink(own, path) },
    { name: 'a link to nothing', put: (path: string) => symlink('/nowhere/at/all', path) },
  ])('$name is replaced, and not written to', async ({ put }) => {
    const folder = await tempFolder()
    const own = join(await tempFolder(), 'thesis.txt')
    await writeFile(own, 'precious')
    await cacheOf(folder, [20])
    const stamp = join(folder, 'v1/pruned')
    await rm(stamp, { force: true })
    await put(stamp, own)
    expect(await boundCache(folder, ports)).toBeDefined()
    expect(await ports.files.stat(stamp)).toMatchObject({ type: 'file', size: 0 })
    expect(await boundCache(folder, ports)).toBeUndefined()
    expect(await readFile(own, 'utf8')).toBe('precious')
  })

  it('a folder stays, and nothing is remembered', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [20])
    await rm(join(folder, 'v1/pruned'), { force: true })
    await mkdir(join(folder, 'v1/pruned/mine'), { recursive: true })
    for (let run = 0; run < 2; run++) expect(await boundCache(folder, ports)).toBeDefined()
    expect(await readdir(join(folder, 'v1/pruned'))).toEqual(['mine'])
  })
})

describe('boundCache', () => {
  it('looks at most once a day, and spares what was used within two days', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [1, 90])
    const { ports: moving, pass } = createCachePorts()
    expect(await boundCache(folder, moving)).toBeDefined()
    expect(await boundCache(folder, moving)).toBeUndefined()
    pass(2)
    expect(await boundCache(folder, moving)).toMatchObject({ removed: { entries: NOTHING } })
  })

  it('runs with the first put of a run, down to 2 GiB', async () => {
    const folder = await tempFolder()
    const [old = '', young = ''] = await cacheOf(folder, [90, 1])
    const { ports: moving, pass } = createCachePorts()
    const stats = {
      ...moving.files,
      stat: async (path: string) => {
        const found = await moving.files.stat(path)
        return found?.size === 100 ? { ...found, size: 1.5 * 1024 ** 3 } : found
      },
    }
    pass(0)
    const cache = openBlobCache(folder, { ...moving, files: stats })
    await age(join(folder, 'v1/pruned'), 2).catch(() => undefined)
    await cache.put(new TextEncoder().encode('new'))
    expect(await there(folder, [old, young])).toEqual([1])
    expect((await readFile(join(folder, 'v1/pruned'))).length).toBe(0)
  })

  it('does not stand in the way of a put', async () => {
    const folder = await tempFolder()
    await cacheOf(folder, [90])
    const entries = async (path: string): Promise<never> => {
      throw new FileError('other', path)
    }
    const cache = openBlobCache(folder, { ...ports, files: { ...ports.files, entries } })
    expect(await cache.has(await cache.put(new Uint8Array(3)))).toBe(true)
  })
})
