import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileError } from '../../src/model/ports.ts'
import { createNodeFiles } from '../../src/system/node-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const files = createNodeFiles()
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function reasonOf(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof FileError)) throw new Error('expected a FileError', { cause: error })
  return error.reason
}

describe('createNodeFiles', () => {
  test('keeps what a file holds under another name, whatever is moved over it', async () => {
    const folder = await tempFolder()
    await files.write(`${folder}/a`, [bytes('fi'), bytes('rst')])
    for (const text of ['second', 'third']) {
      await files.keep(`${folder}/a`, `${folder}/kept/a`)
      await files.write(`${folder}/new`, bytes(text))
      await files.rename(`${folder}/new`, `${folder}/a`)
    }
    expect(await readFile(`${folder}/kept/a`, 'utf8')).toBe('second')
    expect(await readFile(`${folder}/a`, 'utf8')).toBe('third')
    await expect(files.keep(`${folder}/none`, `${folder}/kept/a`)).rejects.toBeInstanceOf(FileError)
  })

  test('writes through missing folders and reads plain bytes back', async () => {
    const folder = await tempFolder()
    await files.write(`${folder}/a/b/c.yaml`, bytes('x'))
    const read = await files.read(`${folder}/a/b/c.yaml`)
    expect([read.constructor, [...read]]).toEqual([Uint8Array, [120]])
  })

  test('gives the known bytes back where a file holds just those', async () => {
    const path = `${await tempFolder()}/a`
    await files.write(path, bytes('x'))
    const [same, other] = [bytes('x'), bytes('y')]
    expect(await files.readKnown(path, same)).toBe(same)
    const read = await files.readKnown(path, other)
    expect([read.constructor, [...read]]).toEqual([Uint8Array, [120]])
    await expect(files.readKnown(`${path}b`, same)).rejects.toMatchObject({ reason: 'not-found' })
  })

  test('sorts entries by code unit and says what each is without following links', async () => {
    const folder = await tempFolder()
    await mkdir(`${folder}/b`)
    await writeFile(`${folder}/a`, '')
    await writeFile(`${folder}/Z`, '')
    await symlink(`${folder}/b`, `${folder}/c`)
    expect(await files.entries(folder)).toEqual([
      { name: 'Z', type: 'file' },
      { name: 'a', type: 'file' },
      { name: 'b', type: 'directory' },
      { name: 'c', type: 'link' },
    ])
    expect((await files.stat(`${folder}/c`))?.type).toBe('link')
    expect(await files.realPath(`${folder}/c`)).toBe(`${folder}/b`)
  })

  test('stat of nothing is undefined, also below a file', async () => {
    const folder = await tempFolder()
    await writeFile(`${folder}/a`, '')
    expect([await files.stat(`${folder}/none`), await files.stat(`${folder}/a/b`)]).toEqual([undefined, undefined])
  })

  test('replaces by rename, removes twice, removes only empty folders', async () => {
    const folder = await tempFolder()
    await files.write(`${folder}/d/new`, bytes('new'))
    await files.write(`${folder}/old`, bytes('old'))
    await files.rename(`${folder}/d/new`, `${folder}/old`)
    expect(await readFile(`${folder}/old`, 'utf8')).toBe('new')
    expect(await files.removeEmptyDirectory(folder)).toBe(false)
    expect(await files.removeEmptyDirectory(`${folder}/d`)).toBe(true)
    expect(await files.removeEmptyDirectory(`${folder}/d`)).toBe(true)
    await files.remove(`${folder}/old`)
    await files.remove(`${folder}/old`)
  })

  test('creates exclusively', async () => {
    const folder = await tempFolder()
    expect(await files.createExclusive(`${folder}/lock`, bytes('1'))).toBe(true)
    expect(await files.createExclusive(`${folder}/lock`, bytes('2'))).toBe(false)
    expect(await readFile(`${folder}/lock`, 'utf8')).toBe('1')
  })

  test('believes what nobody else can have written, and writes it so', async () => {
    const folder = await tempFolder()
    const path = `${folder}/shared/own/record`
    expect(await files.readOwn(path)).toBe(undefined)
    await mkdir(`${folder}/shared`)
    expect(await files.replaceOwn(path, [bytes('fi'), bytes('rst')])).toBe(true)
    const modes = await Promise.all([path, dirname(path)].map(async (name) => (await stat(name)).mode & 0o777))
    expect(modes).toEqual([0o600, 0o700])
    expect(await files.replaceOwn(path, bytes('x'))).toBe(true)
    expect([...((await files.readOwn(path)) ?? [])]).toEqual([120])
    await symlink('record', `${dirname(path)}/link`)
    expect(await reasonOf(files.readOwn(`${dirname(path)}/link`))).toBe('wrong-type')
    expect(await reasonOf(files.readOwn(`${dirname(path)}/none`))).toBe('not-found')
    await chmod(path, 0o660)
    expect(await files.readOwn(path)).toBe(undefined)
    await chmod(path, 0o644)
    expect([...((await files.readOwn(path)) ?? [])]).toEqual([120])
    await chmod(dirname(path), 0o777)
    expect([await files.readOwn(path), await files.replaceOwn(path, bytes('y'))]).toEqual([undefined, false])
    expect(await readFile(path, 'utf8')).toBe('x')
  })

  test('reads no pipe, device or socket in the place of a file, and waits for none', async () => {
    const folder = await tempFolder()
    execFileSync('sh', ['-c', 'mkfifo "$0"', `${folder}/pipe`])
    await symlink('/dev/zero', `${folder}/device`)
    const server = createServer().listen(`${folder}/socket`)
    await once(server, 'listening')
    for (const found of ['pipe', 'device', 'socket'])
      await expect(files.read(`${folder}/${found}`)).rejects.toMatchObject({ reason: 'wrong-type', found })
    server.close()
  })

  test('reads a pipe that a person named', async () => {
    const folder = await tempFolder()
    execFileSync('sh', ['-c', 'mkfifo "$0"', `${folder}/pipe`])
    const writer = spawn('sh', ['-c', 'echo text > "$0"', `${folder}/pipe`])
    expect(Buffer.from(await files.read(`${folder}/pipe`, 'stream')).toString()).toBe('text\n')
    await once(writer, 'exit')
  })

  test('reads a stream to its end, but none that has none', async () => {
    const folder = await tempFolder()
    await writeFile(`${folder}/large`, Buffer.alloc(300_000, 'x'))
    execFileSync('sh', ['-c', 'mkfifo "$0"', `${folder}/pipe`])
    const writer = spawn('sh', ['-c', 'cat "$0/large" > "$0/pipe"', folder])
    expect((await files.read(`${folder}/pipe`, 'stream')).length).toBe(300_000)
    await once(writer, 'exit')
    expect(await reasonOf(files.read('/dev/zero', 'stream'))).toBe('wrong-type')
    expect(await files.read('/dev/null', 'stream')).toHaveLength(0)
  })

  test('says why an operation failed', async () => {
    const folder = await tempFolder()
    await writeFile(`${folder}/a`, '')
    expect(await reasonOf(files.read(`${folder}/none`))).toBe('not-found')
    expect(await reasonOf(files.read(folder))).toBe('wrong-type')
    expect(await reasonOf(files.makeDirectory(`${folder}/a/b`))).toBe('wrong-type')
    expect(await reasonOf(files.read(`${folder}/\0`))).toBe('other')
  })
})

test('copyRights gives a file the rights of another one', async () => {
  const folder = await tempFolder()
  const [from, to] = [`${folder}/from`, `${folder}/to`]
  await writeFile(from, '')
  await writeFile(to, '')
  await chmod(from, 0o640)
  await files.copyRights(from, to)
  expect(((await stat(to)).mode & 0o777).toString(8)).toBe('640')
  expect(await reasonOf(files.copyRights(`${folder}/none`, to))).toBe('not-found')
})

test('a run that only touches files lets timers have their turn', async () => {
  const folder = await tempFolder()
  let isFired = false
  setTimeout(() => {
    isFired = true
  }, 1)
  for (let look = 0; !isFired && look < 3_000_000; look++) await files.stat(folder)
  expect(isFired).toBe(true)
})
