import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import {
  listFolder,
  openFolder,
  openSubfolder,
  readFolderFile,
  readFolderTree,
} from '../../../src/sources/release/read-folder.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const { files } = createNodePorts()

async function write(folder: string, path: string, text: string = path): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function codesOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await run()
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(({ code, file }) => `${code} ${file ?? ''}`)
    throw error
  }
  return []
}

it('reads every file in byte order, hidden ones too', async () => {
  const folder = await tempFolder()
  for (const path of ['b', 'a/z', 'a.b', '.hidden', 'a/x/y', 'B']) await write(folder, path)
  const tree = await readFolderTree(await openFolder(folder, files), files)
  expect(tree.map(({ path, bytes }) => [path, decodeUtf8(bytes)])).toEqual(
    ['.hidden', 'B', 'a.b', 'a/x/y', 'a/z', 'b'].map((path) => [path, path]),
  )
})

it('reads a link to a file inside as that file', async () => {
  const folder = await tempFolder()
  await write(folder, 'real/values.yaml', 'a: 1')
  await symlink('real/values.yaml', join(folder, 'values.yaml'))
  const opened = await openFolder(folder, files)
  expect((await readFolderTree(opened, files)).map(({ path }) => path)).toEqual(['real/values.yaml', 'values.yaml'])
  expect(decodeUtf8(await readFolderFile(opened, 'values.yaml', files))).toBe('a: 1')
  expect(await listFolder(opened, files)).toEqual([
    { name: 'real', type: 'directory' },
    { name: 'values.yaml', type: 'link' },
  ])
})

it('may itself be reached by a link', async () => {
  const folder = await tempFolder()
  await write(folder, 'real/a')
  await symlink('real', join(folder, 'link'))
  const opened = await openFolder(join(folder, 'link'), files)
  expect(opened.path).toBe(join(folder, 'link'))
  expect((await readFolderTree(opened, files)).map(({ path }) => path)).toEqual(['a'])
})

it('refuses links that lead out, to files, folders and nowhere', async () => {
  const folder = await tempFolder()
  await write(folder, 'secret', 'x')
  await write(folder, 'outer/deep/file')
  await write(folder, 'in/a')
  await symlink('../secret', join(folder, 'in/file'))
  await symlink('../outer', join(folder, 'in/folder'))
  await symlink('./nowhere', join(folder, 'in/dangling'))
  const inner = await openFolder(join(folder, 'in'), files)
  const at = (name: string): string => join(folder, 'in', name)
  expect(await codesOf(() => readFolderFile(inner, 'file', files))).toEqual([`FILE_OUTSIDE ${at('file')}`])
  expect(await codesOf(() => openSubfolder(inner, 'folder', files))).toEqual([`FILE_OUTSIDE ${at('folder')}`])
  expect(await codesOf(() => readFolderFile(inner, 'folder/deep/file', files))).toEqual([
    `FILE_OUTSIDE ${at('folder/deep/file')}`,
  ])
  expect(await codesOf(() => readFolderFile(inner, '../secret', files))).toEqual([
    `FILE_OUTSIDE ${join(folder, 'secret')}`,
  ])
  expect(await codesOf(() => readFolderFile(inner, 'dangling', files))).toEqual([`FILE_UNREADABLE ${at('dangling')}`])
  expect(await codesOf(() => readFolderTree(inner, files))).toHaveLength(1)
})

it('ends on a link to a folder, also to its own parent', async () => {
  const folder = await tempFolder()
  await write(folder, 'a/b')
  await symlink('..', join(folder, 'a/up'))
  const opened = await openFolder(folder, files)
  expect(await codesOf(() => readFolderTree(opened, files))).toEqual([`FILE_UNREADABLE ${join(folder, 'a/up')}`])
})

it('bounds files and bytes', async () => {
  const folder = await tempFolder()
  for (const name of ['a', 'b', 'c']) await write(folder, name, '12345')
  const opened = await openFolder(folder, files)
  const limits = { files: 3, fileBytes: 5, totalBytes: 15 }
  expect(await readFolderTree(opened, files, limits)).toHaveLength(3)
  for (const tight of [{ files: 2 }, { fileBytes: 4 }, { totalBytes: 14 }]) {
    expect((await codesOf(() => readFolderTree(opened, files, { ...limits, ...tight })))[0]).toMatch(
      /^RELEASE_TOO_LARGE /,
    )
  }
})

it('says what is missing or no folder', async () => {
  const folder = await tempFolder()
  await write(folder, 'file')
  expect(await codesOf(() => openFolder(join(folder, 'none'), files))).toEqual([
    `FILE_UNREADABLE ${join(folder, 'none')}`,
  ])
  expect(await codesOf(() => openFolder(join(folder, 'file'), files))).toEqual([
    `FILE_UNREADABLE ${join(folder, 'file')}`,
  ])
  const opened = await openFolder(folder, files)
  expect(await codesOf(() => readFolderFile(opened, 'none', files))).toEqual([
    `FILE_UNREADABLE ${join(folder, 'none')}`,
  ])
})
