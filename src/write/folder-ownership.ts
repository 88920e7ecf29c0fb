import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { hasGeneratedHead } from '../codec/text/generated-head.ts'
import { KUSTOMIZATION_FILE, OLD_INVENTORY, OWNER_FILE } from '../model/tree-path.ts'
import { noHashes } from './folder-hashes.ts'
import { listedFiles } from './kustomization-file.ts'
import { readOldInventory } from './old-inventory.ts'
import type { FolderState } from './read-tree.ts'
import type { WrittenRecord } from './written-record.ts'

/** Which files of a folder are ours. */
export interface FolderOwnership {
  /** True if anything here shows that stackmason wrote to the folder. */
  readonly isOurs: boolean
  /**
   * Names of files: `written` ones are ours by their own first line or by a record; `listed` ones only by our
   * kustomization.yaml, so they may be replaced but not removed.
   */
  readonly names: ReadonlyMap<string, 'written' | 'listed'>
  /** Hashes of what stackmason wrote, by name, as far as a record tells. */
  readonly hashes: ReadonlyMap<string, readonly string[]>
}

/** Finds out which files of a folder are ours. `written` is the record of this clone; it may be empty. */
export function findOwnership(state: FolderState, written: Pick<WrittenRecord, 'get'>): FolderOwnership {
  const text = (name: string): string => decodeUtf8(state.bytes.get(name) ?? new Uint8Array())
  const inventory = readOldInventory(state.bytes.has(OLD_INVENTORY) ? text(OLD_INVENTORY) : '')
  const recorded = written.get(state.path) ?? noHashes
  const names = new Map<string, 'written' | 'listed'>()
  const hashes = new Map<string, readonly string[]>()
  for (const name of listedFiles(text(KUSTOMIZATION_FILE))) names.set(name, 'listed')
  for (const name of new Set([...state.types.keys(), ...inventory.keys()])) {
    const hashesOfName = [inventory.get(name), recorded.get(name)]
    const known = hashesOfName.filter((hash) => hash !== undefined)
    if (known.length > 0) hashes.set(name, known)
    const isOurs =
      known.length > 0 || (isOursByName(name) && state.bytes.has(name)) || startsAsOurs(state.bytes.get(name))
    if (isOurs) names.set(name, 'written')
  }
  const isOurs = [...names].some(([name, by]) => by === 'written' && name !== OWNER_FILE)
  // every folder that we write to has one of ours, whatever became of its first line
  if (isOurs && state.types.has(KUSTOMIZATION_FILE)) names.set(KUSTOMIZATION_FILE, 'written')
  return { isOurs: isOurs || state.types.has(OWNER_FILE), names, hashes }
}

function isOursByName(name: string): boolean {
  return name === OWNER_FILE || name === OLD_INVENTORY
}

function startsAsOurs(bytes: Uint8Array | undefined): boolean {
  return bytes !== undefined && hasGeneratedHead(decodeUtf8(bytes.subarray(0, 100)))
}
