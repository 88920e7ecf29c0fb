import { compareBytes } from '../../codec/text/text-order.ts'
import { isPublicPart } from '../../generate/published-value.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import { tokenIdentities } from '../../model/token-identity.ts'
import { rootTokens, type GenerateSpec, type TokenSpec, type TokenTable } from '../../model/token.ts'
import { shortHash } from '../short-hash.ts'
import { createNames, generatorName } from './value-name.ts'

/** A token that stands for part of what is generated. */
export type GeneratedSpec = Extract<TokenSpec, { kind: 'generated' }>

/** The key of a generator's call within one cluster: the addon, and the call. */
export function generatorKey(unit: string, generate: GenerateSpec): string {
  return `${unit}\n${JSON.stringify(generate)}`
}

/** Where part of a generator's result stands. */
interface Place {
  /** Rank of what is there: who holds the private part is the owner. */
  readonly rank: number
  readonly name: string
  /** The place itself: names are made of letters, digits and dashes, so that places of one name can be two. */
  readonly exact: string
}

/**
 * Names every generator whose results stand in the manifests after the place of its private part. Such a name stays the
 * same when a new version of the chart moves the call to another line: what was made once is kept by that name.
 */
export function nameGenerators(manifests: readonly Manifest[]): ReadonlyMap<string, string> {
  const places = new Map<string, Place>()
  const note = (key: string, place: Place): void => {
    const known = places.get(key)
    if (known === undefined || comparePlaces(place, known) < 0) places.set(key, place)
  }
  for (const manifest of manifests) {
    for (const located of manifest.deferred ?? []) {
      for (const spec of generatedSpecs(located.text, located.tokens)) {
        const isPublic = isPublicPart(spec.part)
        const rank = (isSecret(manifest) ? 0 : 2) + (isPublic ? 1 : 0)
        const name = placeName(manifest, located)
        const exact = JSON.stringify([manifest.namespace, manifest.kind, manifest.name, located.pointer])
        note(generatorKey(manifest.origin.unit, spec.generate), { rank, name, exact })
        const signers = spec.generate.arguments.flatMap((argument) => signersOf(argument, located.tokens))
        for (const signer of signers)
          note(generatorKey(manifest.origin.unit, signer.generate), { rank: 4, name: `${name}_signer`, exact })
      }
    }
  }
  const unique = createNames()
  const exacts = new Map<string, Set<string>>()
  for (const { name, exact } of places.values()) exacts.set(name, (exacts.get(name) ?? new Set<string>()).add(exact))
  // by their order what was made for the one could become the other's
  const isAmbiguous = ({ name }: Place): boolean => (exacts.get(name)?.size ?? 0) > 1
  return new Map(
    [...places].map(([key, place]) => [
      key,
      unique(isAmbiguous(place) ? `${place.name}_${shortHash(place.exact)}` : place.name, key),
    ]),
  )
}

function comparePlaces(a: Place, b: Place): number {
  return a.rank - b.rank || compareBytes(a.name, b.name)
}

function generatedSpecs(text: string, tokens: TokenTable): readonly GeneratedSpec[] {
  return rootTokens(text, tokens).flatMap((token) => {
    const spec = tokens.get(token)
    return spec?.kind === 'generated' ? [spec] : []
  })
}

function signersOf(argument: string, tokens: TokenTable): readonly GeneratedSpec[] {
  return [...tokenIdentities(tokens)].flatMap(([identity, token]) => {
    const spec = tokens.get(token)
    return spec?.kind === 'generated' && argument.includes(identity) ? [spec] : []
  })
}

/** `<namespace>_<secret>_<key>`, or of another object `<namespace>_<kind>-<name>_<pointer>`. */
export function placeName(manifest: Manifest, { pointer }: Pick<LocatedToken, 'pointer'>): string {
  const steps = pointer.split('/').slice(1)
  const namespace = manifest.namespace ?? 'cluster'
  return isSecret(manifest)
    ? generatorName(namespace, manifest.name, steps.at(-1) ?? '')
    : generatorName(namespace, `${manifest.kind.toLowerCase()}-${manifest.name}`, steps.join('-'))
}

/** True if it is a Secret of the core group. */
export function isSecret({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Secret' && apiVersion === 'v1'
}

/** True if the object is a Secret that holds what a chart would have generated. */
export function isGeneratedSecret(manifest: Manifest): boolean {
  return (
    isSecret(manifest) && (manifest.deferred ?? []).some(({ text, tokens }) => generatedSpecs(text, tokens).length > 0)
  )
}
