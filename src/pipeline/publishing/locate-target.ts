import type { ForgeConfig } from '../../model/forge.ts'
import type { RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import type { PublishConfig } from '../../model/publish-config.ts'
import { locateForge } from '../../network/forges/locate-forge.ts'

/** The repository that takes a tree, on its forge. */
export type ForgeLocation = Pick<ForgeConfig, 'kind' | 'url' | 'repository'>

/** How the forge of a repository is reached; undefined where nothing tells which one it is. */
export function locateTarget(
  { url }: Pick<RemoteAccess, 'url'>,
  { forge, at }: Pick<PublishConfig, 'forge' | 'at'>,
  { environment }: Pick<Ports, 'environment'>,
): ForgeConfig | undefined {
  const { kind, url: address, ...access } = forge
  const place = locateForge(url, { kind, url: address }, environment)
  return place && { ...place, ...access, at }
}
