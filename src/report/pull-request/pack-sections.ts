/** A form of a text, and how much it is worth: the lowest rank gets room first. */
export interface RankedForm {
  readonly rank: number
  readonly text: string
}

/** A section of a text that has to fit: its entries in order, each in the best form that there is room for. */
export interface Section {
  /** Stands before the first entry, where one is shown. */
  readonly head: string
  /** Each entry by its forms, the shortest first. */
  readonly entries: readonly (readonly RankedForm[])[]
  /** Stands behind the last entry, where one is shown. */
  readonly foot: string
  /** Stands in place of so many entries for which there is no room; more of them take no less of it. */
  readonly rest: (left: number) => string
}

/** A section of one text, which is left out where there is no room for it. */
export function single(forms: readonly RankedForm[]): Section {
  return { head: '', entries: [forms], foot: '', rest: () => '' }
}

/** Before most entries: what is left out has to be said. */
const SAID = 5

/** The length of a text. */
export type Measure = (text: string) => number

/**
 * The texts of sections that together have at most `room`. First every section says how much it has, by its rank, then
 * forms are chosen from the lowest rank to the highest, each if there is room for it: so one long entry does not keep
 * shorter ones out.
 */
export function packSections<Name extends string>(
  sections: ReadonlyMap<Name, Section>,
  room: number,
  measure: Measure,
): ReadonlyMap<Name, string> {
  const packed = new Map([...sections].map(([name, section]) => [name, new PackedSection(section, measure)]))
  const choices = [...packed.values()].flatMap((section) => section.choices())
  let used = 0
  for (const { section, entry, form } of choices.toSorted((a, b) => a.rank - b.rank)) {
    const cost = section.costOf(entry, form)
    if (used + cost > room) continue
    section.choose(entry, form)
    used += cost
  }
  return new Map([...packed].map(([name, section]) => [name, section.text()]))
}

interface Choice {
  readonly section: PackedSection
  /** Undefined: that there are entries is said, and none is shown. */
  readonly entry: number | undefined
  readonly form: number
  readonly rank: number
}

/** A section with the forms that are chosen so far. */
class PackedSection {
  readonly #section: Section
  readonly #measure: Measure
  readonly #chosen: (number | undefined)[]
  /** Of the texts around the entries. */
  readonly #frame: number
  #left: number
  #isCounted = false

  constructor(section: Section, measure: Measure) {
    this.#section = section
    this.#measure = measure
    this.#chosen = section.entries.map(() => undefined)
    this.#frame = measure(section.head) + measure(section.foot)
    this.#left = section.entries.length
  }

  choices(): readonly Choice[] {
    const { entries } = this.#section
    const first = Math.min(...entries.map(([form]) => form?.rank ?? Infinity))
    const own = entries.flatMap((forms, entry) =>
      forms.map(({ rank }, form): Choice => ({ section: this, entry, form, rank })),
    )
    if (entries.length === 0) return []
    return [{ section: this, entry: undefined, form: 0, rank: Math.min(first, SAID) }, ...own]
  }

  /** The length that a choice adds. */
  costOf(entry: number | undefined, form: number): number {
    if (entry === undefined) return this.#restOf(this.#left)
    const chosen = this.#chosen[entry]
    const text = this.#lengthOf(entry, form)
    if (chosen !== undefined) return form > chosen ? text - this.#lengthOf(entry, chosen) : Infinity
    const isFirst = this.#left === this.#chosen.length
    const rest = this.#isCounted
      ? this.#restOf(this.#left - 1) - this.#restOf(this.#left)
      : this.#restOf(this.#left - 1)
    return text + rest + (isFirst ? this.#frame : 0)
  }

  choose(entry: number | undefined, form: number): void {
    this.#isCounted = true
    if (entry === undefined) return
    if (this.#chosen[entry] === undefined) this.#left--
    this.#chosen[entry] = form
  }

  text(): string {
    const { head, foot, entries, rest } = this.#section
    const shown = entries.flatMap((forms, entry) => forms[this.#chosen[entry] ?? -1]?.text ?? [])
    const left = this.#isCounted && this.#left > 0 ? rest(this.#left) : ''
    return shown.length === 0 ? left : head + shown.join('') + left + foot
  }

  #lengthOf(entry: number, form: number): number {
    return this.#measure(this.#section.entries[entry]?.[form]?.text ?? '')
  }

  #restOf(left: number): number {
    return left === 0 ? 0 : this.#measure(this.#section.rest(left))
  }
}
