import { randomBytes } from 'node:crypto'
import { nodeTimeZones } from './node-time-zones.ts'
import { setTimeout } from 'node:timers/promises'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import type { Compression, Ports, Termination } from '../model/ports.ts'
import { askCredentialHelper } from './node-stored-credentials.ts'
import { monotonic } from './node-clock.ts'
import { nodeDeadline } from './node-deadline.ts'
import { nodeCrypto } from './node-crypto.ts'
import { createNodeFiles } from './node-files.ts'
import { createNodeGit } from './node-git.ts'
import { createNodeGitWriter } from './node-git-writer.ts'
import { createNodeHttp } from './node-http.ts'
import { createNodeKube } from './node-kube.ts'
import { nodeKeys } from './node-keys.ts'
import { nodeListener } from './node-listener.ts'
import { nodeMetrics } from './node-metrics.ts'
import { createNodePackageFiles } from './node-package-files.ts'
import { createNodeProcess } from './node-process.ts'
import { createNodeThreads } from './node-threads.ts'

/** The ports as this machine offers them. */
export function createNodePorts(): Ports {
  const processes = createNodeProcess()
  return {
    files: createNodeFiles(),
    crypto: nodeCrypto,
    keys: nodeKeys,
    compression: nodeCompression,
    clock: {
      monotonic,
      now: () => Date.now(),
      sleep,
    },
    timeZones: nodeTimeZones,
    deadline: nodeDeadline,
    threads: createNodeThreads(),
    process: processes,
    random: { bytes: (count) => new Uint8Array(randomBytes(count)) },
    environment: { get: (name) => process.env[name] },
    http: createNodeHttp(),
    kube: createNodeKube(),
    listener: nodeListener,
    metrics: nodeMetrics,
    termination: nodeTermination,
    git: createNodeGit(),
    gitWriter: createNodeGitWriter(processes),
    credentialHelpers: { get: askCredentialHelper },
    packageFiles: createNodePackageFiles(),
  }
}

async function sleep(duration: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(duration, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    if (signal?.aborted !== true) throw error
  }
}

const nodeCompression: Compression = {
  gunzip: (bytes, maxBytes) => new Uint8Array(gunzipSync(bytes, { maxOutputLength: maxBytes })),
  gzip: (bytes, how) => {
    const level = how === 'quick' ? constants.Z_BEST_SPEED : constants.Z_BEST_COMPRESSION
    const packed = new Uint8Array(gzipSync(bytes, { level }))
    // The header's tenth byte names the operating system: "unknown" keeps the result the same everywhere.
    packed[9] = 255
    return packed
  },
}

const nodeTermination: Termination = {
  signal: () => {
    const ended = new AbortController()
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, () => {
        ended.abort()
      })
    }
    return ended.signal
  },
}
