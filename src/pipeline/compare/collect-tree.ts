import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { Ports } from '../../model/ports.ts'
import { type KnownFiles, serializeFolder } from '../../write/serialize-folder.ts'
import { type BlobHash, blobId, type OpenTree } from './open-tree.ts'

/** A tree in memory that grows folder by folder. */
export interface CollectedTree {
  readonly add: (folder: RenderedFolder) => void
  /** Adds files that are as in the base. */
  readonly addKnown: (paths: Iterable<string>) => void
  /** The files of a folder that was added. */
  readonly filesOf: (folder: string) => ReadonlyMap<string, string>
  /** The tree so far. */
  readonly tree: OpenTree
}

/** How a tree is collected. */
export interface CollectOptions {
  readonly label: string
  readonly hash: BlobHash
  /** The tree that it will be compared with: what is the same there is read there, and not kept. */
  readonly base?: OpenTree
  readonly ports: Pick<Ports, 'crypto'>
}

/** Collects folders as they would be written; equal files are kept once. */
export function collectTree({ label, hash, base, ports }: CollectOptions): CollectedTree {
  const files = new Map<string, string>()
  const texts = new Map<string, Uint8Array>()
  const known: KnownFiles = new WeakMap()
  const ids = new WeakMap<Uint8Array, string>()
  const folders = new Map<string, Map<string, string>>()
  return {
    add: (folder) => {
      const content = serializeFolder(folder, ports.crypto, known)
      for (const [name, { bytes }] of content.files) {
        const id = ids.get(bytes) ?? blobId(bytes, { hash, ports })
        ids.set(bytes, id)
        const path = content.path === '' ? name : `${content.path}/${name}`
        files.set(path, id)
        const own = folders.get(folder.path) ?? new Map<string, string>()
        folders.set(folder.path, own.set(path, id))
        if (base?.files.get(path) !== id) texts.set(id, bytes)
      }
    },
    addKnown: (paths) => {
      for (const path of paths) files.set(path, base?.files.get(path) ?? '')
    },
    filesOf: (folder) => folders.get(folder) ?? new Map<string, string>(),
    tree: {
      label,
      files,
      read: async (paths) => {
        const inBase = new Set<string>()
        const read = new Map<string, string>()
        for (const path of paths) {
          const id = files.get(path)
          if (id === undefined) continue
          const bytes = texts.get(id)
          if (bytes === undefined) inBase.add(path)
          else read.set(path, decodeUtf8(bytes))
        }
        for (const [path, text] of (await base?.read(inBase)) ?? []) read.set(path, text)
        return read
      },
    },
  }
}
