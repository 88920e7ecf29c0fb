/** Longer texts are no typing errors of a name, and comparing them would take long. */
const MAX_LENGTH = 100

/** The known name that a mistyped one most likely meant, whatever its case; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance =
      candidate.startsWith(name) && name.length > 1 ? 1 : editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The known path with dots that a mistyped one most likely meant: its parts are near, one by one. */
export function nearestDotted(path: string, known: readonly string[]): string | undefined {
  const parts = path.split('.')
  return known.find((candidate) => {
    const wanted = candidate.split('.')
    return (
      wanted.length === parts.length &&
      parts.every((part, index) => nearestName(part, wanted.slice(index, index + 1)) !== undefined)
    )
  })
}

/** Insertions, removals, replacements and swaps of neighbours that lead from `a` to `b`. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
