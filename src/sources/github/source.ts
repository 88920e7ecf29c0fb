import type { GitHubSourceConfig } from '../../model/fleet.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import type { SourceContext } from '../source-context.ts'

/** Opens the source. */
export async function openGitHubSource(_config: GitHubSourceConfig, _context: SourceContext): Promise<ReleaseSource> {
  throw new Error('not there yet')
}
