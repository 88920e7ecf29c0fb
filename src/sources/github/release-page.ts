import type { GitHubSourceConfig } from '../../model/fleet.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'

/** The address of a release for people: that of the API without what makes it one. */
export function releasePage(
  { apiUrl, owner, repository }: Pick<GitHubSourceConfig, 'apiUrl' | 'owner' | 'repository'>,
  tag: string,
): string {
  const site = shownUrl(apiUrl)
    .replace(/\/api\/v3$/, '')
    .replace(/^(https?:\/\/)api\.(?=github\.com$|[^/]+\.ghe\.com$)/, '$1')
  return `${site}/${owner}/${repository}/releases/tag/${tag}`
}
