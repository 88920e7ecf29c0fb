import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FileError, type FileErrorReason, type Files } from '../../../src/model/ports.ts'
import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { createCachePorts, DAY } from './cache-ports.ts'

const { ports } = createCachePorts()
const bytes = new TextEncoder().encode('some bytes')
const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const unknown = `sha256:${'0'.repeat(64)}`

function entryOf(folder: string): string {
  const hex = digest.slice('sha256:'.length)
  return join(folder, 'v1/blobs/sha256', hex.slice(0, 2), hex)
}

async function leftoversOf(folder: string): Promise<readonly string[]> {
  return readdir(join(folder, 'v1/temporary'))
}

describe('openBlobCache', () => {
  it('gives back what was put, by digest', async () => {
    const folder = join(await tempFolder(), 'made/when/needed')
    const cache = openBlobCache(folder, ports)
    expect(await cache.has(digest)).toBe(false)
    expect(await cache.get(digest)).toBeUndefined()
    expect(await cache.put(bytes)).toBe(digest)
    expect(await cache.put(bytes)).toBe(digest)
    expect(await cache.has(digest)).toBe(true)
    expect(await cache.get(digest)).toEqual(bytes)
    expect(await cache.get(unknown)).toBeUndefined()
    expect(await readFile(entryOf(folder))).toEqual(Buffer.from(bytes))
    expect(await leftoversOf(folder)).toEqual([])
  })

  it('keeps empty bytes and many bytes', async () => {
    const cache = openBlobCache(await tempFolder(), ports)
    for (const length of [0, 1, 3_000_000]) {
      const content = new Uint8Array(length).fill(7)
      const found = await cache.get(await cache.put(content))
      expect(Buffer.compare(found ?? bytes, content)).toBe(0)
    }
  })

  it.each([
    'sha256:../../../../etc/passwd',
    `sha256:${'0'.repeat(62)}/.`,
    `sha512:${'0'.repeat(128)}`,
    `sha256:${'A'.repeat(64)}`,
    `${unknown}\n`,
    '',
  ])('knows nothing under %j', async (name) => {
    const cache = openBlobCache(await tempFolder(), ports)
    expect(await cache.get(name)).toBeUndefined()
    expect(await cache.has(name)).toBe(false)
  })

  it.each([
    { name: 'a flipped byte', spoil: (path: string) => writeFile(path, Buffer.from(bytes).fill(0x21, 0, 1)) },
    { name: 'a truncated file', spoil: (path: string) => writeFile(path, bytes.slice(0, 4)) },
    { name: 'an empty file', spoil: (path: string) => writeFile(path, '') },
    { name: 'a longer file', spoil: (path: string) => writeFile(path, Buffer.concat([bytes, bytes])) },
    { name: 'a file of 3 GiB', spoil: (path: string) => truncate(path, 3 * 1024 ** 3) },
    {
      name: 'a folder in its place',
      spoil: async (path: string) => {
        await rm(path)
        await mkdir(join(path, 'inner/folder'), { recursive: true })
        await writeFile(join(path, 'inner/file'), bytes)
      },
    },
    {
      name: 'a link to the right bytes in its place',
      spoil: async (path: string) => {
        await writeFile(`${path}-elsewhere`, bytes)
        await rm(path)
        await symlink(`${path}-elsewhere`, path)
      },
    },
    {
      name: 'a link to nowhere in its place',
      spoil: async (path: string) => {
        await rm(path)
        await symlink('/nowhere', path)
      },
    },
    {
      name: 'a pipe in its place',
      spoil: async (path: string) => {
        await rm(path)
        execFileSync('sh', ['-c', 'mkfifo "$0"', path])
      },
    },
  ])('throws away $name and takes the bytes anew', async ({ spoil }) => {
    for (const isReadFirst of [true, false]) {
      const folder = await tempFolder()
      const cache = openBlobCache(folder, ports)
      await cache.put(bytes)
      await spoil(entryOf(folder))
      const read = isReadFirst ? [await cache.get(digest), await cache.has(digest)] : [undefined, false]
      expect(read).toEqual([undefined, false])
      expect(await cache.put(bytes)).toBe(digest)
      expect(await cache.get(digest)).toEqual(bytes)
      expect((await stat(entryOf(folder))).isFile()).toBe(true)
      expect(await leftoversOf(folder)).toEqual([])
    }
  })

  it('does not read what is larger than any download', async () => {
    const folder = await tempFolder()
    await openBlobCache(folder, ports).put(bytes)
    await truncate(entryOf(folder), 128 * 1024 ** 2 + 1)
    const read: Files['read'] = async (path) => {
      throw new Error(`${path} is read`)
    }
    const cache = openBlobCache(folder, { ...ports, files: { ...ports.files, read } })
    expect(await cache.get(digest)).toBeUndefined()
    await expect(stat(entryOf(folder))).rejects.toThrow('ENOENT')
    expect(await leftoversOf(folder)).toEqual([])
  })

  it('does not remove what a link points to', async () => {
    const folder = await tempFolder()
    const cache = openBlobCache(join(folder, 'cache'), ports)
    await cache.put(bytes)
    await mkdir(join(folder, 'mine'))
    await writeFile(join(folder, 'mine/file'), 'x')
    await rm(entryOf(join(folder, 'cache')))
    await symlink(join(folder, 'mine'), entryOf(join(folder, 'cache')))
    expect(await cache.get(digest)).toBeUndefined()
    expect(await readdir(join(folder, 'mine'))).toEqual(['file'])
  })

  it('neither reads nor removes what is behind a link in the place of a folder of entries', async () => {
    const folder = await tempFolder()
    const entry = entryOf(join(folder, 'cache'))
    await mkdir(join(folder, 'mine'))
    await writeFile(join(folder, 'mine', basename(entry)), 'other bytes')
    await mkdir(dirname(dirname(entry)), { recursive: true })
    await symlink(join(folder, 'mine'), dirname(entry))
    const cache = openBlobCache(join(folder, 'cache'), ports)
    expect(await cache.get(digest)).toBeUndefined()
    expect(await cache.put(bytes)).toBe(digest)
    expect(await cache.get(digest)).toEqual(bytes)
    expect(await readFile(join(folder, 'mine', basename(entry)), 'utf8')).toBe('other bytes')
    expect((await lstat(dirname(entry))).isDirectory()).toBe(true)
  })

  it.each(['v1', 'v1/blobs', 'v1/blobs/sha256'])('puts nothing behind a link in the place of %s', async (place) => {
    const folder = await tempFolder()
    const [cache, mine] = [join(folder, 'cache'), join(folder, 'mine')]
    await openBlobCache(mine, ports).put(bytes)
    await rm(join(mine, 'v1/pruned'), { force: true })
    const names = await readdir(mine, { recursive: true })
    await mkdir(dirname(join(cache, place)), { recursive: true })
    await symlink(join(mine, place), join(cache, place))
    const opened = openBlobCache(cache, ports)
    // nobody would ever remove what is there
    expect([await opened.get(digest), await opened.has(digest)]).toEqual([undefined, false])
    expect(await opened.put(bytes)).toBe(digest)
    expect(await opened.get(digest)).toEqual(bytes)
    expect((await lstat(join(cache, place))).isDirectory()).toBe(true)
    expect(await readdir(mine, { recursive: true })).toEqual(names)
  })

  it('reads and puts where the folder itself is a link', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'mine'))
    await symlink(join(folder, 'mine'), join(folder, 'cache'))
    const opened = openBlobCache(join(folder, 'cache'), ports)
    expect(await opened.put(bytes)).toBe(digest)
    expect(await opened.get(digest)).toEqual(bytes)
    expect((await lstat(join(folder, 'cache'))).isSymbolicLink()).toBe(true)
  })

  it('puts back a sound entry that came while a damaged one was read', async () => {
    const folder = await tempFolder()
    await openBlobCache(folder, ports).put(bytes)
    await writeFile(entryOf(folder), 'damaged')
    const read: Files['read'] = async (path) => {
      const found = await ports.files.read(path)
      if (path === entryOf(folder)) await writeFile(path, bytes)
      return found
    }
    const cache = openBlobCache(folder, { ...ports, files: { ...ports.files, read } })
    expect(await cache.get(digest)).toBeUndefined()
    expect(await readFile(entryOf(folder))).toEqual(Buffer.from(bytes))
  })

  it('notes the use of an entry once a day', async () => {
    const folder = await tempFolder()
    const cache = openBlobCache(folder, ports)
    await cache.put(bytes)
    const usedAgo = async (milliseconds: number): Promise<number> => {
      const then = new Date(Date.now() - milliseconds)
      await utimes(entryOf(folder), then, then)
      await cache.get(digest)
      return Date.now() - (await stat(entryOf(folder))).mtimeMs
    }
    expect(await usedAgo(DAY / 2)).toBeGreaterThan(DAY / 3)
    expect(await usedAgo(2 * DAY)).toBeLessThan(DAY / 3)
  })

  it('reads from a folder that may not be written', async () => {
    const folder = await tempFolder()
    await openBlobCache(folder, ports).put(bytes)
    const then = new Date(Date.now() - 9 * DAY)
    await utimes(entryOf(folder), then, then)
    const refuse = async (path: string): Promise<never> => {
      throw new FileError('not-permitted', path)
    }
    const writes = { write: refuse, rename: refuse, remove: refuse, touch: refuse, makeDirectory: refuse }
    const files: Files = { ...ports.files, ...writes, removeEmptyDirectory: refuse, createExclusive: refuse }
    const cache = openBlobCache(folder, { ...ports, files })
    expect(await cache.get(digest)).toEqual(bytes)
    expect(await cache.put(bytes)).toBe(digest)
    await writeFile(entryOf(folder), 'damaged')
    expect(await cache.get(digest)).toBeUndefined()
    const [found] = await diagnosticsOf(cache.put(bytes))
    expect(found).toMatchObject({
      code: 'CACHE_FAILED',
      message: 'the cache could not be written: permission is denied',
    })
  })

  it.each<{ readonly reason: FileErrorReason; readonly message: string; readonly hint: string }>([
    {
      reason: 'no-space',
      message: 'the cache could not be written: no space is left',
      hint: 'Free some space, with `stackmason cache prune` for one, or choose another folder with STACKMASON_CACHE.',
    },
    {
      reason: 'read-only',
      message: 'the cache could not be written: the file system is read-only',
      hint: 'Choose a folder that can be written with STACKMASON_CACHE.',
    },
    {
      reason: 'other',
      message: 'the cache could not be written: the system refused it',
      hint: 'Check the permissions of the folder, or choose another one with STACKMASON_CACHE.',
    },
  ])('says why nothing can be put: $reason', async ({ reason, message, hint }) => {
    const folder = await tempFolder()
    const write: Files['write'] = async (path) => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, 'half')
      throw new FileError(reason, path)
    }
    const cache = openBlobCache(folder, { ...ports, files: { ...ports.files, write } })
    expect(await diagnosticsOf(cache.put(bytes))).toMatchObject([{ code: 'CACHE_FAILED', message, hint }])
    expect(await leftoversOf(folder)).toEqual([])
    expect(await cache.has(digest)).toBe(false)
  })

  it('says when a file is where the folder should be', async () => {
    const file = join(await tempFolder(), 'file')
    await writeFile(file, '')
    const cache = openBlobCache(file, ports)
    expect(await cache.get(digest)).toBeUndefined()
    const [found] = await diagnosticsOf(cache.put(bytes))
    expect(found?.code).toBe('CACHE_FAILED')
  })
})
