/** A function of a text that computes each result once. */
export function memoizeText<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = compute(text)
    known.set(text, result)
    return result
  }
}
