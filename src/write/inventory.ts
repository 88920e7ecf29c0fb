import { formatManifestYaml } from '../codec/manifest-yaml.ts'
import { parseGoYaml, YamlError } from '../codec/go-yaml-parse.ts'
import { dict, Dict, type Value } from '../model/value.ts'

/** The file in each folder of the tree that lists what stackmason wrote there. */
export const INVENTORY_FILE = '.stackmason-inventory.yaml'

/** Argo CD skips files with its marker, should somebody point a plain directory Application at the tree. */
const HEADER = '# Written by stackmason: change its inputs instead. +argocd:skip-file-rendering\n'

const API_VERSION = 'stackmason.dev/v1alpha1'

/** One file that stackmason owns. */
export interface InventoryEntry {
  /** The file's name; it lies in the inventory's own folder. */
  readonly path: string
  /** Lower-case hex of the content as it was written. */
  readonly sha256: string
  /** `<apiVersion> <kind> <namespace>/<name>`, without `<namespace>/` when cluster-scoped; absent for kustomization.yaml. */
  readonly object?: string
  /** The template or fleet file that the object comes from. */
  readonly template?: string
}

/** What an inventory file says. */
export interface Inventory {
  readonly files: readonly InventoryEntry[]
}

/** Writes an inventory (schemas/inventory.json): one block of lines per file, so that git merges changes to different files. */
export function formatInventory(inventory: Inventory): string {
  const head = formatOwnFile(
    dict([
      ['apiVersion', API_VERSION],
      ['kind', 'Inventory'],
    ]),
  )
  return inventory.files.length === 0 ? `${head}files: []\n` : head + FILES + inventory.files.map(blockOf).join('')
}

const FILES = 'files:\n'

/** The lines of entries, which many inventories share; they do not depend on what stands around them. */
const blocks = new WeakMap<InventoryEntry, string>()

function blockOf(entry: InventoryEntry): string {
  const known = blocks.get(entry)
  if (known !== undefined) return known
  const fields = dict([
    ['path', entry.path],
    ['sha256', entry.sha256],
    ...optional('object', entry.object),
    ...optional('template', entry.template),
  ])
  const block = formatManifestYaml(dict([['files', [fields]]])).slice(FILES.length)
  blocks.set(entry, block)
  return block
}

/** Writes a file of the tree that is no Kubernetes object, under a header that says whose it is. */
export function formatOwnFile(object: Dict): string {
  return HEADER + formatManifestYaml(object)
}

function optional(key: string, value: string | undefined): readonly (readonly [string, Value])[] {
  return value === undefined ? [] : [[key, value]]
}

/** Why an inventory cannot be used; one clause for a message. */
export interface InventoryDamage {
  readonly damage: string
}

/** Reads an inventory, or says what is wrong with it. Paths that lead out of the folder count as damage. */
export function parseInventory(text: string): Inventory | InventoryDamage {
  if (/^(?:<{7}|={7}|>{7})(?: |$)/m.test(text)) return { damage: 'it holds merge conflict markers' }
  let root: Value
  try {
    root = parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return { damage: `it is not valid YAML: ${error.message}` }
    throw error
  }
  if (!(root instanceof Dict) || root.get('kind') !== 'Inventory') return { damage: 'it is not an Inventory' }
  const version = root.get('apiVersion')
  if (version !== API_VERSION) {
    return { damage: `its apiVersion is ${typeof version === 'string' ? version : 'missing'}, not ${API_VERSION}` }
  }
  const files = root.get('files')
  if (!Array.isArray(files)) return { damage: 'it has no list of files' }
  const entries: InventoryEntry[] = []
  const seen = new Set<string>()
  for (const [index, file] of files.entries()) {
    const entry = readEntry(file)
    if (entry === undefined || seen.has(entry.path)) return { damage: `entry ${index + 1} of its files is not valid` }
    seen.add(entry.path)
    entries.push(entry)
  }
  return { files: entries }
}

function readEntry(value: Value): InventoryEntry | undefined {
  if (!(value instanceof Dict)) return undefined
  const path = value.get('path')
  const hash = value.get('sha256')
  const object = value.get('object')
  const template = value.get('template')
  if (typeof path !== 'string' || !isPlainName(path)) return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return undefined
  return {
    path,
    sha256: hash,
    ...(typeof object === 'string' ? { object } : {}),
    ...(typeof template === 'string' ? { template } : {}),
  }
}

/** Whether the text names a file of the folder itself, on every system. */
function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && name !== INVENTORY_FILE && !/[/\\\0]/.test(name)
}
