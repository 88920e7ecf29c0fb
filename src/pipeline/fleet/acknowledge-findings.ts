import type { Acknowledgement } from '../../model/acknowledgement.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isRuleCode } from '../../model/error-codes.ts'
import { nearestName } from '../../model/nearest-name.ts'

/**
 * Marks each warning, and each finding of a rule of `check`, with the entry that acknowledges it: of several the one
 * that holds longest, else the first. Other errors and notes stay as they are. The day is not asked for here: whoever
 * reports does.
 */
export function acknowledgeFindings(
  findings: readonly Diagnostic[],
  entries: readonly Acknowledgement[],
): readonly Diagnostic[] {
  if (entries.length === 0) return findings
  return findings.map((finding) => {
    const longest = entries
      .filter((entry) => matches(entry, finding))
      .reduce<Acknowledgement | undefined>(
        (best, entry) => (best === undefined || entry.until > best.until ? entry : best),
        undefined,
      )
    return longest === undefined ? finding : { ...finding, acknowledgement: longest }
  })
}

/** A note for each entry that matches no finding of a run over the whole fleet, which has these clusters. */
export function unusedAcknowledgements(
  findings: readonly Diagnostic[],
  entries: readonly Acknowledgement[],
  clusters: readonly string[],
): readonly Diagnostic[] {
  return entries
    .filter((entry) => !findings.some((finding) => matches(entry, finding)))
    .map(({ code, at, cluster, clusterAt = at }) => {
      const note = { code: 'ACKNOWLEDGEMENT_UNUSED', severity: 'note' } as const
      if (cluster !== undefined && !clusters.includes(cluster)) {
        const near = nearestName(cluster, clusters)
        const message = `the fleet has no cluster ${cluster}, which this acknowledgement of ${code} names`
        return {
          ...note,
          message,
          at: clusterAt,
          hint: near === undefined ? 'Remove the entry.' : `Did you mean ${near}?`,
        }
      }
      const message = `no finding matches this acknowledgement of ${code}`
      return { ...note, message, at, hint: wayToMatch(findings.filter((finding) => finding.code === code)) }
    })
}

/** The objects that findings of the same code are about; undefined where they are about none. */
function wayToMatch(findings: readonly Diagnostic[]): string | undefined {
  const objects = [...new Set(findings.flatMap(({ object }) => object ?? []))]
  const shown = objects.slice(0, MOST_SHOWN).join(', ')
  const more = objects.length > MOST_SHOWN ? ` and ${String(objects.length - MOST_SHOWN)} more` : ''
  return objects.length === 0
    ? undefined
    : `Findings of this code have the object ${shown}${more}: correct the object, cluster, release or addon of the entry, or remove it.`
}

const MOST_SHOWN = 3

function matches(entry: Acknowledgement, { code, severity, about, object }: Diagnostic): boolean {
  return (
    (severity === 'warning' || isRuleCode(code)) &&
    code === entry.code &&
    (entry.object === undefined || entry.object === object) &&
    (['cluster', 'release', 'addon'] as const).every((key) => entry[key] === undefined || entry[key] === about?.[key])
  )
}
