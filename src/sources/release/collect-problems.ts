import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'

/** Gathers the problems of several steps, so that a user sees all of them in one go. */
export interface ProblemCollector {
  /** Runs a step; its problems are kept and undefined comes back. Other errors pass through. */
  readonly attempt: <Result>(run: () => Result | Promise<Result>) => Promise<Result | undefined>
  readonly add: (problem: Diagnostic) => void
  /** @throws StackmasonError with everything that was gathered, if anything was */
  readonly finish: () => void
}

/** Makes an empty collector. */
export function collectProblems(): ProblemCollector {
  const problems: Diagnostic[] = []
  return {
    async attempt(run) {
      try {
        return await run()
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        problems.push(...error.diagnostics)
        return undefined
      }
    },
    add(problem) {
      problems.push(problem)
    },
    finish() {
      if (problems.length > 0) throw new StackmasonError(problems)
    },
  }
}
