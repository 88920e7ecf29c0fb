import type { Code } from './error-codes.ts'

/** Where the documentation says more about a code: a file of the project, and the heading in it. */
export function docsAddressOf(code: Code): string {
  return `docs/06-errors.md#${code.toLowerCase()}`
}

/** The same in the site of the documentation (`npm run site`), for forms that are read far from the project. */
export function docsPageOf(code: Code): string {
  return `https://stackmason.dev/docs/06-errors.html#${code.toLowerCase()}`
}
