import { certificateFunctions, isSignedCall, signingGenerator } from '../../generate/certificates/certificate-call.ts'
import { derivedFunctions } from '../../generate/derived-values.ts'
import type { Parts } from '../../generate/make-parts.ts'
import { referencesOf } from '../../generate/value-template.ts'
import type { Generator } from '../../model/binding.ts'

/** A rotation that is under way. */
export interface Rotation {
  /** The id of the request for it. */
  readonly id: string
  /**
   * `trust`: new authorities are trusted beside the old ones, which still sign. `use`: the new ones sign, and the old
   * ones are trusted.
   */
  readonly phase: 'trust' | 'use'
  /** When the phase began, milliseconds since 1970. */
  readonly since: number
}

/** The kept parts, and those that have been rotated. */
export interface RotationState {
  readonly parts: ReadonlyMap<string, Parts>
  readonly rotation: Rotation | undefined
  /** The last one that was carried out; empty: none. */
  readonly rotated: string
}

/** A request to rotate. */
export interface RotationRequest {
  readonly generators: readonly Generator[]
  /** The rotation that the object asks for; empty: none. */
  readonly asked: string
  /** Since when all that was made is where it belongs; Infinity: it is not. Milliseconds since 1970. */
  readonly settledSince: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Milliseconds of each phase: certificates in ConfigMaps and mounted Secrets have long been read anew, and workloads
 * can be restarted.
 */
export const OVERLAP: number = 24 * 60 * 60_000

const NEXT = { cert: 'next-cert', key: 'next-key' } as const
const PREVIOUS = 'previous-cert'

/**
 * The next step of a rotation, if one is due: which generators are to be made anew, what of them is kept until then,
 * and where the rotation is. `next` names the authorities of which another pair is to be made, to be kept by {@link
 * keepNext}.
 */
export function stepRotation(
  state: RotationState,
  { generators, asked, settledSince, now }: RotationRequest,
): RotationState & { readonly next: readonly string[] } {
  const { rotation, rotated } = state
  const nothing = { ...state, next: [] }
  if (rotation === undefined) {
    if (asked === '' || asked === rotated) return nothing
    // what is not there yet is made new anyway
    if (state.parts.size === 0) return { ...nothing, rotated: asked }
    const next = authorities(generators, state.parts)
    const fixed = fixedGenerators(generators)
    const parts = [...state.parts].filter(([name]) => !isPlain(generators, name) || fixed.has(name))
    return { parts: new Map(parts), rotation: { id: asked, phase: 'trust', since: now }, rotated, next }
  }
  // what nobody has got yet nobody trusts
  if (now - Math.max(rotation.since, settledSince) < OVERLAP) return nothing
  if (rotation.phase === 'use') {
    const parts = new Map(Array.from(state.parts, ([name, of]) => [name, without(of, PREVIOUS)]))
    return { parts, rotation: undefined, rotated: rotation.id, next: [] }
  }
  const replaced = new Set([...state.parts].flatMap(([name, of]) => (of.has(NEXT.cert) ? [name] : [])))
  const signed = new Set(
    generators.flatMap(({ name, function: called, arguments: args }) =>
      isSignedCall(called) && replaced.has(signingGenerator(args[4] ?? '') ?? '') ? [name] : [],
    ),
  )
  const parts = [...state.parts]
    .filter(([name]) => !signed.has(name))
    .map(([name, of]): [string, Parts] => [name, replaced.has(name) ? promoted(of) : of])
  return { parts: new Map(parts), rotation: { ...rotation, phase: 'use', since: now }, rotated, next: [] }
}

/** Keeps new pairs of authorities beside the old ones. */
export function keepNext(
  parts: ReadonlyMap<string, Parts>,
  made: ReadonlyMap<string, Parts>,
): ReadonlyMap<string, Parts> {
  const kept = new Map(parts)
  for (const [name, of] of made) {
    const [cert, key] = [of.get('cert'), of.get('key')]
    if (cert === undefined || key === undefined) continue
    kept.set(name, new Map([...(parts.get(name) ?? []), [NEXT.cert, cert], [NEXT.key, key]]))
  }
  return kept
}

/**
 * The parts as they are used: a certificate that others trust comes with the one before or after it. The one that signs
 * is first.
 */
export function trusted(parts: ReadonlyMap<string, Parts>): ReadonlyMap<string, Parts> {
  return new Map(
    Array.from(parts, ([name, of]): [string, Parts] => {
      const [cert, other] = [of.get('cert'), of.get(NEXT.cert) ?? of.get(PREVIOUS)]
      const used = without(of, NEXT.cert, NEXT.key, PREVIOUS)
      return [
        name,
        cert === undefined || other === undefined ? used : new Map([...used, ['cert', `${cert}\n${other}`]]),
      ]
    }),
  )
}

/** Authorities, and certificates that are their own: of which we hold the key. */
function authorities(generators: readonly Generator[], parts: ReadonlyMap<string, Parts>): readonly string[] {
  return generators.flatMap(({ name, function: called }) => {
    const definition = certificateFunctions.get(called)
    const isAuthority = definition !== undefined && !definition.isSigned && !definition.hasKey
    return isAuthority && parts.get(name)?.has('cert') === true && parts.get(name)?.has('key') === true ? [name] : []
  })
}

/**
 * Generators that others depend on whose parts cannot be made anew beside the old ones: keys that certificates are made
 * with.
 */
function fixedGenerators(generators: readonly Generator[]): ReadonlySet<string> {
  const withKey = generators.filter(({ function: called }) => certificateFunctions.get(called)?.hasKey === true)
  const fixed = new Set<string>()
  const visit = (generator: Generator): void => {
    for (const { name, part } of generator.arguments.flatMap(referencesOf)) {
      const other = part === undefined ? undefined : generators.find((candidate) => candidate.name === name)
      if (other === undefined || fixed.has(name)) continue
      fixed.add(name)
      visit(other)
    }
  }
  withKey.forEach(visit)
  return fixed
}

/** True if a generator makes a password, a key or the like: nobody trusts it, so that there is nothing to overlap. */
function isPlain(generators: readonly Generator[], name: string): boolean {
  const generator = generators.find((candidate) => candidate.name === name)
  if (generator === undefined || generator.existing !== undefined) return false
  return !certificateFunctions.has(generator.function) && !derivedFunctions.has(generator.function)
}

function promoted(of: Parts): Parts {
  const [cert, next, key] = [of.get('cert'), of.get(NEXT.cert), of.get(NEXT.key)]
  if (cert === undefined || next === undefined || key === undefined) return of
  return new Map([...without(of, NEXT.cert, NEXT.key), ['cert', next], ['key', key], [PREVIOUS, cert]])
}

function without(of: Parts, ...names: readonly string[]): Parts {
  return new Map([...of].filter(([name]) => !names.includes(name)))
}
