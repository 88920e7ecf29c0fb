import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Locator } from './locator.ts'

/** The finding with the place of the field that it is about; it keeps its file where no place can be told. */
export function locateFinding(finding: Diagnostic, locator: Pick<Locator, 'locate'> | undefined): Diagnostic {
  const { on, ...rest } = finding
  if (on === undefined) return finding
  const { at, trace = [] } = locator?.locate(on.manifest, on.path) ?? {}
  if (at === undefined) return rest
  const { file: _, ...bare } = rest
  const steps = [...trace, ...(bare.trace ?? [])]
  return { ...bare, at, ...(steps.length > 0 && { trace: steps }) }
}

/**
 * Runs work on objects whose places the locator knows.
 * @throws what the work throws; a StackmasonError with the places of its findings
 */
export function locating<Result>(locator: Pick<Locator, 'locate'>, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StackmasonError) || error.diagnostics.every(({ on }) => on === undefined)) throw error
    throw new StackmasonError(
      error.diagnostics.map((finding) => locateFinding(finding, locator)),
      { cause: error },
    )
  }
}
