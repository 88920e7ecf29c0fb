import type { Forge, ForgeConfig, ForgeKind } from '../../model/forge.ts'
import type { NetworkContext } from '../network-context.ts'
import { forgeAuthorization } from '../credentials/forge-authorization.ts'
import { openTransport } from '../transport/open-transport.ts'
import type { ForgeConnection } from './forge-client.ts'
import { createGiteaForge } from './gitea/gitea-forge.ts'
import { createGitHubForge } from './github/github-forge.ts'
import { createGitLabForge } from './gitlab/gitlab-forge.ts'

const makers: Readonly<Record<ForgeKind, (connection: ForgeConnection) => Forge>> = {
  github: createGitHubForge,
  gitea: createGiteaForge,
  gitlab: createGitLabForge,
}

/**
 * Opens a repository on its forge; nothing is asked yet.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities
 */
export async function openForge(
  config: ForgeConfig,
  { ports, offline }: Pick<NetworkContext, 'ports' | 'offline'>,
): Promise<Forge> {
  const transport = await openTransport(
    { ...config, settings: { field: 'spec.publish.forge of stackmason.yaml' } },
    { offline, at: config.at },
    ports,
  )
  const authorization = forgeAuthorization(config, ports)
  return makers[config.kind]({
    config,
    transport,
    authorization: () => (offline ? Promise.resolve(undefined) : authorization()),
    ports,
  })
}
