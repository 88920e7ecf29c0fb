import type { Code } from './error-codes.ts'

/** Where the documentation says more about a code: a file of the project, and the heading in it. */
export function docsAddressOf(code: Code): string {
  return `docs/06-errors.md#${code.toLowerCase()}`
}
