import { GoBytes, GoInt, GoObject, goInt, type GoMethod, type ParamType, type Value } from '../../model/value.ts'
import { checkConstraint } from '../../codec/semver/semver-constraint.ts'
import {
  checkMetadata,
  checkPrerelease,
  compareSemver,
  formatSemver,
  parseSemver,
  SemverError,
  type Semver,
} from '../../codec/semver/semver-version.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { FunctionError, type FunctionDef } from '../engine/function.ts'
import { textArgument } from './arguments.ts'
import { withoutQuotes } from '../engine/error-text.ts'

/** Go's *semver.Version, or semver.Version where the library returns the struct itself: that has no pointer methods. */
class SemverObject extends GoObject {
  readonly goType: string
  readonly kind: 'ptr' | 'struct'
  readonly version: Semver

  constructor(version: Semver, kind: 'ptr' | 'struct') {
    super()
    this.version = version
    this.kind = kind
    this.goType = kind === 'ptr' ? '*semver.Version' : 'semver.Version'
  }

  override field(): undefined {
    return undefined
  }

  override method(name: string): GoMethod | undefined {
    return (
      valueMethods(this.version).get(name) ?? (this.kind === 'ptr' ? pointerMethods(this.version).get(name) : undefined)
    )
  }

  override toText(): string {
    return formatSemver(this.version)
  }
}

type Methods = ReadonlyMap<string, GoMethod>

function method(params: readonly ParamType[], call: GoMethod['call']): GoMethod {
  return { params, call }
}

function valueMethods(version: Semver): Methods {
  const text = formatSemver(version)
  return new Map<string, GoMethod>([
    ['String', method([], () => text)],
    ['Major', method([], () => new GoInt(version.major, 'uint64'))],
    ['Minor', method([], () => new GoInt(version.minor, 'uint64'))],
    ['Patch', method([], () => new GoInt(version.patch, 'uint64'))],
    ['Prerelease', method([], () => version.prerelease)],
    ['Metadata', method([], () => version.metadata)],
    ['Value', method([], () => text)],
    ['MarshalText', method([], () => new GoBytes(encodeUtf8(text)))],
    ['MarshalJSON', method([], () => new GoBytes(encodeUtf8(JSON.stringify(text))))],
    [
      'IncMajor',
      method([], () => derive(version, { major: increment(version.major), minor: 0n, patch: 0n, ...released })),
    ],
    ['IncMinor', method([], () => derive(version, { minor: increment(version.minor), patch: 0n, ...released }))],
    [
      'IncPatch',
      method([], () =>
        derive(version, { patch: version.prerelease === '' ? increment(version.patch) : version.patch, ...released }),
      ),
    ],
    ['SetPrerelease', method(['string'], ([text = null]) => setText(version, { field: 'prerelease', text }))],
    ['SetMetadata', method(['string'], ([text = null]) => setText(version, { field: 'metadata', text }))],
  ])
}

/** Wraps at 64 bits, as Go's uint64. */
function increment(segment: bigint): bigint {
  return BigInt.asUintN(64, segment + 1n)
}

const released = { prerelease: '', metadata: '' }

function pointerMethods(version: Semver): Methods {
  function compared(answer: (order: number) => Value): GoMethod {
    return method(['object'], ([other = null]) => answer(compareSemver(version, readVersion(other))))
  }
  return new Map<string, GoMethod>([
    ['Original', method([], () => version.original)],
    ['Compare', compared((order) => goInt(order))],
    ['Equal', compared((order) => order === 0)],
    ['LessThan', compared((order) => order < 0)],
    ['LessThanEqual', compared((order) => order <= 0)],
    ['GreaterThan', compared((order) => order > 0)],
    ['GreaterThanEqual', compared((order) => order >= 0)],
  ])
}

function readVersion(value: Value): Semver {
  if (value instanceof SemverObject && value.kind === 'ptr') return value.version
  throw new FunctionError('wrong type for value; expected *semver.Version')
}

function derive(version: Semver, change: Partial<Semver>): SemverObject {
  const next = { ...version, ...change }
  return new SemverObject(
    { ...next, original: (version.original.startsWith('v') ? 'v' : '') + formatSemver(next) },
    'struct',
  )
}

interface TextChange {
  readonly field: 'prerelease' | 'metadata'
  readonly text: Value
}

function setText(version: Semver, { field, text }: TextChange): SemverObject {
  const given = typeof text === 'string' ? text : ''
  if (given !== '') inFunction(() => (field === 'prerelease' ? checkPrerelease(given) : checkMetadata(given)))
  return derive(version, { [field]: given })
}

function inFunction<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw error instanceof SemverError ? new FunctionError(withoutQuotes(error), { cause: error }) : error
  }
}

/** `semver` and `semverCompare`, after sprig v3.3 and Masterminds/semver v3.4. */
export const semverFunctions: readonly FunctionDef[] = [
  {
    name: 'semver',
    params: ['string'],
    tokens: 'refuse',
    call: (args) =>
      new SemverObject(
        inFunction(() => parseSemver(textArgument(args, 0))),
        'ptr',
      ),
  },
  {
    name: 'semverCompare',
    params: ['string', 'string'],
    tokens: 'refuse',
    call: (args) => inFunction(() => checkConstraint(textArgument(args, 0), textArgument(args, 1))),
  },
]
