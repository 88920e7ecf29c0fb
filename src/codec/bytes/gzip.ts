import { gzipSync } from 'fflate'

/**
 * Packs bytes with gzip: no time, no name. Equal bytes give equal bytes on every machine, which zlib does not promise:
 * its versions and the processor decide how it searches (docs/decisions/0010).
 */
export function gzip(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(gzipSync(bytes, { level: 9, mtime: 0 }))
  // the system that packed it: unknown
  packed[9] = 255
  return packed
}
