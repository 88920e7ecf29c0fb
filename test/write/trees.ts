import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Manifest, RenderedFolder, RenderedTree } from '../../src/model/manifest.ts'
import type { Ports } from '../../src/model/ports.ts'
import { dict } from '../../src/model/value.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import type { WriteOptions } from '../../src/write/write-tree.ts'

export const ports: Ports = createNodePorts()

/** A ConfigMap as a manifest; `value` is its data. */
export function configMap(name: string, value = 'x', over: Partial<Manifest> = {}): Manifest {
  const namespace = 'namespace' in over ? over.namespace : 'kube-system'
  const manifest: Manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    object: dict([
      ['apiVersion', 'v1'],
      ['kind', 'ConfigMap'],
      ['metadata', dict([['name', name], ...(namespace === undefined ? [] : [['namespace', namespace] as const])])],
      ['data', dict([['value', value]])],
    ]),
    origin: { from: 'docker-demo-1-32-v1', unit: 'cni', template: 'cni/templates/config.yaml' },
    ...over,
  }
  return namespace === undefined ? manifest : { ...manifest, namespace }
}

/** The fleet of these tests. */
const OWNER: WriteOptions['owner'] = { name: 'fleet', file: '../stackmason.yaml' }

const WHOLE: readonly string[] = ['']

/** A tree of ConfigMaps: folder → name → value. */
export function treeOf(
  folders: Readonly<Record<string, Readonly<Record<string, string>>>>,
  scopes: readonly string[] = WHOLE,
): RenderedTree {
  const list: readonly RenderedFolder[] = Object.entries(folders).map(([path, objects]) => ({
    path,
    manifests: Object.entries(objects).map(([name, value]) => configMap(name, value)),
  }))
  return { folders: list, scopes }
}

/** Options for an output folder. */
export function writeOptions(output: string, over: Partial<WriteOptions> = {}): WriteOptions {
  return { output, owner: OWNER, allowEmpty: false, overwriteEdited: false, ...over }
}

/** Every file below a folder with its text; folders that hold nothing end in a slash. */
export async function readAll(folder: string, prefix = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const entries = (await readdir(join(folder, prefix), { withFileTypes: true })).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  for (const entry of entries) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) {
      const below = await readAll(folder, path)
      Object.assign(found, Object.keys(below).length === 0 ? { [`${path}/`]: '' } : below)
    } else
      found[path] = entry.isFile()
        ? await readFile(join(folder, path), 'utf8')
        : `(${entry.isSymbolicLink() ? 'link' : 'other'})`
  }
  return found
}

/** The same without what stays in the control folder, which git never sees. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const all = Object.entries(await readAll(folder))
  return Object.fromEntries(all.filter(([path]) => !path.startsWith('.stackmason/')))
}

/** Puts files into a folder; a value that starts with `-> ` makes a link. */
export async function putFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    if (text.startsWith('-> ')) await symlink(text.slice(3), join(folder, path))
    else if (path.endsWith('/')) await mkdir(join(folder, path), { recursive: true })
    else await writeFile(join(folder, path), text)
  }
}
