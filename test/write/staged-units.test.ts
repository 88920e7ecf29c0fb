import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FolderContent, type KnownContent, serializeApart } from '../../src/write/serialize-folder.ts'
import { openTreeCheck, openTreeWriter, type TreeSink, type WriteResult } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { configMap, ports, putFiles, readAll, writeOptions } from './trees.ts'

const folder = (path: string, ...names: readonly string[]): FolderContent =>
  serializeApart({ path, manifests: names.map((name) => configMap(name)) }, ports.crypto)

const holder = (path: string, ...includes: readonly string[]): FolderContent =>
  serializeApart({ path, manifests: [], includes }, ports.crypto)

/** More units than are staged at once, so that the first of them are done. */
async function addUnits(tree: TreeSink): Promise<void> {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await tree.add([folder(`clusters/ns/${name}`, name)])
}

async function staged(output: string): Promise<number> {
  return Object.keys(await readAll(output)).filter((path) => path.startsWith('.stackmason/staging/new-')).length
}

describe('units', () => {
  test('are staged as they come, and moved into place together', async () => {
    const output = await tempFolder()
    const tree = openTreeWriter(writeOptions(output), ports)
    await addUnits(tree)
    expect(await staged(output)).toBeGreaterThan(3)
    expect(Object.keys(await readAll(output)).filter((path) => path.startsWith('clusters/'))).toEqual([])
    const { changes } = await tree.end([''])
    expect(changes).toHaveLength(17)
    const files = Object.keys(await readAll(output))
    expect(files.filter((path) => path.startsWith('clusters/'))).toHaveLength(16)
    expect(files.filter((path) => path.startsWith('.stackmason/'))).toEqual([
      '.stackmason/.gitignore',
      '.stackmason/written.sha256',
    ])
  })

  test('are not staged when they are as they were', async () => {
    const output = await tempFolder()
    const first = openTreeWriter(writeOptions(output), ports)
    await addUnits(first)
    await first.end([''])
    const second = openTreeWriter(writeOptions(output), ports)
    await addUnits(second)
    expect(await staged(output)).toBe(0)
    const { changes, unchanged } = await second.end([''])
    expect([[...changes], unchanged]).toEqual([[], 17])
  })

  test('leave nothing when they are given up', async () => {
    const output = join(await tempFolder(), 'rendered')
    const tree = openTreeWriter(writeOptions(output), ports)
    await addUnits(tree)
    expect(await tree.abandon()).toEqual([])
    await expect(stat(output)).rejects.toThrow('ENOENT')
  })

  test('that are given up say that an earlier run was ended', async () => {
    const output = await tempFolder()
    await putFiles(output, { '.stackmason/staging/new-0': 'x' })
    const tree = openTreeWriter(writeOptions(output), ports)
    await addUnits(tree)
    expect((await tree.abandon()).map(({ code, severity }) => [code, severity])).toEqual([
      ['WRITE_INTERRUPTED', 'warning'],
    ])
    expect(await readAll(output)).toEqual({})
  })

  test('leave nothing when they are refused', async () => {
    const output = await tempFolder()
    await putFiles(output, { 'mine.txt': 'x' })
    const tree = openTreeWriter(writeOptions(output), ports)
    await addUnits(tree)
    const found = await diagnosticsOf(tree.end(['']))
    expect(found.map(({ code }) => code)).toEqual(['WRITE_NOT_OWNED'])
    expect(await readAll(output)).toEqual({ 'mine.txt': 'x' })
  })
})

describe('folders', () => {
  test('name only those in them that have something', async () => {
    const output = await tempFolder()
    const tree = openTreeWriter(writeOptions(output), ports)
    await tree.add([holder('a', 'empty', 'full', 'holder', 'elsewhere')])
    await tree.add([folder('a/empty'), folder('a/full', 'x'), folder('a/holder/none')])
    await tree.add([holder('a/holder', 'none')])
    await tree.end([''])
    const files = await readAll(output)
    expect(files['a/kustomization.yaml']).toContain('- full\n- elsewhere\n')
    expect(files['a/kustomization.yaml']).not.toMatch(/- (?:empty|holder)/)
    expect(Object.keys(files).filter((path) => path.startsWith('a/holder'))).toEqual([])
  })

  test('report every conflict, where the user would find it', async () => {
    const tree = openTreeCheck(writeOptions('/out'), ports)
    await tree.add([folder('b', 'y', 'y'), folder('a', 'x', 'x')])
    const found = await diagnosticsOf(tree.end(['']))
    expect(found.map(({ code, file }) => [code, file])).toEqual([
      ['WRITE_PATH_CONFLICT', '/out/a/configmap-x.yaml'],
      ['WRITE_PATH_CONFLICT', '/out/b/configmap-y.yaml'],
    ])
  })

  test('come once', async () => {
    const tree = openTreeCheck(writeOptions('/out'), ports)
    await tree.add([folder('a', 'x')])
    await tree.add([folder('a', 'y')])
    await expect(tree.end([''])).rejects.toThrow('folder a is rendered twice')
  })
})

describe('files that are known by their hash alone', () => {
  const hashes = (content: FolderContent): FolderContent<KnownContent> => ({
    ...content,
    files: new Map(Array.from(content.files, ([name, { sha256 }]) => [name, { sha256 }])),
  })

  test('are made again where the disk does not have them, once for a unit', async () => {
    const output = await tempFolder()
    const made = ['a', 'b', 'c'].map((name) => folder(`clusters/ns/web/${name}`, name))
    const lists = [holder('clusters/ns/web', 'a', 'b'), holder('clusters/ns', 'web')]
    let asked = 0
    const run = async (folders: readonly FolderContent<KnownContent>[]): Promise<WriteResult> => {
      const tree = openTreeWriter(writeOptions(output), ports)
      await tree.add(folders, () => {
        asked++
        return Promise.resolve([...made, ...lists])
      })
      return tree.end([''])
    }
    await run([...made, ...lists])
    const before = await readAll(output)
    expect(asked).toBe(0)
    const same = await run([...made, ...lists].map(hashes))
    expect([asked, [...same.changes], same.unchanged]).toEqual([0, [], 9])
    await rm(join(output, 'clusters/ns/web/a/configmap-a.yaml'))
    await rm(join(output, 'clusters/ns/web/b/configmap-b.yaml'))
    const healed = await run([...made, ...lists].map(hashes))
    expect([asked, [...healed.changes].map(({ path }) => path), healed.unchanged]).toEqual([
      1,
      ['clusters/ns/web/a/configmap-a.yaml', 'clusters/ns/web/b/configmap-b.yaml'],
      7,
    ])
    expect(await readAll(output)).toEqual(before)
  })

  test('are no reason to keep what was edited by hand', async () => {
    const output = await tempFolder()
    const made = [folder('clusters/ns/web', 'a')]
    const first = openTreeWriter(writeOptions(output), ports)
    await first.add(made)
    await first.end([''])
    await putFiles(output, { 'clusters/ns/web/configmap-a.yaml': 'edited\n' })
    const second = openTreeWriter(writeOptions(output), ports)
    await second.add(made.map(hashes), () => Promise.resolve(made))
    expect(await diagnosticsOf(second.end(['']))).toMatchObject([{ code: 'WRITE_HAND_EDITED' }])
  })

  test('must be what they were known to be', async () => {
    const tree = openTreeWriter(writeOptions(await tempFolder()), ports)
    const [content = folder('a')] = [folder('a', 'x')].map(hashes)
    await tree.add([content], () => Promise.resolve([folder('a', 'y')]))
    await expect(tree.end([''])).rejects.toThrow('a/configmap-x.yaml is not what it was known to be')
  })
})
