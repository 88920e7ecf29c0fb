import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import { unreadable } from '../model/file-problem.ts'
import { FileError } from '../model/ports.ts'
import { pathOf } from '../model/source.ts'

/** The diagnostics of an input problem or of a file that cannot be read; anything else is thrown on. */
export function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  if (error instanceof StackmasonError) return error.diagnostics
  if (error instanceof FileError) {
    return [unreadable(error, { what: 'the file', file: error.path })]
  }
  throw error
}

/** Each diagnostic once. Equal ones of several clusters stay: the reporter joins them. */
export function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<string>()
  return diagnostics.filter((diagnostic) => {
    const { at, about } = diagnostic
    const key = [
      diagnostic.code,
      diagnostic.message,
      ...(at === undefined ? [diagnostic.file] : [pathOf(at.source), at.start]),
      about?.release,
      about?.cluster,
      about?.addon,
    ].join('\n')
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
