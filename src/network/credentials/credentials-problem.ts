import { StackmasonError } from '../../model/diagnostic.ts'
import type { Span } from '../../model/source.ts'

/** A problem with credentials; reveals none of them. */
export interface CredentialsProblem {
  readonly message: string
  readonly hint: string
  readonly at: Span | undefined
  /** The file meant. */
  readonly file?: string
  readonly cause?: unknown
}

/** Makes the error that tells of credentials that cannot be used (FETCH_CREDENTIALS). */
export function credentialsProblem({ at, file, cause, ...rest }: CredentialsProblem): StackmasonError {
  const where = file === undefined ? { at } : { at, file }
  return new StackmasonError({ code: 'FETCH_CREDENTIALS', severity: 'error', ...rest, ...where }, { cause })
}
