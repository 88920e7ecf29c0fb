import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'

/** The error for a provider directory, version table or option that does not fit. */
export function inputProblem(message: string, place: Pick<Diagnostic, 'at' | 'file' | 'hint'> = {}): StackmasonError {
  return new StackmasonError(inputFinding('error', message, place))
}

/** The same as a finding. */
export function inputFinding(
  severity: Diagnostic['severity'],
  message: string,
  place: Pick<Diagnostic, 'at' | 'file' | 'hint'> = {},
): Diagnostic {
  return { code: 'BUILD_INPUT_INVALID', severity, message, ...place }
}
