import type { ForgeKind } from '../../../src/model/forge.ts'
import { hasGitea } from '../../../tools/servers/gitea.ts'
import { startGitHubForge } from '../../../tools/servers/github-forge.ts'
import { startGitLabForge } from '../../../tools/servers/gitlab-forge.ts'
import type { ForgeWorld } from './forge-lab.ts'
import { startGiteaWorld } from './gitea-world.ts'
import { standInWorld } from './stand-in-world.ts'

/** A world that runs until it is closed. */
export type RunningWorld = ForgeWorld & {
  readonly server: { readonly close: () => Promise<void>; readonly problems?: readonly string[] }
}

/** One world for each kind of forge; the real Gitea may not be there. */
export const forgeWorlds: readonly {
  readonly kind: ForgeKind
  readonly start: () => Promise<RunningWorld>
  readonly isThere: boolean
}[] = [
  { kind: 'github', start: async () => standInWorld(await startGitHubForge(), 'github'), isThere: true },
  { kind: 'gitlab', start: async () => standInWorld(await startGitLabForge(), 'gitlab'), isThere: true },
  { kind: 'gitea', start: startGiteaWorld, isThere: hasGitea() },
]
