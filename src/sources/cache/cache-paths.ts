import { joinPath } from '../../codec/path.ts'

/** Where things lie in a cache folder; the version is the layout's, so that another one can lie beside it. */
export interface CachePaths {
  /** Holds a folder for each first byte of a digest. */
  readonly blobs: string
  /** Holds bare repositories, at any depth. */
  readonly repositories: string
  /** Results of runs, by their questions. */
  readonly runs: string
  /** Which signature of a manifest was good, by the digest of the manifest. */
  readonly signatures: string
  /** Files on their way to their place, and things on their way out. */
  readonly temporary: string
  /** Its time of modification is when the cache was last brought within its bounds. */
  readonly stamp: string
}

/** The paths of a cache folder. */
export function cachePaths(folder: string): CachePaths {
  return {
    blobs: joinPath(folder, 'v1/blobs/sha256'),
    repositories: joinPath(folder, 'v1/git'),
    runs: joinPath(folder, 'v1/runs'),
    signatures: joinPath(folder, 'v1/signatures'),
    temporary: joinPath(folder, 'v1/temporary'),
    stamp: joinPath(folder, 'v1/pruned'),
  }
}

/** Where the bytes of a digest lie; undefined for what is no `sha256:<hex>`, so that no digest can lead elsewhere. */
export function blobPath(folder: string, digest: string): string | undefined {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1]
  return hex === undefined ? undefined : joinPath(cachePaths(folder).blobs, hex.slice(0, 2), hex)
}
