import { withoutTrailingSlashes } from './path.ts'

/**
 * The path and query of an address in the one spelling by which they are compared with others: without dots, empty
 * parts, trailing slashes and needless escapes.
 */
export function comparedPath({ pathname, search }: URL): string {
  return withoutTrailingSlashes(plainPath(pathname).replaceAll(/\/{2,}/g, '/')) + search
}

/** Letters, digits and the like mean the same with and without an escape (RFC 3986, 6.2.2.2). */
function plainPath(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase()
  })
}
