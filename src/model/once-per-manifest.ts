import type { Manifest } from './manifest.ts'

/**
 * The same function, that looks at each object once: most objects of a cluster are those of others, too. Of what depends
 * on nothing else.
 */
export function oncePerManifest<Result>(of: (manifest: Manifest) => Result): (manifest: Manifest) => Result {
  const known = new WeakMap<Manifest, { readonly result: Result }>()
  return (manifest) => {
    const found = known.get(manifest) ?? { result: of(manifest) }
    known.set(manifest, found)
    return found.result
  }
}
