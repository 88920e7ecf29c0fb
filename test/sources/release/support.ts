import { StackmasonError, type Diagnostic } from '../../../src/model/diagnostic.ts'
import { positionAt } from '../../../src/model/source.ts'

/** `CODE file:line:column message`: what a diagnostic comes down to. */
export function formatDiagnostic({ code, message, at, file }: Diagnostic): string {
  if (at === undefined) return [code, file, message].filter((part) => part !== undefined).join(' ')
  const { line, column } = positionAt(at.source, at.start)
  return `${code} ${at.source.name}:${line}:${column} ${message}`
}

/** The diagnostics that `run` throws, formatted; the empty list when it throws none. */
export async function problemsOf(run: () => unknown): Promise<readonly string[]> {
  try {
    await run()
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(formatDiagnostic)
    throw error
  }
  return []
}
