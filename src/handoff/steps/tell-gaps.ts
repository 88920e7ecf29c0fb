/** So many places are named: the first ones tell what happened. */
const NAMED = 5

/** The run that writes what the committed tree lacks: one of a part of the fleet may not. */
export type MendedBy = 'this-run' | 'whole-run'

/**
 * The text about a step that is written again because the committed tree does not hold all of it. The next one follows
 * unless something else `isInTheWay`, too.
 */
export function tellGaps(
  gaps: readonly string[],
  mendedBy: MendedBy = 'this-run',
  { isInTheWay = false }: { readonly isInTheWay?: boolean } = {},
): readonly string[] {
  if (gaps.length === 0) return []
  const more = gaps.length > NAMED ? `; and ${String(gaps.length - NAMED)} more` : ''
  const mend =
    mendedBy === 'this-run'
      ? 'Commit what this run writes'
      : 'Run `stackmason render` without --cluster and --stack, which writes that too, and commit what it writes'
  return [
    `The committed tree does not hold all of this step, so it may not be applied: ${gaps.slice(0, NAMED).join('; ')}${more}. ` +
      `${mend}${isInTheWay ? '' : '; the next step is written after that'}.`,
  ]
}
