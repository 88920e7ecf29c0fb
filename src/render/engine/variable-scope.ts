/** A variable where it is used: its place in the frame, and what says at run time whether it was declared. */
export interface VariableSlot {
  readonly slot: number
  /** Holds true once the declaration has run; absent when it always has. */
  readonly isSetSlot: number | undefined
  /**
   * Holds true while the variable has an element of a `range` over interface values; absent for variables that no range
   * sets.
   */
  readonly isBoxedSlot: number | undefined
}

/**
 * The part of JavaScript's stack that one level of nesting takes, in bytes as measured in V8's interpreter, rounded up.
 * Counting makes the depth at which a recursion is refused the same on every machine.
 */
export const stackCost = {
  list: 80,
  if: 110,
  with: 160,
  range: 250,
  pipeline: 130,
  declaration: 160,
  call: 210,
  conversion: 130,
  chain: 260,
  template: 260,
  include: 660,
  tpl: 860,
} as const

/** How a variable is declared. */
export interface VariableKind {
  /** The declaration may be skipped: it stands in an argument of `and` or `or`. */
  readonly isConditional?: boolean
  readonly isElement?: boolean
}

/** A block whose end is to come. */
export interface OpenBlock {
  readonly cost: number
  readonly entries: number
  readonly conditionals: number
}

interface Entry extends VariableSlot {
  readonly name: string
}

/**
 * The variables of one definition while it is compiled. Go keeps a stack of names at run time; here every declaration
 * has a slot of its own, and what a name means is decided once.
 */
export class VariableScope {
  private readonly entries: Entry[]
  private readonly byName = new Map<string, Entry[]>()
  private readonly conditional: number[] = []
  /** How many slots the definition has, those of its later parts among them. */
  private readonly count: { slots: number }
  /**
   * Bytes of JavaScript stack between a definition's start and the node being compiled, about; see {@link stackCost}.
   */
  nesting = 0
  /** True if the node being compiled may be skipped by `and` or `or`. */
  isConditional = false

  constructor(before?: { readonly entries: readonly Entry[]; readonly count: { slots: number } }) {
    this.entries = before?.entries.slice() ?? [{ name: '$', slot: 0, isSetSlot: undefined, isBoxedSlot: undefined }]
    this.count = before?.count ?? { slots: 1 }
    for (const entry of this.entries) this.add(entry)
  }

  /** How many slots a frame needs for what was compiled so far. */
  get slots(): number {
    return this.count.slots
  }

  /**
   * The scope at this point, to compile a block with it later: variables that the block declares get slots of their
   * own.
   */
  later(): () => VariableScope {
    const { count, nesting } = this
    const entries = this.entries.slice()
    return () => {
      const scope = new VariableScope({ entries, count })
      scope.nesting = nesting
      return scope
    }
  }

  /** Declares a variable from here to the end of the block. */
  declare(name: string, kind: VariableKind = {}): VariableSlot {
    const isConditional = kind.isConditional ?? this.isConditional
    const entry: Entry = {
      name,
      slot: this.count.slots++,
      isSetSlot: isConditional ? this.count.slots++ : undefined,
      isBoxedSlot: kind.isElement === true ? this.count.slots++ : undefined,
    }
    if (entry.isSetSlot !== undefined) this.conditional.push(entry.isSetSlot)
    this.entries.push(entry)
    this.add(entry)
    return entry
  }

  private add(entry: Entry): void {
    const known = this.byName.get(entry.name)
    if (known === undefined) this.byName.set(entry.name, [entry])
    else known.push(entry)
  }

  /**
   * The variables that `name` can mean here, innermost first: all but the last may be unset at run time. Empty when
   * nothing declares it.
   */
  find(name: string): readonly VariableSlot[] {
    const found: VariableSlot[] = []
    const known = this.byName.get(name) ?? []
    for (let index = known.length - 1; index >= 0; index--) {
      const entry = known[index]
      if (entry === undefined) continue
      found.push(entry)
      if (entry.isSetSlot === undefined) break
    }
    return found
  }

  /**
   * Runs `compile` for a block: what it declares ends with it. Returns also the slots to clear when the block starts.
   */
  block<T>(cost: number, compile: () => T): { readonly result: T; readonly cleared: readonly number[] } {
    const block = this.open(cost)
    const result = compile()
    return { result, cleared: this.close(block) }
  }

  /** Begins a block that {@link close} ends. */
  open(cost: number): OpenBlock {
    this.nesting += cost
    return { cost, entries: this.entries.length, conditionals: this.conditional.length }
  }

  /** Ends the innermost block; gives the slots to clear when it starts. */
  close({ cost, entries, conditionals }: OpenBlock): readonly number[] {
    this.nesting -= cost
    for (const { name } of this.entries.splice(entries)) this.byName.get(name)?.pop()
    return this.conditional.splice(conditionals)
  }

  /** Runs `compile` for what takes `cost` bytes of stack while it is evaluated. */
  nested<T>(cost: number, compile: () => T): T {
    this.nesting += cost
    const result = compile()
    this.nesting -= cost
    return result
  }
}
