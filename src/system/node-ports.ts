import { createHash } from 'node:crypto'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import type { Compression, Crypto, Ports, Process } from '../model/ports.ts'
import { createNodeFiles } from './node-files.ts'
import { createNodeSigner } from './node-signer.ts'

/** The ports as this machine offers them. */
export function createNodePorts(): Ports {
  return {
    files: createNodeFiles(),
    crypto: nodeCrypto,
    compression: nodeCompression,
    clock: { monotonic: () => performance.now() },
    process: nodeProcess,
  }
}

const nodeCrypto: Crypto = {
  hash: (algorithm, bytes) => new Uint8Array(createHash(algorithm).update(bytes).digest()),
  signerOf: createNodeSigner,
}

const nodeCompression: Compression = {
  gunzip: (bytes, maxBytes) => new Uint8Array(gunzipSync(bytes, { maxOutputLength: maxBytes })),
  gzip: (bytes) => {
    const packed = new Uint8Array(gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
    // The header's tenth byte names the operating system: "unknown" keeps the result the same everywhere.
    packed[9] = 255
    return packed
  },
}

const nodeProcess: Process = {
  id: process.pid,
  isRunning: (id) => {
    if (!Number.isSafeInteger(id) || id <= 0) return false
    try {
      return process.kill(id, 0)
    } catch (error) {
      // EPERM: it runs, as somebody else.
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  },
}
