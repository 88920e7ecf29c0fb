/**
 * Gives headings the anchors that forges give them: lower case, without punctuation, dashes for spaces; one that is
 * taken gets a number.
 */
export function createAnchors(): (heading: string) => string {
  const taken = new Map<string, number>()
  return (heading) => {
    const anchor = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const count = taken.get(anchor)
    taken.set(anchor, (count ?? 0) + 1)
    return count === undefined ? anchor : `${anchor}-${String(count)}`
  }
}
