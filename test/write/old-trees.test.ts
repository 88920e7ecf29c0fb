import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readOldInventory } from '../../src/write/old-inventory.ts'
import { checkTree, writeTree, type WholeResult } from '../../src/write/write-tree.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ports, putFiles, readTree, treeOf, writeOptions } from './trees.ts'

const CNI = 'clusters/ns/c/addons/01-cni'
const A = `${CNI}/configmap-a.yaml`
const GONE = `${CNI}/configmap-gone.yaml`
const HEADER = '# Written by stackmason: change its inputs instead. +argocd:skip-file-rendering\n'
const INVENTORY = '.stackmason-inventory.yaml'

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: kube-system\ndata:\n  value: "1"\n`

function inventoryOf(files: Readonly<Record<string, string>>): string {
  const head = `${HEADER}apiVersion: stackmason.dev/v1alpha1\nkind: Inventory\n`
  const entries = Object.entries(files).map(
    ([name, text]) => `- path: ${name}\n  sha256: ${createHash('sha256').update(text).digest('hex')}\n`,
  )
  return entries.length === 0 ? `${head}files: []\n` : `${head}files:\n${entries.join('')}`
}

/** A tree as versions before 0.2 wrote it. */
async function oldTree(): Promise<string> {
  const output = await tempFolder()
  const files = {
    'configmap-a.yaml': configMap('a'),
    'configmap-gone.yaml': configMap('gone'),
    'kustomization.yaml': `${HEADER}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- configmap-a.yaml\n- configmap-gone.yaml\n`,
  }
  await putFiles(output, {
    [INVENTORY]: inventoryOf({}),
    [`${CNI}/${INVENTORY}`]: inventoryOf(files),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${CNI}/${name}`, text])),
  })
  return output
}

const NEW = treeOf({ [CNI]: { a: '1' } })

const run = (output: string): Promise<WholeResult> => writeTree(NEW, writeOptions(output), ports)

describe('a tree with inventories', () => {
  test('is taken over by the next render, also without git', async () => {
    const output = await oldTree()
    const { changes } = await run(output)
    expect(changes.map(({ path, change }) => `${change} ${path}`)).toEqual([
      `removed ${INVENTORY}`,
      'added .stackmason-tree',
      `removed ${CNI}/${INVENTORY}`,
      `changed ${A}`,
      `removed ${GONE}`,
      `changed ${CNI}/kustomization.yaml`,
    ])
    const fresh = await tempFolder()
    await run(fresh)
    expect(await readTree(output)).toEqual(await readTree(fresh))
    expect((await checkTree(NEW, writeOptions(output), ports)).changes).toEqual([])
  })

  test('changes nothing of the objects but their first lines', async () => {
    const output = await oldTree()
    await run(output)
    const text = await readFile(join(output, A), 'utf8')
    expect(text.split('\n').slice(2).join('\n')).toBe(configMap('a'))
  })

  test.each([A, GONE, `${CNI}/kustomization.yaml`])('keeps an edit of %s', async (path) => {
    const output = await oldTree()
    await appendFile(join(output, path), '# mine\n')
    const before = await readTree(output)
    const found = await diagnosticsOf(run(output))
    expect(found.map(({ code, file }) => `${code} ${file ?? ''}`)).toEqual([`WRITE_HAND_EDITED ${join(output, path)}`])
    expect(await readTree(output)).toEqual(before)
  })

  test.each([
    ['missing', undefined],
    ['in conflict', '<<<<<<< HEAD\nfiles: []\n'],
    ['no YAML', 'files: ['],
  ])('of which one is %s: what it does not prove counts as edited, and nothing is removed', async (_, text) => {
    const output = await oldTree()
    if (text === undefined) await rm(join(output, CNI, INVENTORY))
    else await writeFile(join(output, CNI, INVENTORY), text)
    expect((await diagnosticsOf(run(output))).map(({ code }) => code)).toEqual([
      'WRITE_HAND_EDITED',
      'WRITE_HAND_EDITED',
      'WRITE_HAND_EDITED',
    ])
  })
})

describe('readOldInventory', () => {
  const hash = 'ab'.repeat(32)
  const entry = (path: string, sum = hash): string =>
    `apiVersion: stackmason.dev/v1alpha1\nkind: Inventory\nfiles:\n- path: ${path}\n  sha256: ${sum}\n`

  test.each(['../x', '..', '.', 'a/b', 'a\\b', '""', '"a\\0b"', '7'])('passes over the path %s', (path) => {
    expect(readOldInventory(entry(path))).toEqual(new Map())
  })

  test.each(['', '[]', 'kind: Other', entry('a.yaml', 'abc'), 'kind: Inventory\nfiles: 7'])(
    'reads nothing from %j',
    (text) => {
      expect(readOldInventory(text)).toEqual(new Map())
    },
  )

  test('reads names and hashes', () => {
    expect(readOldInventory(entry('a.yaml'))).toEqual(new Map([['a.yaml', hash]]))
  })
})
