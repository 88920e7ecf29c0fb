/** A text is no version or no constraint; `message` in the words of Masterminds/semver. */
export class SemverError extends Error {
  /** The message without what it quotes of the text, which may be secret. */
  readonly unquoted: string

  constructor(message: string, { unquoted = message, ...options }: ErrorOptions & { readonly unquoted?: string } = {}) {
    super(message, options)
    this.name = 'SemverError'
    this.unquoted = unquoted
  }
}

/** A version as Masterminds/semver v3 reads it; `original` is the text that it was read from. */
export interface Semver {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: string
  readonly metadata: string
  readonly original: string
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const loose = new RegExp(`^v?([0-9]+)(?:\\.([0-9]+)(?:\\.([0-9]+))?)?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`)
const maxUint64 = 2n ** 64n - 1n

/**
 * Reads a version leniently: a `v` in front, missing parts and leading zeros are fine (Masterminds/semver v3.4,
 * NewVersion).
 * @throws SemverError in that library's words
 */
export function parseSemver(text: string): Semver {
  const match = loose.exec(text)
  if (match === null) throw new SemverError('invalid semantic version')
  const [, major = '', minor = '0', patch = '0', prerelease = '', metadata = ''] = match
  const version: Semver = {
    major: parseSegment(major),
    minor: parseSegment(minor),
    patch: parseSegment(patch),
    prerelease,
    metadata,
    original: text,
  }
  if (prerelease !== '') checkPrerelease(prerelease)
  return version
}

function parseSegment(digits: string): bigint {
  const value = parseUint(digits)
  if (value !== undefined) return value
  throw new SemverError(`error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`, {
    unquoted: 'error parsing version segment: value out of range',
  })
}

/** @throws SemverError for an empty identifier, a foreign character, or a number with a leading zero */
export function checkPrerelease(prerelease: string): void {
  for (const part of prerelease.split('.')) {
    if (/^0[0-9]+$/.test(part)) throw new SemverError('version segment starts with 0')
    if (!/^[0-9A-Za-z-]+$/.test(part)) throw new SemverError('invalid prerelease string')
  }
}

/** @throws SemverError for an empty identifier or a foreign character */
export function checkMetadata(metadata: string): void {
  for (const part of metadata.split('.')) {
    if (!/^[0-9A-Za-z-]+$/.test(part)) throw new SemverError('invalid metadata string')
  }
}

/** Returns the version in its full form, without the `v`. */
export function formatSemver({ major, minor, patch, prerelease, metadata }: Semver): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`
}

/** Returns -1, 0 or 1; a prerelease is below its release, metadata does not count. */
export function compareSemver(a: Semver, b: Semver): number {
  return (
    compareNumbers(a.major, b.major) ||
    compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) ||
    compareReleases(a.prerelease, b.prerelease)
  )
}

function compareReleases(a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1
  return comparePrereleases(a, b)
}

/** Compares two prerelease strings part by part; the empty one is the smallest here. */
export function comparePrereleases(a: string, b: string): number {
  const partsA = a.split('.')
  const partsB = b.split('.')
  const length = Math.max(partsA.length, partsB.length)
  for (let at = 0; at < length; at++) {
    const order = compareParts(partsA[at] ?? '', partsB[at] ?? '')
    if (order !== 0) return order
  }
  return 0
}

function compareParts(a: string, b: string): number {
  if (a === b) return 0
  if (a === '') return -1
  if (b === '') return 1
  const numberA = parseUint(a)
  const numberB = parseUint(b)
  if (numberA === undefined && numberB === undefined) return a > b ? 1 : -1
  if (numberB === undefined) return -1
  if (numberA === undefined) return 1
  return numberA > numberB ? 1 : -1
}

/**
 * Undefined when it is no number or does not fit 64 bits: such a part of a prerelease counts as text, as in the
 * original.
 */
function parseUint(text: string): bigint | undefined {
  if (!/^0*[0-9]{1,20}$/.test(text)) return undefined
  const value = BigInt(text)
  return value <= maxUint64 ? value : undefined
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
