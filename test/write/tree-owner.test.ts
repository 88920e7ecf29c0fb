import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { checkTree, writeTree, type WriteOptions } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ports, putFiles, readAll, treeOf, writeOptions } from './trees.ts'

type Owner = WriteOptions['owner']

const OURS = treeOf({ 'clusters/ns/ours/cluster': { a: '1' } })
const THEIRS = treeOf({ 'clusters/ns/theirs/cluster': { a: '1' } })

/** A folder with an output folder in it, and a stackmason.yaml at each of the paths. */
async function place(...fleets: readonly string[]): Promise<string> {
  const output = join(await tempFolder(), 'rendered')
  for (const path of fleets) {
    const file = join(output, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '')
  }
  return output
}

const a: Owner = { name: 'a', file: '../a/stackmason.yaml' }
const b: Owner = { name: 'b', file: '../b/stackmason.yaml' }

describe('the tree of a fleet', () => {
  test('is refused to another fleet, which would remove all of it', async () => {
    const output = await place(a.file, b.file)
    await writeTree(OURS, writeOptions(output, { owner: a }), ports)
    const before = await readAll(output)
    const found = await diagnosticsOf(writeTree(THEIRS, writeOptions(output, { owner: b }), ports))
    expect(found).toEqual([
      {
        code: 'WRITE_OTHER_FLEET',
        severity: 'error',
        message:
          'the output folder holds the tree of fleet "a" (../a/stackmason.yaml); this is fleet "b" (../b/stackmason.yaml)',
        file: join(output, '.stackmason-tree'),
        hint: 'Give each fleet its own folder in spec.output.path. If this fleet takes over the tree of the other, write its name and file here, then render.',
      },
    ])
    expect(await readAll(output)).toEqual(before)
    const checked = await checkTree(THEIRS, writeOptions(output, { owner: b }), ports)
    expect([checked.changes, checked.findings]).toEqual([[], found])
  })

  const others: readonly { name: string; owner: Owner; fleets: readonly string[]; want: string }[] = [
    { name: 'itself', owner: a, fleets: [a.file], want: 'unchanged' },
    { name: 'the fleet under a new name', owner: { ...a, name: 'c' }, fleets: [a.file], want: 'fleet: c' },
    { name: 'the fleet at a new path', owner: { ...a, file: b.file }, fleets: [b.file], want: 'unchanged' },
    { name: 'another fleet of that name', owner: { ...a, file: b.file }, fleets: [a.file, b.file], want: 'refused' },
    { name: 'another fleet, while the first is gone', owner: b, fleets: [b.file], want: 'refused' },
    {
      name: 'another fleet in the same folder',
      owner: { ...b, file: '../a/b.yaml' },
      fleets: [a.file],
      want: 'refused',
    },
  ]

  test.each(others)('and $name: $want', async ({ owner, fleets, want }) => {
    const output = await place(...fleets)
    await writeTree(OURS, writeOptions(output, { owner: a }), ports)
    const before = await readFile(join(output, '.stackmason-tree'), 'utf8')
    const codes = await writeTree(OURS, writeOptions(output, { owner }), ports).then(
      () => [],
      (thrown: unknown) =>
        thrown instanceof StackmasonError ? thrown.diagnostics.map(({ code }) => code) : ['failed'],
    )
    const after = await readFile(join(output, '.stackmason-tree'), 'utf8')
    const wantText = want.startsWith('fleet: ') ? before.replace('fleet: a', want) : before
    expect([codes, after]).toEqual([want === 'refused' ? ['WRITE_OTHER_FLEET'] : [], wantText])
  })

  test.each([
    { name: 'empty', text: '' },
    { name: 'of that name, without a path', text: 'fleet: b\n' },
    { name: 'half told', text: 'file: ../b/stackmason.yaml\n' },
  ])('whose owner is $name goes to the first that comes', async ({ text }) => {
    const output = await place(b.file)
    await putFiles(output, { '.stackmason-tree': text })
    await writeTree(THEIRS, writeOptions(output, { owner: b }), ports)
    expect(await readFile(join(output, '.stackmason-tree'), 'utf8')).toContain('fleet: b\nfile: ../b/stackmason.yaml\n')
  })

  test.each([
    { name: 'names another fleet without a path', text: 'fleet: a\n', want: 'WRITE_OTHER_FLEET' },
    { name: 'names another path without a fleet', text: 'file: ../a/stackmason.yaml\n', want: 'WRITE_OTHER_FLEET' },
    { name: 'says something else', text: '{}', want: 'WRITE_HAND_EDITED' },
    {
      name: 'has a note beside the fleet',
      text: 'fleet: b\nfile: ../b/stackmason.yaml\n# ask Ann\n',
      want: 'WRITE_HAND_EDITED',
    },
    { name: 'got another name', text: 'fleet: x\nfile: ../b/stackmason.yaml\n', want: 'WRITE_HAND_EDITED' },
  ])('is refused when its file $name: $want', async ({ text, want }) => {
    const output = await place(b.file)
    await writeTree(THEIRS, writeOptions(output, { owner: b }), ports)
    await putFiles(output, { '.stackmason-tree': text })
    const found = await diagnosticsOf(writeTree(THEIRS, writeOptions(output, { owner: b }), ports))
    expect(found.map(({ code, file }) => [code, file])).toEqual([[want, join(output, '.stackmason-tree')]])
    expect(await readFile(join(output, '.stackmason-tree'), 'utf8')).toBe(text)
  })

  test('neither takes a place in another tree nor removes one that is in it', async () => {
    const outer = await place(a.file, b.file)
    const inner = join(outer, 'sub/deep')
    await writeTree(OURS, writeOptions(outer, { owner: a }), ports)
    const before = await readAll(outer)
    const write = (output: string, owner: Owner): Promise<readonly unknown[]> =>
      diagnosticsOf(writeTree(THEIRS, writeOptions(output, { owner }), ports)).then((found) =>
        found.map(({ code, file }) => [code, file]),
      )
    expect(await write(inner, b)).toEqual([['WRITE_OTHER_FLEET', join(outer, '.stackmason-tree')]])
    expect(await readAll(outer)).toEqual(before)
    // a repository of its own is looked at as if nothing were around it
    await mkdir(join(inner, '../.git'), { recursive: true })
    await writeTree(THEIRS, writeOptions(inner, { owner: b }), ports)
    const both = await readAll(outer)
    expect(await write(outer, a)).toEqual([['WRITE_OTHER_FLEET', join(inner, '.stackmason-tree')]])
    expect(await readAll(outer)).toEqual(both)
  })

  test('taken over in a word: what the message says works', async () => {
    const output = await place(a.file, b.file)
    await writeTree(OURS, writeOptions(output, { owner: a }), ports)
    await writeFile(join(output, '.stackmason-tree'), `fleet: ${b.name}\nfile: ${b.file}\n`)
    await writeTree(THEIRS, writeOptions(output, { owner: b }), ports)
    expect(Object.keys(await readAll(join(output, 'clusters/ns')))).toContain('theirs/cluster/configmap-a.yaml')
  })
})
