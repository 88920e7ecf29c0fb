import type { PublishedArtifact } from '../../pipeline/publishing/oci-run.ts'
import { plural } from '../../report/plural.ts'

/** Artifacts that are named one by one. */
const LISTED = 50

const TOLD = {
  pushed: 'Pushed',
  tagged: 'Tagged',
  signed: 'Signed',
  planned: 'Would push',
} as const

/** Lists artifacts for people: each that was written, and how many needed nothing. */
export function artifactLines(artifacts: readonly PublishedArtifact[]): readonly string[] {
  const lines = artifacts.flatMap(({ action, repository, digest, tags }) => {
    if (action === 'current') return []
    const tagged = tags.length === 0 ? '' : ` (${tags.join(', ')})`
    return [`${TOLD[action]} ${repository}${digest === undefined ? '' : `@${digest}`}${tagged}`]
  })
  const current = artifacts.length - lines.length
  const rest = lines.length > LISTED ? [`and ${String(lines.length - LISTED)} more`] : []
  const counted =
    current === 0 ? [] : [`${plural(current, 'artifact')} in the registry ${current === 1 ? 'is' : 'are'} current.`]
  return [...lines.slice(0, LISTED), ...rest, ...counted]
}
