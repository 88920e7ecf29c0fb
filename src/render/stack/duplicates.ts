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
    message: `${describeManifest(second)} of ${second.origin.unit} is rendered twice${byWhom(first, second)}`,
    ...placeIn(counted(second, manifests), 'metadata', 'name'),
    beside: { what: 'the first', on: { manifest: counted(first, manifests), path: ['metadata', 'name'] } },
    ...(first.origin.template === second.origin.template && {
      hint: 'Remove one of the two, or give it another name.',
    }),
  }))
  if (problems.length > 0) throw new StackmasonError(problems)
}

function byWhom(first: Manifest, second: Manifest): string {
  const [one, other] = [first.origin.template, second.origin.template]
  return one === other ? ` by ${one}` : `, by ${one} and ${other}`
}

/** The object, told from the equal ones of its document: they differ by nothing but their order. */
function counted(manifest: Manifest, manifests: readonly Manifest[]): Manifest {
  const { origin } = manifest
  const key = objectKey(manifest)
  const equal = manifests.filter(
    (other) =>
      other.origin.template === origin.template &&
      other.origin.document === origin.document &&
      objectKey(other) === key,
  )
  return { ...manifest, origin: { ...origin, nth: equal.indexOf(manifest) } }
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
