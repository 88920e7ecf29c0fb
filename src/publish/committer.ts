import type { PublishContext } from './read-context.ts'

/** Who makes commits in CI where git has nobody: the runner's own account where everybody knows it. */
export function committerOf({
  ci,
  host,
}: Pick<PublishContext, 'ci' | 'host'>): { readonly name: string; readonly email: string } | undefined {
  if (ci === undefined) return undefined
  if (ci === 'github' && host === 'github.com')
    return { name: 'github-actions[bot]', email: '41898282+github-actions[bot]@users.noreply.github.com' }
  return { name: 'stackmason', email: `stackmason@noreply.${host?.split(':')[0] ?? 'invalid'}` }
}
