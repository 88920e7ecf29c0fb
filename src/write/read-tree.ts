import { joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/utf8.ts'
import type { DirectoryEntry, Files, FileType } from '../model/ports.ts'
import { CONTROL_FOLDER } from './control-folder.ts'
import { INVENTORY_FILE, type Inventory, type InventoryDamage, parseInventory } from './inventory.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { isSameText } from './same-text.ts'
import type { FolderContent } from './serialize-folder.ts'

/** What lies in the folders of the output folder, by path relative to it. Links are listed, never followed. */
export type TreeListing = ReadonlyMap<string, readonly DirectoryEntry[]>

/** What lies in one folder, with the bytes of the files that matter: those of its inventory and those to be written. */
export interface FolderState {
  readonly path: string
  readonly types: ReadonlyMap<string, FileType>
  readonly bytes: ReadonlyMap<string, Uint8Array>
  readonly inventory?: Inventory | InventoryDamage
}

/** Lists every folder at or below `scopes`, the output folder itself, and those on the way to a scope. */
export async function listTree(output: string, scopes: readonly string[], files: Files): Promise<TreeListing> {
  const listing = new Map<string, readonly DirectoryEntry[]>()
  let level: readonly string[] = ['']
  while (level.length > 0) {
    const found = await mapConcurrently(level, async (path) => {
      const entries = await files.entries(joinPath(output, path))
      listing.set(path, entries)
      return entries
        .filter((entry) => entry.type === 'directory' && !(path === '' && entry.name === CONTROL_FOLDER))
        .map((entry) => (path === '' ? entry.name : `${path}/${entry.name}`))
        .filter((folder) => scopes.some((scope) => isAtOrBelow(folder, scope) || isAtOrBelow(scope, folder)))
    })
    level = found.flat()
  }
  return listing
}

/** Whether a folder of the tree is `scope` or lies below it; `''` is the whole tree. */
export function isAtOrBelow(path: string, scope: string): boolean {
  return scope === '' || path === scope || path.startsWith(`${scope}/`)
}

/** Reads what a plan for the folder needs to know. */
export async function readFolderState(
  folder: { readonly path: string; readonly entries: readonly DirectoryEntry[]; readonly content?: FolderContent },
  options: { readonly output: string; readonly files: Files },
): Promise<FolderState> {
  const types = new Map(folder.entries.map((entry) => [entry.name, entry.type]))
  const bytes = new Map<string, Uint8Array>()
  async function readFile(name: string): Promise<void> {
    if (types.get(name) !== 'file') return
    bytes.set(name, await options.files.read(joinPath(options.output, folder.path, name)))
  }
  await readFile(INVENTORY_FILE)
  const inventoryBytes = bytes.get(INVENTORY_FILE)
  const inventory = inventoryBytes === undefined ? undefined : readInventory(inventoryBytes, folder.content)
  const listed = inventory !== undefined && 'files' in inventory ? inventory.files.map((entry) => entry.path) : []
  for (const name of new Set([...listed, ...(folder.content?.files.keys() ?? [])])) await readFile(name)
  return { path: folder.path, types, bytes, ...(inventory === undefined ? {} : { inventory }) }
}

/** Parsing is spared where nothing changed, which is almost everywhere. */
function readInventory(bytes: Uint8Array, content: FolderContent | undefined): Inventory | InventoryDamage {
  if (content === undefined || !isSameText(bytes, content.inventory)) return parseInventory(decodeUtf8(bytes))
  return { files: Array.from(content.files.values(), (file) => file.entry) }
}
