import { StackmasonError } from '../../model/diagnostic.ts'
import type { ServerAccess } from '../../model/credentials.ts'
import type { Span } from '../../model/source.ts'
import { findCredentials } from '../credentials/find-credentials.ts'
import type { NetworkContext } from '../network-context.ts'
import { openTransport } from '../transport/open-transport.ts'
import { RegistrySession } from './registry-session.ts'
import { Registry } from './registry.ts'
import { apiHost, canonicalName, isHostName, isRepositoryPath } from './repository-name.ts'

/** Which repository of which registry, and how it is reached. */
export interface RegistryConfig extends ServerAccess {
  /** `host[:port]`; `docker.io` is understood. */
  readonly host: string
  /** Path without host, tag and digest: `kaas/cluster-stacks`. */
  readonly repository: string
  /** The position that errors point at. */
  readonly at?: Span | undefined
}

/**
 * Opens a repository; nothing is asked of the registry yet. Credentials are looked up when it asks for them.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities; FETCH_INVALID for a name
 * that is none
 */
export async function openRegistry(config: RegistryConfig, context: NetworkContext): Promise<Registry> {
  const { host, repository, at } = config
  const { ports, cache, offline } = context
  if (!isHostName(host) || !isRepositoryPath(repository)) {
    const message = `${JSON.stringify(`${host}/${repository}`)} is not a repository of a registry`
    throw new StackmasonError({ code: 'FETCH_INVALID', severity: 'error', message, at })
  }
  const server = canonicalName({ host, repository })
  const { origin } = new URL(`${config.plainHttp ? 'http' : 'https'}://${apiHost(server)}`)
  const transport = await openTransport(config, { offline, at }, ports)
  const session = new RegistrySession({
    name: { host, repository: server.repository },
    origin,
    at,
    transport,
    clock: ports.clock,
    findCredentials: () =>
      findCredentials(
        {
          host,
          reached: config.plainHttp ? 'http' : 'https',
          repository,
          kind: 'registry',
          variables: config.credentials,
          at,
        },
        ports,
      ),
  })
  const url = `${origin}/v2/${server.repository}`
  return new Registry({ host, repository }, { url, session, cache, crypto: ports.crypto, clock: ports.clock, at })
}
