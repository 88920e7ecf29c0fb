import type { Diagnostic } from '../../model/diagnostic.ts'
import { formatTag, matchReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'

/** A tag that names a release, and what came with it. */
export interface NamedTag<Content> {
  readonly tag: string
  readonly name: ReleaseName
  readonly content: Content
}

/** Named in the finding; the rest is counted. */
const SHOWN = 5

/**
 * Tells the tags of a source that name releases from the others, which get one finding (RELEASE_TAG_SKIPPED). A tag in
 * another spelling than its own (`v01`, `v1-stable-2`) is another one's. Of equal tags the first counts; the result is
 * in order of the tags.
 */
export function sortTags<Content>(
  tags: Iterable<readonly [tag: string, content: Content]>,
  source: { readonly name: string; readonly at: Span },
): { readonly releases: readonly NamedTag<Content>[]; readonly findings: readonly Diagnostic[] } {
  const releases = new Map<string, NamedTag<Content>>()
  const odd = new Set<string>()
  for (const [tag, content] of tags) {
    const outcome = matchReleaseTag(tag)
    if ('reason' in outcome || formatTag(outcome.value) !== tag) odd.add(tag)
    else if (!releases.has(tag)) releases.set(tag, { tag, name: outcome.value, content })
  }
  return {
    releases: [...releases.values()].toSorted((a, b) => (a.tag < b.tag ? -1 : 1)),
    findings: odd.size === 0 ? [] : [skippedTags([...odd].toSorted(), source)],
  }
}

function skippedTags(odd: readonly string[], source: { readonly name: string; readonly at: Span }): Diagnostic {
  const shown = odd.slice(0, SHOWN).map((tag) => JSON.stringify(tag.length > 80 ? `${tag.slice(0, 80)}…` : tag))
  const rest = odd.length > SHOWN ? ` and ${odd.length - SHOWN} more` : ''
  const what = odd.length === 1 ? 'a tag that is not a release name' : `${odd.length} tags that are not release names`
  return {
    code: 'RELEASE_TAG_SKIPPED',
    severity: 'note',
    message: `source "${source.name}" has ${what}, skipped: ${shown.join(', ')}${rest}`,
    at: source.at,
    hint: 'A release is tagged <provider>-<stack>-<major>-<minor>-<version>, such as openstack-scs2-1-34-v2.',
  }
}
