import { type Diagnostic, StackmasonError } from '../../src/model/diagnostic.ts'

/** The diagnostics that an action is refused with; fails when it succeeds or throws anything else. */
export async function diagnosticsOf(action: Promise<unknown>): Promise<readonly Diagnostic[]> {
  const error: unknown = await action.then(
    () => new Error('expected a refusal'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof StackmasonError) return error.diagnostics
  throw error
}
