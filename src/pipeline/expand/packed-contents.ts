import type { FileContent, FolderContent } from '../../write/serialize-folder.ts'
import type { ClusterContent } from './unit-results.ts'

/** Clusters as they pass from thread to thread: all bytes are one part. */
export interface PackedContents {
  readonly clusters: readonly (Omit<ClusterContent, 'folders'> & { readonly folders: readonly PackedFolder[] })[]
  readonly bytes: Uint8Array
}

interface PackedFolder extends Omit<FolderContent, 'files'> {
  readonly names: readonly string[]
  readonly hashes: readonly string[]
  readonly sizes: readonly number[]
}

/** Packs clusters for another thread. */
export function packContents(contents: readonly ClusterContent<FileContent>[]): PackedContents {
  const files = contents.flatMap(({ folders }) => folders.flatMap((folder) => [...folder.files.values()]))
  const bytes = new Uint8Array(files.reduce((sum, file) => sum + file.bytes.length, 0))
  let at = 0
  for (const file of files) {
    bytes.set(file.bytes, at)
    at += file.bytes.length
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
export function unpackContents({ clusters, bytes }: PackedContents): readonly ClusterContent<FileContent>[] {
  let at = 0
  return clusters.map((cluster) => ({
    ...cluster,
    folders: cluster.folders.map(({ names, hashes, sizes, ...folder }): FolderContent => {
      const files = new Map<string, FileContent>()
      for (const [index, name] of names.entries()) {
        const size = sizes[index] ?? 0
        files.set(name, { bytes: bytes.subarray(at, at + size), sha256: hashes[index] ?? '' })
        at += size
      }
      return { ...folder, files }
    }),
  }))
}

/** True for what {@link packContents} made: both sides are one program. */
export function isPacked(value: unknown): value is PackedContents {
  return typeof value === 'object' && value !== null && 'clusters' in value && 'bytes' in value
}
