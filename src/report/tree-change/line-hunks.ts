/** A line of a changed text, as people see it: unchanged ones tell where a change is. */
export interface HunkLine {
  /** `gap`: lines are left out that do not differ. */
  readonly sign: '-' | '+' | ' ' | 'gap'
  readonly line: string
}

/** The lines of two texts that differ, in their order, each change with what stands around it. */
export interface LineHunks {
  readonly lines: readonly HunkLine[]
  /** Lines that differ and are left out. */
  readonly more: number
}

/** How much is shown. */
interface HunkLimits {
  /** Lines that differ. */
  readonly most: number
  /** Lines on either side of a change. */
  readonly context: number
}

/** Lines of one text that stand in place of lines of another. */
interface Range {
  readonly old: readonly [start: number, end: number]
  readonly now: readonly [start: number, end: number]
}

/** Two texts in lines. */
interface Texts {
  readonly old: readonly string[]
  readonly now: readonly string[]
}

/** Pairs of lines that are compared one by one; more are compared by the lines that are there once. */
const PAIRS = 40_000
/** So often parts between such lines are looked at again. */
const DEPTH = 8

/** Compares two texts line by line, as `diff -u` does. */
export function lineHunks(
  { before, after }: { readonly before: string; readonly after: string },
  { most, context }: HunkLimits,
): LineHunks {
  // the end of the last line is no line
  const end = before.endsWith('\n') && after.endsWith('\n') ? -1 : undefined
  const texts = { old: before.slice(0, end).split('\n'), now: after.slice(0, end).split('\n') }
  const ranges = changedRanges(texts, whole(texts), DEPTH)
  const lines: HunkLine[] = []
  let [left, shown, more] = [most, 0, 0]
  for (const [index, { old, now }] of ranges.entries()) {
    const [removed, added] = [old[1] - old[0], now[1] - now[0]]
    // of both some, where not all fits
    const minus = Math.min(removed, Math.max(Math.ceil(left / 2), left - added))
    const plus = Math.min(added, left - minus)
    const rest = removed + added - minus - plus
    more += rest
    if (minus + plus === 0) continue
    left -= minus + plus
    const start = Math.max(shown, now[0] - context)
    const next = ranges[index + 1]?.now[0] ?? texts.now.length
    const last = rest > 0 ? now[1] : Math.min(now[1] + context, next)
    if (start > shown && lines.length > 0) lines.push({ sign: 'gap', line: '' })
    const show = (sign: HunkLine['sign'], of: readonly string[], [from, to]: Range['old']): void => {
      for (let at = from; at < to; at++) lines.push({ sign, line: of[at] ?? '' })
    }
    show(' ', texts.now, [start, now[0]])
    show('-', texts.old, [old[0], old[0] + minus])
    show('+', texts.now, [now[0], now[0] + plus])
    show(' ', texts.now, [now[1], last])
    shown = last
  }
  return { lines, more }
}

function whole({ old, now }: Texts): Range {
  return { old: [0, old.length], now: [0, now.length] }
}

/** The parts of a range that differ, in order. */
function changedRanges(texts: Texts, range: Range, depth: number): readonly Range[] {
  let [oldStart, oldEnd] = range.old
  let [nowStart, nowEnd] = range.now
  while (oldStart < oldEnd && nowStart < nowEnd && texts.old[oldStart] === texts.now[nowStart]) {
    oldStart++
    nowStart++
  }
  while (oldStart < oldEnd && nowStart < nowEnd && texts.old[oldEnd - 1] === texts.now[nowEnd - 1]) {
    oldEnd--
    nowEnd--
  }
  const rest: Range = { old: [oldStart, oldEnd], now: [nowStart, nowEnd] }
  const [removed, added] = [oldEnd - oldStart, nowEnd - nowStart]
  if (removed + added === 0) return []
  if (removed === 0 || added === 0) return [rest]
  const common = removed * added <= PAIRS ? longestCommon(texts, rest) : depth > 0 ? singleLines(texts, rest) : []
  if (common.length === 0) return [rest]
  return between(rest, common).flatMap((part) => changedRanges(texts, part, depth - 1))
}

/** Places of a line in both texts. */
type Pair = readonly [old: number, now: number]

/** The parts of a range that lie between pairs of equal lines. */
function between({ old, now }: Range, pairs: readonly Pair[]): readonly Range[] {
  const starts: readonly Pair[] = [[old[0], now[0]], ...pairs.map(([a, b]): Pair => [a + 1, b + 1])]
  const ends: readonly Pair[] = [...pairs, [old[1], now[1]]]
  return starts.flatMap(([a, b], index): readonly Range[] => {
    const [oldEnd, nowEnd] = ends[index] ?? [a, b]
    return a === oldEnd && b === nowEnd ? [] : [{ old: [a, oldEnd], now: [b, nowEnd] }]
  })
}

/** The longest list of lines that both have in one order. */
function longestCommon(texts: Texts, { old, now }: Range): readonly Pair[] {
  const width = now[1] - now[0] + 1
  const lengths = new Uint32Array((old[1] - old[0] + 1) * width)
  const at = (a: number, b: number): number => lengths[(a - old[0]) * width + b - now[0]] ?? 0
  for (let a = old[1] - 1; a >= old[0]; a--)
    for (let b = now[1] - 1; b >= now[0]; b--)
      lengths[(a - old[0]) * width + b - now[0]] =
        texts.old[a] === texts.now[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1))
  const pairs: Pair[] = []
  for (let [a, b] = [old[0], now[0]]; a < old[1] && b < now[1];) {
    if (texts.old[a] === texts.now[b]) pairs.push([a++, b++])
    else if (at(a + 1, b) >= at(a, b + 1)) a++
    else b++
  }
  return pairs
}

/** The longest list of lines that each text has once, and both in one order. */
function singleLines(texts: Texts, { old, now }: Range): readonly Pair[] {
  const olds = placesOf(texts.old, old)
  const pairs = [...placesOf(texts.now, now)].flatMap(([line, b]): readonly Pair[] => {
    const a = olds.get(line)
    return a === undefined || a === -1 || b === -1 ? [] : [[a, b]]
  })
  return longestRise(pairs.toSorted(([, a], [, b]) => a - b))
}

/** Where each line is; -1 for one that is there more than once. */
function placesOf(lines: readonly string[], [start, end]: Range['old']): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? ''
    places.set(line, places.has(line) ? -1 : at)
  }
  return places
}

/** Of pairs in the order of the new text, most of those that are in the order of the old one. */
function longestRise(pairs: readonly Pair[]): readonly Pair[] {
  interface Link {
    readonly pair: Pair
    readonly before: Link | undefined
  }
  const ends: Link[] = []
  for (const pair of pairs) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.pair[0] ?? 0) < pair[0]) low = middle + 1
      else high = middle
    }
    ends[low] = { pair, before: ends[low - 1] }
  }
  const rise: Pair[] = []
  for (let link = ends.at(-1); link !== undefined; link = link.before) rise.push(link.pair)
  return rise.reverse()
}
