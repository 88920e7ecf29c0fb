/** What is said of a step that is written again because the committed tree does not hold all of it. */
export function tellGaps(gaps: readonly string[]): readonly string[] {
  if (gaps.length === 0) return []
  return [
    `The committed tree does not hold all of this step, so it may not be applied: ${gaps.join('; ')}. ` +
      'Commit what this run writes; the next step is written after that.',
  ]
}
