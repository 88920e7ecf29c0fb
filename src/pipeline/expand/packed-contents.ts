import type { FileContent, FolderContent } from '../../write/serialize-folder.ts'
import type { ClusterContent } from './unit-results.ts'

/** Clusters as they pass from thread to thread, and from shard to join: all bytes are one part, equal files once. */
export interface PackedContents {
  readonly clusters: readonly PackedCluster[]
  readonly bytes: Uint8Array
}

/** A cluster without the bytes of its files. */
export interface PackedCluster extends Omit<ClusterContent, 'folders'> {
  readonly folders: readonly PackedFolder[]
}

interface PackedFolder extends Omit<FolderContent, 'files'> {
  readonly names: readonly string[]
  readonly hashes: readonly string[]
  readonly sizes: readonly number[]
}

/** Packs clusters for another thread. */
export function packContents(contents: readonly ClusterContent[]): PackedContents {
  const files = new Map<string, Uint8Array>()
  for (const { folders } of contents)
    for (const folder of folders) for (const file of folder.files.values()) files.set(file.sha256, file.bytes)
  const bytes = new Uint8Array([...files.values()].reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const file of files.values()) {
    bytes.set(file, at)
    at += file.length
  }
  const clusters = contents.map((content) => ({
    ...content,
    folders: content.folders.map(({ files: own, ...folder }) => ({
      ...folder,
      names: [...own.keys()],
      hashes: Array.from(own.values(), ({ sha256 }) => sha256),
      sizes: Array.from(own.values(), (file) => file.bytes.length),
    })),
  }))
  return { clusters, bytes }
}

/** The clusters that were packed; their bytes are parts of one piece. */
export function unpackContents({ clusters, bytes }: PackedContents): readonly ClusterContent[] {
  let at = 0
  const known = new Map<string, Uint8Array>()
  const bytesOf = (sha256: string, size: number): Uint8Array => {
    const before = known.get(sha256)
    if (before !== undefined) return before
    const own = bytes.subarray(at, at + size)
    at += size
    known.set(sha256, own)
    return own
  }
  return clusters.map((cluster) => ({
    ...cluster,
    folders: cluster.folders.map(({ names, hashes, sizes, ...folder }): FolderContent => {
      const files = new Map<string, FileContent>()
      for (const [index, name] of names.entries()) {
        const sha256 = hashes[index] ?? ''
        files.set(name, { bytes: bytesOf(sha256, sizes[index] ?? 0), sha256 })
      }
      return { ...folder, files }
    }),
  }))
}

/** True for what {@link packContents} made: both sides are one program. */
export function isPacked(value: unknown): value is PackedContents {
  return typeof value === 'object' && value !== null && 'clusters' in value && 'bytes' in value
}
