import { join } from 'node:path'
import type { Ports } from '../../src/model/ports.ts'
import { openBlobCache } from '../../src/sources/cache/blob-cache.ts'
import { openSignatureRecords } from '../../src/sources/cache/signature-records.ts'
import type { SourceContext } from '../../src/sources/source-context.ts'
import { createNodeHttp } from '../../src/system/node-http.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from './temp-folder.ts'

/** A context with an empty cache and home, and with no variables but the given ones; for use inside of a test. */
export async function sourceContext(
  variables: Readonly<Record<string, string>> = {},
  options: { readonly offline?: boolean; readonly ports?: Partial<Ports> } = {},
): Promise<SourceContext> {
  const folder = await tempFolder()
  const environment = { get: (name: string) => new Map(Object.entries({ HOME: folder, ...variables })).get(name) }
  const ports: Ports = { ...createNodePorts(), environment, http: createNodeHttp(environment), ...options.ports }
  const cacheFolder = join(folder, 'cache')
  return {
    ports,
    offline: options.offline === true,
    cache: openBlobCache(cacheFolder, ports),
    cacheFolder: () => cacheFolder,
    signatures: openSignatureRecords(cacheFolder, ports),
  }
}
