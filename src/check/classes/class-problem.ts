import type { PathStep } from '../../model/field.ts'

/** A problem of a ClusterClass, at its path in the class. */
export interface ClassProblem {
  /** The problem; it follows the name of the class. */
  readonly says: string
  readonly path: readonly PathStep[]
  readonly hint?: string | undefined
}

/** Moves problems below a path. */
export function below(path: readonly PathStep[], problems: readonly ClassProblem[]): readonly ClassProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }))
}
