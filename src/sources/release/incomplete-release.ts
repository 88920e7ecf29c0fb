import { StackmasonError } from '../../model/diagnostic.ts'

/** The error for a release that lacks files; it names all of them. */
export function incompleteRelease(origin: string, missing: readonly string[], hint?: string): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_INCOMPLETE',
    severity: 'error',
    message: `${origin} lacks ${missing.join(', ')}`,
    file: origin,
    hint,
  })
}
