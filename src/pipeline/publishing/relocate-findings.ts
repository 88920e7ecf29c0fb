import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Span } from '../../model/source.ts'
import type { ClusterStep, StepPlan } from '../../model/steps.ts'
import type { SourceChange } from './source-change.ts'

/** Two roots of one repository: the work tree apart, which is gone soon, and the one that people look at. */
export interface Roots {
  readonly from: string
  readonly to: string
}

/** Findings about files of a work tree as findings about the same files of another. */
export function relocateFindings(findings: readonly Diagnostic[], roots: Roots): readonly Diagnostic[] {
  const text = (written: string): string => written.replaceAll(roots.from, roots.to)
  const span = (at: Span): Span => {
    const { name, path } = at.source
    return { ...at, source: { ...at.source, name: text(name), ...(path !== undefined && { path: text(path) }) } }
  }
  return findings.map(({ at, file, hint, trace, message, ...finding }) => ({
    ...finding,
    message: text(message),
    at: at && span(at),
    ...(file !== undefined && { file: text(file) }),
    hint: hint === undefined ? undefined : text(hint),
    ...(trace !== undefined && {
      trace: trace.map((step) => ({
        ...step,
        what: text(step.what),
        ...(step.at !== undefined && { at: span(step.at) }),
      })),
    }),
  }))
}

/** The result of rendering, with the same files below another root. */
export function relocateResult(result: SourceChange['result'], roots: Roots): SourceChange['result'] {
  const { steps, findings } = result
  return {
    ...result,
    ...(steps !== undefined && { steps: relocateSteps(steps, roots) }),
    findings: relocateFindings(findings, roots),
  }
}

/** The same for steps of clusters, whose sentences may name files. */
export function relocateSteps(steps: readonly StepPlan[], { from, to }: Roots): readonly StepPlan[] {
  const step = ({ summary, before, ...rest }: ClusterStep): ClusterStep => ({
    ...rest,
    summary: summary.replaceAll(from, to),
    before: before.map((sentence) => sentence.replaceAll(from, to)),
  })
  return steps.map(({ due, then, ...plan }) => ({ ...plan, due: step(due), then: then.map(step) }))
}

/** Runs work in a work tree apart, whose problems tell of the other. @throws what the work throws */
export async function relocating<Result>(roots: Roots, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(relocateFindings(error.diagnostics, roots), { cause: error })
  }
}
