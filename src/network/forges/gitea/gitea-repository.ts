import type { ForgeClient } from '../forge-client.ts'

/** A repository on Gitea. */
export interface GiteaRepository {
  readonly client: ForgeClient
  /** `owner/name`. */
  readonly shown: string
  /** Of the repository in the API. */
  readonly root: string
}
