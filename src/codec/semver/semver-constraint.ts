import { comparePrereleases, compareSemver, parseSemver, SemverError, type Semver } from './semver-version.ts'

/** One comparison, e.g. `>=1.2`. */
interface Comparison {
  readonly operator: string
  readonly version: Semver
  /** The first part that was left out or a wildcard: then the comparison is against a range. */
  readonly open: 'major' | 'minor' | 'patch' | 'none'
}

/** Alternatives, each a list of comparisons that must all hold. */
type Constraint = readonly (readonly Comparison[])[]

// Each expression can read a text in one way only, or n comparisons could be read in 2^n ways: so the third part of a
// version stands inside the second, and the space after an operator belongs to it.
const operators = '!=|>=|=>|<=|=<|~>|[=><~^]'
const part = '[0-9|xX*]+'
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const version = `v?${part}(?:\\.${part}(?:\\.${part})?)?(?:-${identifiers})?(?:\\+${identifiers})?`
const versionParts = `v?(${part})(?:(\\.${part})(\\.${part})?)?(-${identifiers})?(?:\\+${identifiers})?`

const range = new RegExp(` ?(${version}) - (${version}) ?`, 'g')
const compared = `(?:(?:${operators}) ?)?${version}`
const comparison = new RegExp(compared, 'g')
const singleComparison = new RegExp(`^(?:(${operators}) ?)?${versionParts}$`)
const comparisons = new RegExp(`^ ?${compared} ?(?:(?: |, ?)${compared} ?)*$`)

const improper = { unquoted: 'improper constraint' }

/** Longer text is no constraint anyone wrote; the bound keeps the time to read it small. */
const maxLength = 4096

/**
 * Reads a constraint such as `>=1.2, <2 || ~3.1` (Masterminds/semver v3.4, NewConstraint).
 * @throws SemverError in that library's words
 */
function parseConstraint(text: string): Constraint {
  if (text.length > maxLength) throw new SemverError(`improper constraint: ${text.slice(0, 100)}…`, improper)
  // a run of white space means what one space means; single spaces keep the expressions below from backtracking without
  // end
  const alternatives = rewriteRanges(text.replace(/[\t\n\f\r ]+/g, ' ')).split('||')
  return alternatives.map((alternative, index) => {
    if (!comparisons.test(alternative)) {
      throw new SemverError(`improper constraint: ${rewriteSpaced(text).split('||')[index] ?? alternative}`, improper)
    }
    return (alternative.match(comparison) ?? []).map(parseComparison)
  })
}

/** `1.2 - 1.4` is `>= 1.2, <= 1.4`. */
function rewriteRanges(text: string): string {
  return text.replace(range, (_, from: string, to: string) => `>= ${from}, <= ${to} `)
}

/** The same for text with its white space as given, which only messages need. */
function rewriteSpaced(text: string): string {
  const spaced = range.source
    .replaceAll(' - ', '[\\t\\n\\f\\r ]+-[\\t\\n\\f\\r ]+')
    .replaceAll(' ?', '[\\t\\n\\f\\r ]*')
  return text.replace(new RegExp(spaced, 'g'), (_, from: string, to: string) => `>= ${from}, <= ${to} `)
}

function parseComparison(text: string): Comparison {
  const match = singleComparison.exec(text)
  if (match === null) throw new SemverError(`improper constraint: ${text}`, improper)
  const [, operator = '', major = '', minor = '', patch = '', prerelease = ''] = match
  const open = isOpen(major) ? 'major' : isOpen(minor) ? 'minor' : isOpen(patch) ? 'patch' : 'none'
  const known = { major: '0.0.0', minor: `${major}.0.0`, patch: `${major}${minor}.0`, none: major + minor + patch }[
    open
  ]
  try {
    return { operator, version: parseSemver(known + prerelease), open }
  } catch (error) {
    throw new SemverError('constraint parser error', { cause: error })
  }
}

function isOpen(text: string): boolean {
  return /^\.?[xX*]?$/.test(text)
}

/** True if `version` satisfies `constraint`; a prerelease only does where an alternative names one itself. */
function satisfies(version: Semver, constraint: Constraint): boolean {
  return constraint.some((alternative) => {
    const takesPrereleases = alternative.some((one) => one.version.prerelease !== '')
    if (version.prerelease !== '' && !takesPrereleases) return false
    return alternative.every((one) => holds(version, one))
  })
}

/**
 * True if `version` satisfies `constraint`: what `semverCompare` answers, and Helm's rule for versions of dependencies
 * and for kubeVersion.
 * @throws SemverError when either is not valid
 */
export function checkConstraint(constraint: string, version: string): boolean {
  const parsed = parseConstraint(constraint)
  return satisfies(parseSemver(version), parsed)
}

function holds(version: Semver, one: Comparison): boolean {
  switch (one.operator) {
    case '!=':
      return differs(version, one)
    case '>':
      return isGreater(version, one)
    case '<':
      return compareSemver(version, one.version) < 0
    case '>=':
    case '=>':
      return compareSemver(version, one.version) >= 0
    case '<=':
    case '=<':
      return isAtMost(version, one)
    case '~':
    case '~>':
      return isNear(version, one)
    case '^':
      return isCompatible(version, one)
    default:
      return one.open === 'none' ? compareSemver(version, one.version) === 0 : isNear(version, one)
  }
}

function differs(version: Semver, { version: other, open }: Comparison): boolean {
  if (open === 'none') return compareSemver(version, other) !== 0
  if (version.major !== other.major) return true
  if (open === 'minor') return false
  if (version.minor !== other.minor) return true
  if (open === 'patch') return comparePrereleases(version.prerelease, other.prerelease) !== 0
  return version.patch !== other.patch || compareSemver(version, other) !== 0
}

function isGreater(version: Semver, { version: other, open }: Comparison): boolean {
  if (open === 'none') return compareSemver(version, other) > 0
  if (version.major !== other.major) return version.major > other.major
  if (open === 'minor') return false
  if (open === 'patch') return version.minor > other.minor
  return compareSemver(version, other) > 0
}

function isAtMost(version: Semver, { version: other, open }: Comparison): boolean {
  if (open === 'none') return compareSemver(version, other) <= 0
  if (version.major !== other.major) return version.major < other.major
  return open === 'minor' || version.minor <= other.minor
}

function isNear(version: Semver, { version: other, open }: Comparison): boolean {
  if (compareSemver(version, other) < 0) return false
  const isZero = other.major === 0n && other.minor === 0n && other.patch === 0n
  if (isZero && open !== 'minor' && open !== 'patch') return true
  return version.major === other.major && (open === 'minor' || version.minor === other.minor)
}

function isCompatible(version: Semver, { version: other, open }: Comparison): boolean {
  if (compareSemver(version, other) < 0) return false
  if (other.major > 0n || open === 'minor') return version.major === other.major
  if (version.major > 0n) return false
  if (other.minor > 0n || open === 'patch') return version.minor === other.minor
  return version.minor === 0n && version.patch === other.patch
}
