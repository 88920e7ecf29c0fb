import type { ChartRepository } from '../../../src/model/fleet.ts'
import type { Ports } from '../../../src/model/ports.ts'
import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { openSignatureRecords } from '../../../src/sources/cache/signature-records.ts'
import { createDependencyContext, type DependencyContext } from '../../../src/sources/dependency/dependency-context.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** How a test fetches. */
export interface FixtureOptions {
  /** Repositories that the fleet names; plain http is allowed unless they say otherwise. */
  readonly repositories?: readonly (Pick<ChartRepository, 'url'> & Partial<ChartRepository>)[]
  readonly offline?: boolean
  /** Variables of the environment; none of this machine's. */
  readonly environment?: Readonly<Record<string, string>>
  /** A cache of an earlier context. */
  readonly cacheFolder?: string
}

const source = { name: '/fleet/stackmason.yaml', text: '' }

/** A context with a cache of its own, on the real network of this machine. */
export async function dependencyContext(options: FixtureOptions = {}): Promise<DependencyContext> {
  const variables = new Map(Object.entries(options.environment ?? {}))
  const clock = { ...createNodePorts().clock, sleep: async (): Promise<void> => undefined }
  const ports: Ports = { ...createNodePorts(), clock, environment: { get: (name) => variables.get(name) } }
  const cacheFolder = options.cacheFolder ?? (await tempFolder())
  const repositories = (options.repositories ?? []).map((repository) => ({
    plainHttp: true,
    publicKeys: [],
    at: { source, start: 0, end: 0 },
    ...repository,
  }))
  const context = {
    ports,
    offline: options.offline === true,
    cache: openBlobCache(cacheFolder, ports),
    cacheFolder: () => cacheFolder,
    signatures: openSignatureRecords(cacheFolder, ports),
  }
  return createDependencyContext(context, repositories)
}
