import { mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import type { RenderedTree } from '../../src/model/manifest.ts'
import { dict } from '../../src/model/value.ts'
import { checkTree, writeTree, type WriteOptions, type WholeResult } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { configMap, ports, putFiles, readAll, readTree, treeOf, writeOptions } from './trees.ts'

const CNI = 'clusters/ns/c/addons/01-cni'
const CSI = 'clusters/ns/c/addons/02-csi'
const BASE = treeOf({ [CNI]: { a: '1', b: '1' }, [CSI]: { a: '1' } })

async function write(output: string, tree: RenderedTree, over: Partial<WriteOptions> = {}): Promise<WholeResult> {
  return writeTree(tree, writeOptions(output, over), ports)
}

async function check(output: string, tree: RenderedTree): Promise<WholeResult> {
  return checkTree(tree, writeOptions(output), ports)
}

/** What a run is refused with, as `CODE path`, and that it changed nothing. */
async function refusal(
  output: string,
  tree: RenderedTree,
  over: Partial<WriteOptions> = {},
): Promise<readonly string[]> {
  const before = await readAll(output)
  const diagnostics = await diagnosticsOf(write(output, tree, over))
  expect(await readAll(output)).toEqual(before)
  return diagnostics.map((found) => `${found.code} ${found.file?.replace(`${output}/`, '') ?? ''}`)
}

const changesOf = (result: WholeResult): readonly string[] =>
  result.changes.map(({ path, change }) => `${change} ${path}`)

describe('writeTree', () => {
  test('writes one file per object, a kustomization per folder, whose tree it is, and nothing else', async () => {
    const output = join(await tempFolder(), 'new/rendered')
    const result = await write(output, BASE)
    const files = await readTree(output)
    expect(Object.keys(files)).toEqual([
      '.stackmason-tree',
      `${CNI}/configmap-a.yaml`,
      `${CNI}/configmap-b.yaml`,
      `${CNI}/kustomization.yaml`,
      `${CSI}/configmap-a.yaml`,
      `${CSI}/kustomization.yaml`,
    ])
    expect(result).toEqual({
      changes: Object.keys(files).map((path) => ({ path, change: 'added' })),
      unchanged: 0,
      findings: [],
    })
    expect(parseGoYaml(files[`${CNI}/kustomization.yaml`] ?? '')).toEqual(
      dict([
        ['apiVersion', 'kustomize.config.k8s.io/v1beta1'],
        ['kind', 'Kustomization'],
        ['resources', ['configmap-a.yaml', 'configmap-b.yaml']],
      ]),
    )
    expect(parseGoYaml(files[`${CNI}/configmap-a.yaml`] ?? '')).toEqual(configMap('a', '1').object)
  })

  test('a folder names what it includes in the given order, but for folders that stay empty', async () => {
    const output = await tempFolder()
    const ADDONS = 'clusters/ns/c/addons'
    const includes = ['02-csi', '01-cni', '03-none', '04-nothing']
    const { folders } = treeOf({
      [ADDONS]: { z: '1' },
      [CNI]: { a: '1' },
      [CSI]: { a: '1' },
      [`${ADDONS}/03-none`]: {},
      [`${ADDONS}/04-nothing`]: {},
    })
    const tree = folders.map((folder) => {
      if (folder.path === ADDONS) return { ...folder, includes }
      return folder.path.endsWith('nothing') ? { ...folder, includes: ['deeper'] } : folder
    })
    await write(output, { folders: [...tree, { path: `${ADDONS}/04-nothing/deeper`, manifests: [] }], scopes: [''] })
    const files = await readAll(output)
    expect(files[`${ADDONS}/kustomization.yaml`]).toMatch(/\nresources:\n- configmap-z\.yaml\n- 02-csi\n- 01-cni\n$/)
    expect(Object.keys(files).filter((path) => path.includes('/03-') || path.includes('/04-'))).toEqual([])
  })

  test('a second run touches nothing', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    const file = join(output, CNI, 'configmap-a.yaml')
    await utimes(file, 1, 1)
    expect(await write(output, BASE)).toEqual({ changes: [], unchanged: 6, findings: [] })
    expect((await stat(file)).mtimeMs).toBe(1000)
    expect(await check(output, BASE)).toEqual({ changes: [], unchanged: 6, findings: [] })
  })

  test('a changed object touches its file, nothing else', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    const other = join(output, CNI, 'configmap-b.yaml')
    await utimes(other, 1, 1)
    const changed = treeOf({ [CNI]: { a: '2', b: '1' }, [CSI]: { a: '1' } })
    const want = [`changed ${CNI}/configmap-a.yaml`]
    expect(changesOf(await check(output, changed))).toEqual(want)
    expect(changesOf(await write(output, changed))).toEqual(want)
    expect((await stat(other)).mtimeMs).toBe(1000)
    expect(await readFile(join(output, CNI, 'configmap-a.yaml'), 'utf8')).toContain('value: "2"')
  })

  test('prunes what is not rendered any more, and folders that become empty', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    const result = await write(output, treeOf({ [CNI]: { b: '1' } }))
    expect(changesOf(result)).toEqual([
      `removed ${CNI}/configmap-a.yaml`,
      `changed ${CNI}/kustomization.yaml`,
      `removed ${CSI}/configmap-a.yaml`,
      `removed ${CSI}/kustomization.yaml`,
    ])
    expect(Object.keys(await readTree(output))).toEqual([
      '.stackmason-tree',
      `${CNI}/configmap-b.yaml`,
      `${CNI}/kustomization.yaml`,
    ])
  })

  test('prunes only within its scopes', async () => {
    const output = await tempFolder()
    await write(output, treeOf({ [CNI]: { a: '1' }, [CSI]: { a: '1' }, 'clusters/ns/d/addons/01-cni': { a: '1' } }))
    const result = await write(output, treeOf({ [CNI]: { a: '1' } }, ['clusters/ns/c']))
    expect(changesOf(result)).toEqual([`removed ${CSI}/configmap-a.yaml`, `removed ${CSI}/kustomization.yaml`])
    expect(await readAll(join(output, 'clusters/ns'))).toHaveProperty(['d/addons/01-cni/configmap-a.yaml'])
  })

  test('a scope is a folder, not the beginning of a name', async () => {
    const output = await tempFolder()
    await write(output, treeOf({ 'clusters/ns/c': { a: '1' }, 'clusters/ns/c2': { a: '1' } }))
    const result = await write(output, treeOf({ 'clusters/ns/c': { a: '1' } }, ['clusters/ns/c']))
    expect(result.changes).toEqual([])
  })

  test('a narrowed first run can be followed by a full one', async () => {
    const output = await tempFolder()
    await write(output, treeOf({ [CNI]: { a: '1', b: '1' } }, [CNI]))
    expect((await write(output, BASE)).changes.map(({ change }) => change)).toEqual(['added', 'added'])
  })

  test('writes back a file that was deleted', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    const before = await readAll(output)
    await rm(join(output, CNI, 'configmap-a.yaml'))
    await rm(join(output, CSI), { recursive: true })
    expect(changesOf(await write(output, BASE))).toEqual([
      `changed ${CNI}/configmap-a.yaml`,
      `added ${CSI}/configmap-a.yaml`,
      `added ${CSI}/kustomization.yaml`,
    ])
    expect(await readAll(output)).toEqual(before)
  })

  test('line endings that git changed are no edit', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    for (const [path, text] of Object.entries(await readAll(output))) {
      await writeFile(join(output, path), text.replaceAll('\n', '\r\n'))
    }
    expect((await check(output, BASE)).changes).toEqual([])
    const changed = treeOf({ [CNI]: { a: '2', b: '1' }, [CSI]: { a: '1' } })
    expect((await write(output, changed)).changes).toHaveLength(1)
  })
})

describe('what somebody else wrote', () => {
  const refusals: readonly {
    name: string
    present: Readonly<Record<string, string>>
    isRendered: boolean
    want: readonly string[]
  }[] = [
    {
      name: 'an output folder with files',
      present: { 'main.go': 'x' },
      isRendered: false,
      want: ['WRITE_NOT_OWNED .'],
    },
    {
      name: 'an output folder with folders',
      present: { 'src/main.go': 'x' },
      isRendered: false,
      want: ['WRITE_NOT_OWNED .'],
    },
    {
      name: 'a folder with files, none of them ours',
      present: { 'clusters/new/x.yaml': 'x' },
      isRendered: true,
      want: ['WRITE_NOT_OWNED clusters/new'],
    },
    {
      name: 'a file that we did not write',
      present: { [`${CNI}/configmap-new.yaml`]: 'x' },
      isRendered: true,
      want: [`WRITE_NOT_OWNED ${CNI}/configmap-new.yaml`],
    },
    {
      name: 'such a file in other letter case',
      present: { [`${CNI}/ConfigMap-new.yaml`]: 'x' },
      isRendered: true,
      want: [`WRITE_NOT_OWNED ${CNI}/ConfigMap-new.yaml`],
    },
    {
      name: 'a folder where a file goes',
      present: { [`${CNI}/configmap-new.yaml/`]: '' },
      isRendered: true,
      want: [`WRITE_NOT_OWNED ${CNI}/configmap-new.yaml`],
    },
    {
      name: 'a link where a file goes',
      present: { [`${CNI}/configmap-new.yaml`]: '-> /etc/hostname' },
      isRendered: true,
      want: [`WRITE_NOT_OWNED ${CNI}/configmap-new.yaml`],
    },
    {
      name: 'a link where a folder goes',
      present: { 'clusters/new': '-> /tmp' },
      isRendered: true,
      want: ['WRITE_NOT_OWNED clusters/new'],
    },
    {
      name: 'a file where a folder goes',
      present: { 'clusters/new': 'x' },
      isRendered: true,
      want: ['WRITE_NOT_OWNED clusters/new'],
    },
    {
      name: 'a link where older versions had an inventory',
      present: { 'clusters/new/.stackmason-inventory.yaml': '-> /etc/hostname' },
      isRendered: true,
      want: ['WRITE_NOT_OWNED clusters/new'],
    },
  ]
  const wanted = treeOf({ [CNI]: { a: '1', b: '1', new: '1' }, [CSI]: { a: '1' }, 'clusters/new': { a: '1' } })

  test.each(refusals)('refuses $name', async ({ present, isRendered, want }) => {
    const output = await tempFolder()
    if (isRendered) await write(output, BASE)
    await putFiles(output, present)
    expect(await refusal(output, wanted)).toEqual(want.map((line) => line.replace(/ \.$/, ` ${output}`)))
    const codes = want.map((line) => line.split(' ')[0])
    expect((await check(output, wanted)).findings.map((found) => found.code)).toEqual(codes)
  })

  test('takes a file that is in the way but says the same', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    const file = await readFile(join(output, CNI, 'configmap-b.yaml'), 'utf8')
    await write(output, treeOf({ [CNI]: { a: '1' }, [CSI]: { a: '1' } }))
    await writeFile(join(output, CNI, 'configmap-b.yaml'), file)
    expect(changesOf(await write(output, BASE))).toEqual([`changed ${CNI}/kustomization.yaml`])
  })

  test('a link or a file as the output folder', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'real'))
    await symlink(join(folder, 'real'), join(folder, 'link'))
    await writeFile(join(folder, 'file'), '')
    for (const name of ['link', 'file']) {
      const [found] = await diagnosticsOf(write(join(folder, name), BASE))
      expect([found?.code, found?.file]).toEqual(['WRITE_NOT_OWNED', join(folder, name)])
    }
    expect(await readAll(join(folder, 'real'))).toEqual({})
  })

  test('a link as the control folder', async () => {
    const output = await tempFolder()
    await symlink('/tmp', join(output, '.stackmason'))
    expect(await refusal(output, BASE)).toEqual(['WRITE_NOT_OWNED .stackmason'])
  })

  test.each([
    { name: 'staging', place: '.stackmason/staging' },
    { name: 'kept', place: '.stackmason/kept' },
  ])('a link as $name below the control folder changes nothing where it leads', async ({ place }) => {
    const output = await tempFolder()
    const elsewhere = await tempFolder()
    await write(output, BASE)
    const theirs = { 'new-0': 'precious', 'kept-0': 'precious', 'journal.json': 'precious', other: 'precious' }
    await putFiles(elsewhere, theirs)
    await putFiles(output, { [place]: `-> ${elsewhere}` })
    const before = await readAll(output)
    const changed = treeOf({ [CNI]: { a: '2' } })
    for (const run of [write(output, changed), checkTree(changed, writeOptions(output), ports)]) {
      expect(await diagnosticsOf(run)).toEqual([
        {
          code: 'WRITE_NOT_OWNED',
          severity: 'error',
          message: 'a folder is to be written here, and a link is in the way',
          file: join(output, place),
          hint: 'Remove it, then run again; links are not followed.',
        },
      ])
    }
    expect([await readAll(elsewhere), await readAll(output)]).toEqual([theirs, before])
  })

  test('files beside ours stay, even when our folder goes', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    await putFiles(output, { [`${CSI}/notes.txt`]: 'mine', 'README.md': 'mine', 'clusters/ns/c/link': '-> /tmp' })
    await write(output, treeOf({ [CNI]: { a: '1' } }))
    const files = await readAll(output)
    expect(Object.keys(files).filter((path) => path.startsWith(CSI))).toEqual([`${CSI}/notes.txt`])
    expect([files['README.md'], files['clusters/ns/c/link']]).toEqual(['mine', '(link)'])
  })

  test("git's own files do not make a folder somebody else's", async () => {
    const output = await tempFolder()
    await putFiles(output, { '.gitkeep': '', '.gitattributes': '* -text\n', [`${CNI}/.gitignore`]: '' })
    // The folder of .gitignore lies there already, so the output folder is not empty and does not say whose it is.
    expect(await refusal(output, BASE)).toEqual([`WRITE_NOT_OWNED ${output}`])
    await rm(join(output, 'clusters'), { recursive: true })
    expect((await write(output, BASE)).changes).toHaveLength(6)
  })
})

describe('files edited by hand', () => {
  const edited = `${CNI}/configmap-a.yaml`

  test.each([
    { name: 'rendered as before', tree: BASE },
    { name: 'rendered anew', tree: treeOf({ [CNI]: { a: '2', b: '1' }, [CSI]: { a: '1' } }) },
    { name: 'not rendered any more', tree: treeOf({ [CNI]: { b: '1' }, [CSI]: { a: '1' } }) },
    { name: 'its folder not rendered any more', tree: treeOf({ [CSI]: { a: '1' } }) },
  ])('are reported and kept: $name', async ({ tree }) => {
    const output = await tempFolder()
    await write(output, BASE)
    await putFiles(output, { [edited]: 'edited', [`${CSI}/configmap-a.yaml`]: 'edited too' })
    const want = [`WRITE_HAND_EDITED ${edited}`, `WRITE_HAND_EDITED ${CSI}/configmap-a.yaml`]
    expect(await refusal(output, tree)).toEqual(want)
    expect((await check(output, tree)).findings).toHaveLength(2)
    await write(output, tree, { overwriteEdited: true })
    expect((await check(output, tree)).changes).toEqual([])
  })

  test('an edit that says what is rendered now is fine', async () => {
    const output = await tempFolder()
    const changed = treeOf({ [CNI]: { a: '2', b: '1' }, [CSI]: { a: '1' } })
    await write(output, changed)
    const text = await readFile(join(output, edited), 'utf8')
    await write(output, BASE)
    await writeFile(join(output, edited), text)
    expect(changesOf(await write(output, changed))).toEqual([])
  })

  test('a file outside of the scopes is not looked at', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    await putFiles(output, { [edited]: 'edited' })
    expect((await write(output, treeOf({ [CSI]: { a: '1' } }, [CSI]))).changes).toEqual([])
  })
})

describe('nothing where there were objects', () => {
  test.each([
    { name: 'a folder', tree: treeOf({ [CNI]: {}, [CSI]: { a: '1' } }), want: [`WRITE_EMPTY ${CNI}`] },
    { name: 'the whole tree', tree: treeOf({}), want: ['WRITE_EMPTY .'] },
    {
      name: 'every folder',
      tree: treeOf({ [CNI]: {}, [CSI]: {} }),
      want: [`WRITE_EMPTY ${CNI}`, `WRITE_EMPTY ${CSI}`],
    },
    { name: 'a scope', tree: treeOf({ [CSI]: { a: '1' } }, [CNI, CSI]), want: [`WRITE_EMPTY ${CNI}`] },
  ])('needs a word: $name', async ({ tree, want }) => {
    const output = await tempFolder()
    await write(output, BASE)
    expect(await refusal(output, tree)).toEqual(want.map((line) => line.replace(/ \.$/, ` ${output}`)))
    expect((await check(output, tree)).findings.map((found) => found.code)).toEqual(want.map(() => 'WRITE_EMPTY'))
    await write(output, tree, { allowEmpty: true })
    expect((await check(output, tree)).changes).toEqual([])
  })

  test('the output folder stays ours', async () => {
    const output = await tempFolder()
    await write(output, BASE)
    await write(output, treeOf({}), { allowEmpty: true })
    expect(Object.keys(await readTree(output))).toEqual(['.stackmason-tree'])
    expect((await write(output, BASE)).changes).toHaveLength(5)
  })

  test('a folder that never had objects needs none', async () => {
    const output = await tempFolder()
    const result = await write(output, treeOf({ [CNI]: {} }))
    expect(changesOf(result)).toEqual(['added .stackmason-tree'])
    expect((await write(output, treeOf({ [CNI]: {} }))).changes).toEqual([])
  })

  test('an empty tree makes no output folder', async () => {
    const output = join(await tempFolder(), 'rendered')
    expect((await write(output, treeOf({}))).changes).toEqual([])
    expect((await check(output, treeOf({}))).changes).toEqual([])
    await expect(stat(output)).rejects.toThrow('ENOENT')
  })
})

describe('conflicts', () => {
  test('two objects for one file, in every folder', async () => {
    const output = await tempFolder()
    const twice = { manifests: [configMap('a', '1'), configMap('a', '2')] }
    const tree: RenderedTree = {
      folders: [
        { path: CNI, ...twice },
        { path: CSI, ...twice },
      ],
      scopes: [''],
    }
    expect(await refusal(output, tree)).toEqual([
      `WRITE_PATH_CONFLICT ${CNI}/configmap-a.yaml`,
      `WRITE_PATH_CONFLICT ${CSI}/configmap-a.yaml`,
    ])
  })

  test('a tree that contradicts itself is a defect', async () => {
    const output = await tempFolder()
    const folder = { path: CNI, manifests: [] }
    await expect(write(output, { folders: [folder, folder], scopes: [''] })).rejects.toThrow('is rendered twice')
    await expect(write(output, { folders: [folder], scopes: ['stacks'] })).rejects.toThrow('outside of what the run')
  })
})
