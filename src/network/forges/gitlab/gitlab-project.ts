import type { ForgeClient } from '../forge-client.ts'

/** A project on GitLab. */
export interface GitLabProject {
  readonly client: ForgeClient
  /** With its groups. */
  readonly shown: string
  /** Of the project in the API. */
  readonly root: string
}
