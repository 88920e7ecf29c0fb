import { compilePathPattern, PathPatternError } from '../../codec/match-path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'

/** Says whether a path (relative to the chart's root) is left out of the chart. Parents must be asked first. */
export type IgnoreRule = (path: string, type: 'file' | 'directory') => boolean

interface Pattern {
  readonly negated: boolean
  readonly directoryOnly: boolean
  readonly matches: (path: string) => boolean
}

/** The name of the file that holds the rules. */
export const HELM_IGNORE = '.helmignore'

/**
 * Reads .helmignore by Helm's rules (pkg/ignore), which are not git's: no `**`, no inline comments, the first pattern
 * that matches decides, and a `!` pattern ignores everything that it does not match. Hidden files right below
 * templates/ are always ignored.
 * @throws StackmasonError CHART_INVALID at the line of a pattern that Helm refuses
 */
export function parseHelmIgnore(source?: Source): IgnoreRule {
  const patterns: Pattern[] = []
  let offset = 0
  for (const line of (source?.text ?? '').split('\n')) {
    const rule = line.trim()
    if (source !== undefined && rule !== '' && !rule.startsWith('#')) {
      const start = offset + line.indexOf(rule)
      patterns.push(parsePattern(rule, { source, start, end: start + rule.length }))
    }
    offset += line.length + 1
  }
  const defaultPattern = compilePathPattern('templates/.?*')
  return (path, type) => {
    for (const pattern of patterns) {
      const matches = pattern.matches(path)
      const typeFits = type === 'directory' || !pattern.directoryOnly
      if (pattern.negated && !(typeFits && matches)) return true
      if (!pattern.negated && typeFits && matches) return true
    }
    return defaultPattern(path)
  }
}

function parsePattern(rule: string, at: { source: Source; start: number; end: number }): Pattern {
  const refuse = (why: string): StackmasonError =>
    new StackmasonError({ code: 'CHART_INVALID', severity: 'error', message: `${HELM_IGNORE}: ${why}`, at })
  if (rule.includes('**')) throw refuse('double-star (**) syntax is not supported')
  if (compile(rule) === undefined) throw refuse('syntax error in pattern')
  const negated = rule.startsWith('!')
  const plain = negated ? rule.slice(1) : rule
  const directoryOnly = plain.endsWith('/')
  const pattern = directoryOnly ? plain.slice(0, -1) : plain
  // Helm checks the whole rule only: a part that is no pattern by itself matches nothing.
  const match = compile(pattern.startsWith('/') ? pattern.slice(1) : pattern) ?? ((): boolean => false)
  if (pattern.includes('/')) return { negated, directoryOnly, matches: match }
  return { negated, directoryOnly, matches: (path) => match(path.slice(path.lastIndexOf('/') + 1)) }
}

function compile(pattern: string): ((path: string) => boolean) | undefined {
  try {
    return compilePathPattern(pattern)
  } catch (error) {
    if (error instanceof PathPatternError) return undefined
    throw error
  }
}

/**
 * Leaves out what the .helmignore among the files says, as Helm does when it reads a folder; archives are not filtered.
 * @throws StackmasonError CHART_INVALID
 */
export function applyHelmIgnore(files: readonly ChartFile[], origin: string): readonly ChartFile[] {
  const rules = files.find((file) => file.path === HELM_IGNORE)
  const source = rules && { name: `${origin}/${HELM_IGNORE}`, text: decodeUtf8(rules.bytes).replace(/^\uFEFF/, '') }
  const ignores = parseHelmIgnore(source)
  const known = new Map<string, boolean>()
  const folderIgnored = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    const slash = path.lastIndexOf('/')
    const ignored = (slash !== -1 && folderIgnored(path.slice(0, slash))) || ignores(path, 'directory')
    known.set(path, ignored)
    return ignored
  }
  return files.filter(({ path }) => {
    const slash = path.lastIndexOf('/')
    return !(slash !== -1 && folderIgnored(path.slice(0, slash))) && !ignores(path, 'file')
  })
}
