import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { openSignatureRecords } from '../../../src/sources/cache/signature-records.ts'
import { openRegistry, type RegistryConfig } from '../../../src/network/registry/open-registry.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'
import type { SourceContext } from '../../../src/sources/source-context.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** What of a context a test chooses; the environment is empty without. */
export interface TestContextOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly offline?: boolean
  /** An empty one without. */
  readonly cacheFolder?: string
}

/** A context with the real ports of this machine, but an own cache and environment. */
export async function ociContext(options: TestContextOptions = {}): Promise<SourceContext> {
  const variables = new Map(Object.entries(options.environment ?? {}))
  const ports = { ...createNodePorts(), environment: { get: (name: string) => variables.get(name) } }
  const cacheFolder = options.cacheFolder ?? (await tempFolder())
  return {
    ports,
    offline: options.offline ?? false,
    cache: openBlobCache(cacheFolder, ports),
    cacheFolder: () => cacheFolder,
    signatures: openSignatureRecords(cacheFolder, ports),
  }
}

/** Opens a repository of a server that speaks plain http, with an empty cache. */
export async function plainRegistry(
  host: string,
  { repository = 'kaas/stacks', ...options }: TestContextOptions & { readonly repository?: string } = {},
): Promise<Registry> {
  const config: RegistryConfig = { host, repository, plainHttp: true }
  return openRegistry(config, await ociContext(options))
}
