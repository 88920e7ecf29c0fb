import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { type Manifest, objectKey, placeIn } from '../../model/manifest.ts'
import { describeManifest } from './patch.ts'

/**
 * Checks that no object stands twice in one unit: an apply engine would refuse it, or the last one would win unseen.
 * @throws StackmasonError OBJECT_DUPLICATE for each
 */
export function refuseDuplicates(manifests: readonly Manifest[]): void {
  const problems = pairsOf(manifests).map(([first, second]): Diagnostic => ({
    code: 'OBJECT_DUPLICATE',
    severity: 'error',
    message: `${describeManifest(second)} of ${second.origin.unit} is rendered twice, by ${first.origin.template} and ${second.origin.template}`,
    ...placeIn(second, 'metadata', 'name'),
    beside: { what: 'the first', on: { manifest: first, path: ['metadata', 'name'] } },
  }))
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** The objects that are there more than once, each with the first of its kind, group, namespace and name. */
export function pairsOf(manifests: Iterable<Manifest>): readonly (readonly [first: Manifest, again: Manifest])[] {
  const seen = new Map<string, Manifest>()
  const pairs: (readonly [Manifest, Manifest])[] = []
  for (const manifest of manifests) {
    const key = objectKey(manifest)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, manifest)
    else pairs.push([first, manifest])
  }
  return pairs
}
