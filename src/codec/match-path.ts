/** Thrown for a pattern that Go's filepath.Match refuses. */
export class PathPatternError extends Error {
  constructor() {
    super('syntax error in pattern')
    this.name = 'PathPatternError'
  }
}

type PatternPart =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'text'; readonly code: number }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] }

const SLASH = 0x2f

/**
 * Compiles a shell pattern with Go's meaning (path/filepath.Match): `*` and `?` do not match `/`, classes are `[a-z]`
 * and `[^a-z]`, `\` escapes. The whole path must match. Runs in time pattern × path at worst.
 * @throws PathPatternError
 */
export function compilePathPattern(pattern: string): (path: string) => boolean {
  const parts = parsePattern(pattern)
  const last = parts.at(-1)
  return (path) => {
    // mostly patterns of suffixes, which most paths do not have
    if (last?.kind === 'text' && last.code < 0x80 && path.charCodeAt(path.length - 1) !== last.code) return false
    return matchParts(
      parts,
      Array.from(path, (character) => character.codePointAt(0) ?? 0),
    )
  }
}

function parsePattern(pattern: string): readonly PatternPart[] {
  const characters = Array.from(pattern)
  const parts: PatternPart[] = []
  let at = 0
  const next = (): number => {
    const character = characters[at++]
    if (character === undefined) throw new PathPatternError()
    return character.codePointAt(0) ?? 0
  }
  const inClass = (): number => {
    if (characters[at] === '-' || characters[at] === ']') throw new PathPatternError()
    if (characters[at] === '\\') at++
    return next()
  }
  const readClass = (): PatternPart => {
    const negated = characters[at] === '^'
    if (negated) at++
    const ranges: (readonly [number, number])[] = []
    while (characters[at] !== ']' || ranges.length === 0) {
      const low = inClass()
      if (characters[at] !== '-') {
        ranges.push([low, low])
        continue
      }
      at++
      ranges.push([low, inClass()])
    }
    at++
    return { kind: 'class', negated, ranges }
  }
  while (at < characters.length) {
    const code = next()
    const character = String.fromCodePoint(code)
    if (character === '*') parts.push({ kind: 'star' })
    else if (character === '?') parts.push({ kind: 'any' })
    else if (character === '[') parts.push(readClass())
    else parts.push({ kind: 'text', code: character === '\\' ? next() : code })
  }
  return parts
}

/** Retrying the last star alone is enough: no star may cross a slash, so an earlier one could only reach less. */
function matchParts(parts: readonly PatternPart[], path: readonly number[]): boolean {
  let part = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < path.length || part < parts.length) {
    const current = parts[part]
    if (current?.kind === 'star') {
      star = part++
      starAt = at
      continue
    }
    const code = path[at]
    if (current !== undefined && code !== undefined && matches(current, code)) {
      part++
      at++
      continue
    }
    const skipped = path[starAt]
    if (star === -1 || skipped === undefined || skipped === SLASH) return false
    at = ++starAt
    part = star + 1
  }
  return true
}

function matches(part: PatternPart, code: number): boolean {
  switch (part.kind) {
    case 'text':
      return part.code === code
    case 'any':
      return code !== SLASH
    case 'class':
      return part.ranges.some(([low, high]) => low <= code && code <= high) !== part.negated
    case 'star':
      return false
  }
}
