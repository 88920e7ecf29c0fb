import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'

/**
 * The steps of an expansion that can have problems; those of one line are reported together, and hide those of the
 * lines below.
 */
const steps = [
  ['render'],
  ['images'],
  ['committed'],
  ['shared', 'class', 'bound', 'secrets', 'storage'],
  ['units'],
  ['names'],
  ['tool'],
  ['leaving'],
] as const

/** A step of an expansion. */
export type ExpansionStep = (typeof steps)[number][number]

/**
 * The problems of all units of a run, by the step that has them: what follows from an earlier problem is not reported.
 */
export class FleetProblems {
  readonly #found = new Map<ExpansionStep, Diagnostic[]>()

  /** True if everything is right so far. */
  get areNone(): boolean {
    return this.#found.size === 0
  }

  add(step: ExpansionStep, problems: readonly Diagnostic[]): void {
    const known = this.#found.get(step) ?? []
    // a template that fails does so for every unit
    const isKnown = known.some(isOfTemplate)
    const added = isKnown ? problems.filter((problem) => !isOfTemplate(problem)) : problems
    if (added.length > 0) this.#found.set(step, [...known, ...added])
  }

  /** The result of some work; undefined when it fails. */
  async attempt<Result>(step: ExpansionStep, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      this.add(step, diagnosticsOf(error))
      return undefined
    }
  }

  /**
   * `warnings` are those of rendering: they may be the reason for what fails later.
   * @throws StackmasonError with the problems of the first step that has any
   */
  throwFirst(warnings: readonly Diagnostic[]): void {
    for (const together of steps) {
      const problems = together.flatMap((step) => this.#found.get(step) ?? [])
      if (problems.length === 0) continue
      const before = together[0] === 'render' ? [] : warnings
      throw new StackmasonError(distinct([...before, ...problems]))
    }
  }
}

function isOfTemplate({ code }: Diagnostic): boolean {
  return code === 'HANDOFF_TEMPLATE'
}
