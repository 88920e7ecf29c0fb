import type { Ports } from '../../model/ports.ts'
import type { SourceConfig } from '../../model/fleet.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import type { SignatureRecords } from '../../network/signature/signature-records.ts'
import { openBlobCache, type BlobCache } from '../../sources/cache/blob-cache.ts'
import { cacheFolder } from '../../sources/cache/cache-folder.ts'
import { openSignatureRecords } from '../../sources/cache/signature-records.ts'
import { openDirectorySource } from '../../sources/directory/source.ts'
import { openProviderDirectorySource } from '../../sources/provider-directory/source.ts'
import type { SourceContext } from '../../sources/source-context.ts'

/** The use of the network: `offline` reads the cache alone. */
export type Network = 'online' | 'offline'

/**
 * Creates the context that sources share in one run: the cache, and whether the network may be used. Where the cache
 * lies is looked up when something first needs it: a fleet that lies on this machine needs none.
 */
export function createSourceContext(ports: Ports, network: Network): SourceContext {
  let opened: OpenedCache | undefined
  const open = (): OpenedCache => {
    opened ??= openCache(cacheFolder(ports.environment), ports)
    return opened
  }
  return {
    ports,
    offline: network === 'offline',
    cache: {
      get: async (digest) => open().cache.get(digest),
      put: async (bytes) => open().cache.put(bytes),
      has: async (digest) => open().cache.has(digest),
    },
    // no getter: a copy of the context would ask for the folder
    cacheFolder: () => open().folder,
    signatures: {
      read: async (digest) => open().signatures.read(digest),
      write: async (digest, signed) => open().signatures.write(digest, signed),
    },
  }
}

interface OpenedCache {
  readonly folder: string
  readonly cache: BlobCache
  readonly signatures: SignatureRecords
}

function openCache(folder: string, ports: Ports): OpenedCache {
  return { folder, cache: openBlobCache(folder, ports), signatures: openSignatureRecords(folder, ports) }
}

/** Opens a source of the fleet. Code that talks to servers is loaded only when a fleet has such a source. */
export async function openSource(config: SourceConfig, context: SourceContext): Promise<ReleaseSource> {
  switch (config.type) {
    case 'directory':
      return openDirectorySource(config, context)
    case 'providerDirectory':
      return openProviderDirectorySource(config, context)
    case 'git':
      return (await import('../../sources/git/source.ts')).openGitSource(config, context)
    case 'github':
      return (await import('../../sources/github/source.ts')).openGitHubSource(config, context)
    case 'oci':
      return (await import('../../sources/oci/source.ts')).openOciSource(config, context)
    case 'http':
      return (await import('../../sources/http/source.ts')).openHttpSource(config, context)
  }
}
