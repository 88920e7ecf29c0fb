import { compilePathPattern, PathPatternError } from '../match-path.ts'

/** One line of a .sourceignore. */
export interface IgnorePattern {
  /** Offsets of the line in the text. */
  readonly start: number
  readonly end: number
  /** True for `!`: what it matches is not ignored, whatever lines before it say. */
  readonly isIncluding: boolean
  /** True if it matches; gets the names on the way from the folder of the file that holds it. */
  readonly matches: (names: readonly string[]) => boolean
}

/**
 * Reads the patterns of a .sourceignore as Flux does (fluxcd/pkg/sourceignore, with go-git's gitignore): not in all as
 * git reads a .gitignore, for a `!` also brings back what lies in an ignored folder.
 */
export function readIgnorePatterns(text: string): readonly IgnorePattern[] {
  const patterns: IgnorePattern[] = []
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start)
    const next = lineEnd === -1 ? text.length : lineEnd
    const line = text.slice(start, next).replace(/\r$/, '')
    if (!line.startsWith('#') && line.trim() !== '') patterns.push(readPattern(line, start))
    start = next + 1
  }
  return patterns
}

function readPattern(line: string, start: number): IgnorePattern {
  const isIncluding = line.startsWith('!')
  let pattern = isIncluding ? line.slice(1) : line
  if (!pattern.endsWith('\\ ')) pattern = withoutLastSpaces(pattern)
  const isOfFolders = pattern.endsWith('/')
  if (isOfFolders) pattern = pattern.slice(0, -1)
  const isPath = pattern.includes('/')
  const parts = pattern.split('/').map(isPath ? compilePart : compileName)
  const matches = (names: readonly string[]): boolean =>
    isPath ? matchesPath(parts, { names, isOfFolders }) : matchesName(parts[0], { names, isOfFolders })
  return { start, end: start + line.length, isIncluding, matches }
}

function withoutLastSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}

/** A part of a pattern between slashes; `''` and `**` stand for themselves. */
type PatternPart = '' | '**' | ((name: string) => boolean)

function compilePart(part: string): PatternPart {
  if (part === '' || part === '**') return part
  // in a path such a part matches nothing in go-git
  return part.includes('**') ? () => false : compileName(part)
}

function compileName(part: string): (name: string) => boolean {
  try {
    return compilePathPattern(part)
  } catch (error) {
    if (error instanceof PathPatternError) return () => false
    throw error
  }
}

interface AskedPath {
  readonly names: readonly string[]
  /** True for a pattern that ends in a slash: the last name is a file, which it does not match. */
  readonly isOfFolders: boolean
}

function matchesName(part: PatternPart | undefined, { names, isOfFolders }: AskedPath): boolean {
  const index = names.findIndex((name) => typeof part === 'function' && part(name))
  return index !== -1 && !(isOfFolders && index === names.length - 1)
}

function matchesPath(parts: readonly PatternPart[], { names, isOfFolders }: AskedPath): boolean {
  let rest = names
  let isMatched = false
  let isAnywhere = false
  for (const [index, part] of parts.entries()) {
    if (part === '') {
      isAnywhere = false
      continue
    }
    if (part === '**') {
      if (index === parts.length - 1) break
      isAnywhere = true
      continue
    }
    const at = isAnywhere ? rest.findIndex(part) : rest[0] !== undefined && part(rest[0]) ? 0 : -1
    if (at === -1) {
      if (!isAnywhere || rest.length === 0) return false
      // go-git goes on with nothing left
      isMatched = false
      rest = []
    } else {
      isMatched = true
      rest = rest.slice(at + 1)
    }
    isAnywhere = false
  }
  return isMatched && !(isOfFolders && rest.length === 0)
}
