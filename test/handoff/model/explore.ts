/** A way from one state of the world to another. */
export interface Move<State> {
  readonly label: string
  readonly to: State
  /** What is wrong with making this move; none in a safe world. */
  readonly faults: readonly string[]
}

/** What an exploration found. */
export interface Exploration {
  readonly states: number
  /** Each fault once, with the shortest series of moves that leads to it. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** A series of moves after which no further ones lead to the goal; undefined when every state leads there. */
  readonly stuck: readonly string[] | undefined
}

/** A world to be explored. */
export interface Explored<State> {
  readonly start: State
  readonly key: (state: State) => string
  readonly moves: (state: State) => readonly Move<State>[]
  readonly isGoal: (state: State) => boolean
}

const MAX_STATES = 200_000

/**
 * Visits every state that any order of moves leads to, breadth first.
 * @throws Error when there are too many to visit
 */
export function explore<State>({ start, key, moves, isGoal }: Explored<State>): Exploration {
  const keys = [key(start)]
  const states = [start]
  const numbers = new Map(keys.map((text, index) => [text, index]))
  /** By state: the one before it, and the move that led here. */
  const arrivals: (readonly [number, string] | undefined)[] = [undefined]
  const sources: number[][] = [[]]
  const goals: number[] = []
  const faults = new Map<string, readonly string[]>()
  const pathTo = (index: number): readonly string[] => {
    const labels: string[] = []
    for (let at = arrivals[index]; at !== undefined; at = arrivals[at[0]]) labels.unshift(at[1])
    return labels
  }
  for (let index = 0; index < states.length; index++) {
    const state = states[index]
    if (state === undefined) continue
    if (isGoal(state)) goals.push(index)
    for (const { label, to, faults: found } of moves(state)) {
      const text = key(to)
      let number = numbers.get(text)
      if (number === undefined) {
        number = states.length
        if (number > MAX_STATES) throw new Error(`more than ${String(MAX_STATES)} states`)
        numbers.set(text, number)
        states.push(to)
        arrivals.push([index, label])
        sources.push([])
      }
      sources[number]?.push(index)
      for (const fault of found) if (!faults.has(fault)) faults.set(fault, [...pathTo(index), label])
    }
  }
  const leading = new Set(goals)
  for (const goal of leading) for (const source of sources[goal] ?? []) leading.add(source)
  const lost = states.findIndex((_, index) => !leading.has(index))
  return { states: states.length, faults, stuck: lost === -1 ? undefined : pathTo(lost) }
}
