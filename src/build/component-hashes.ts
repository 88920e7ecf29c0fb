import { encodeBase64 } from '../codec/bytes/base64.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { ChartFile } from '../model/chart.ts'
import type { Crypto } from '../model/ports.ts'

/** hashes.json: what csctl compares to tell whether anything changed (csctl pkg/cshash). */
export interface ComponentHashes {
  /** Over the whole provider directory. */
  readonly clusterStack: string
  readonly clusterAddonDir: string
  /** Of cluster-addon-values.yaml; '' without one. */
  readonly clusterAddonValues: string
  /** Of node-image/; '' without one. */
  readonly nodeImageDir: string
}

/** Hashes of files: that of a set of files with their paths (csctl's directory hash). */
export type HashFiles = (files: readonly ChartFile[]) => string

/** The hashes of a provider directory, as csctl takes them. */
export function hashComponents(files: readonly ChartFile[], hash: HashFiles, crypto: Crypto): ComponentHashes {
  const below = (folder: string): string => {
    const found = files.filter(({ path }) => path.startsWith(`${folder}/`))
    return found.length === 0
      ? ''
      : hash(found.map(({ path, bytes }) => ({ path: path.slice(folder.length + 1), bytes })))
  }
  const values = files.find(({ path }) => path === 'cluster-addon-values.yaml')
  return {
    clusterStack: hash(files),
    clusterAddonDir: below('cluster-addon'),
    clusterAddonValues:
      values === undefined ? '' : encodeBase64(crypto.hash('sha256', values.bytes)).replace(/[/+=]/g, '').toLowerCase(),
    nodeImageDir: below('node-image'),
  }
}

/** hashes.json as csctl writes it: two spaces, no newline at the end, no nodeImageDir without node images. */
export function formatHashes({ nodeImageDir, ...hashes }: ComponentHashes): Uint8Array {
  const all = nodeImageDir === '' ? hashes : { ...hashes, nodeImageDir }
  return encodeUtf8(JSON.stringify(all, undefined, 2))
}
