import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celFunction, celMethod, Opaque } from '../cel-values.ts'

/** A semantic version (semver.org 2.0.0). */
class Version extends Opaque {
  readonly type = 'kubernetes.Semver'
  readonly numbers: readonly bigint[]
  readonly prerelease: readonly string[]

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super()
    this.numbers = numbers
    this.prerelease = prerelease
  }

  get key(): readonly CelData[] {
    return [...this.numbers, ...this.prerelease]
  }
}

const number = '(0|[1-9][0-9]*)'
const parts = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const strict = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${parts}))?(?:\\+${parts})?$`)

function parseVersion(text: string): Version | undefined {
  const [found, major = '', minor = '', patch = '', prerelease] = strict.exec(text) ?? []
  if (found === undefined) return undefined
  const identifiers = prerelease === undefined ? [] : prerelease.split('.')
  if (identifiers.some((part) => /^0[0-9]+$/.test(part))) return undefined
  return new Version([BigInt(major), BigInt(minor), BigInt(patch)], identifiers)
}

/** With a `v` in front, parts that are missing and leading zeros put right. */
function normalized(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([0-9.]*)(.*)$/s.exec(text) ?? []
  const all = numbers.split('.')
  while (all.length < 3) all.push('0')
  return all.map((part) => part.replace(/^0+(?=[0-9])/, '')).join('.') + rest
}

function versionOf(value: CelData | undefined): Version {
  const version = typeof value === 'string' ? parseVersion(value) : value
  if (version instanceof Version) return version
  throw new CelFailure('the text is no semantic version')
}

function compare(one: Version, other: Version): number {
  for (const [index, mine] of one.numbers.entries()) {
    const theirs = other.numbers[index] ?? 0n
    if (mine !== theirs) return mine < theirs ? -1 : 1
  }
  if (one.prerelease.length === 0 || other.prerelease.length === 0)
    return Math.sign(other.prerelease.length - one.prerelease.length)
  for (const [index, mine] of one.prerelease.entries()) {
    const theirs = other.prerelease[index]
    if (theirs === undefined) return 1
    const order = compareIdentifiers(mine, theirs)
    if (order !== 0) return order
  }
  return one.prerelease.length === other.prerelease.length ? 0 : -1
}

function compareIdentifiers(one: string, other: string): number {
  const [isNumber, isOther] = [/^[0-9]+$/.test(one), /^[0-9]+$/.test(other)]
  if (isNumber && isOther) return BigInt(one) < BigInt(other) ? -1 : BigInt(one) > BigInt(other) ? 1 : 0
  if (isNumber !== isOther) return isNumber ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}

const compared = (name: string, holds: (order: number) => boolean): CelFunction =>
  celMethod(name, [Version, Version], ([one, other]) => holds(compare(versionOf(one), versionOf(other))))

/** `semver(text)`, `isSemver(text)` and what can be asked of versions. */
export const semverFunctions: readonly CelFunction[] = [
  celFunction('semver', ['string'], ([text]) => versionOf(text)),
  celFunction('semver', ['string', 'bool'], ([text = null, isLoose]) =>
    versionOf(isLoose === true && typeof text === 'string' ? normalized(text) : text),
  ),
  celFunction('isSemver', ['string'], ([text]) => typeof text === 'string' && parseVersion(text) !== undefined),
  celFunction(
    'isSemver',
    ['string', 'bool'],
    ([text, isLoose]) =>
      typeof text === 'string' && parseVersion(isLoose === true ? normalized(text) : text) !== undefined,
  ),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    celMethod(name, [Version], ([value]) => versionOf(value).numbers[index] ?? 0n),
  ),
  compared('isGreaterThan', (order) => order > 0),
  compared('isLessThan', (order) => order < 0),
  celMethod('compareTo', [Version, Version], ([one, other]) => BigInt(compare(versionOf(one), versionOf(other)))),
]
