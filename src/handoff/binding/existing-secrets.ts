import { isPublicPart } from '../../generate/published-value.ts'
import type { ExistingSecret } from '../../model/binding.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import type { TokenSpec } from '../../model/token.ts'
import { generatorKey, isSecret } from './generator-places.ts'

/**
 * Finds the generators whose private part stands in one of the `existing` Secrets (or which have none, and whose
 * certificate does): what they would have made is taken from there. By generator name.
 */
export function existingGenerators(
  manifests: readonly Manifest[],
  existing: readonly Pick<Manifest, 'namespace' | 'name'>[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, ExistingSecret> {
  const privates = new Set<string>()
  const found = new Map<string, ExistingSecret>()
  for (const manifest of manifests) {
    const isExisting = isSecret(manifest) && existing.some((entry) => isNamed(manifest, entry))
    for (const located of manifest.deferred ?? []) {
      const spec = partOf(located)
      if (spec === undefined) continue
      const name = names.get(generatorKey(manifest.origin.unit, spec.generate))
      if (name === undefined) continue
      if (!isPublicPart(spec.part) && !isExisting) privates.add(name)
      if (!isExisting) continue
      const key = {
        part: spec.part,
        key: (located.pointer.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~'),
      }
      const known = found.get(name)
      const isSame = known?.name === manifest.name && known.namespace === (manifest.namespace ?? '')
      if (known !== undefined && isSame) found.set(name, { ...known, keys: [...known.keys, key] })
      else if (known === undefined || !isPublicPart(spec.part))
        found.set(name, { namespace: manifest.namespace ?? '', name: manifest.name, keys: [key] })
    }
  }
  return new Map(
    [...found].filter(([name, { keys }]) => keys.some(({ part }) => !isPublicPart(part)) || !privates.has(name)),
  )
}

/** True if the object has that name and namespace. */
export function isNamed(manifest: Manifest, entry: Pick<Manifest, 'namespace' | 'name'>): boolean {
  return manifest.name === entry.name && manifest.namespace === entry.namespace
}

/** The part of a generator that is the whole text, or base64 of it, whatever line feed is at its end. */
function partOf({ text, tokens }: LocatedToken): Extract<TokenSpec, { kind: 'generated' }> | undefined {
  const spec = only({ text, tokens })
  const inner = spec?.kind === 'derived' && spec.function === 'b64enc' ? only({ text: spec.input, tokens }) : spec
  return inner?.kind === 'generated' ? inner : undefined
}

function only({ text, tokens }: Pick<LocatedToken, 'text' | 'tokens'>): TokenSpec | undefined {
  const bare = text.replace(/\n$/, '')
  return bare.length === 2 ? tokens.get(bare) : undefined
}
