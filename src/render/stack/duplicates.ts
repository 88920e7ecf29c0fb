import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Manifest } from '../../model/manifest.ts'
import { describeManifest } from './patch.ts'
import { groupOf } from './scope.ts'

/**
 * Checks that no object stands twice in one unit: an apply engine would refuse it, or the last one would win unseen.
 * @throws StackmasonError OBJECT_DUPLICATE for each
 */
export function refuseDuplicates(manifests: readonly Manifest[]): void {
  const seen = new Map<string, Manifest>()
  const problems: Diagnostic[] = []
  for (const manifest of manifests) {
    const key = objectKey(manifest)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, manifest)
    else {
      problems.push({
        code: 'OBJECT_DUPLICATE',
        severity: 'error',
        message: `${describeManifest(manifest)} of ${manifest.origin.unit} is rendered twice, by ${first.origin.template} and ${manifest.origin.template}`,
        file: manifest.origin.template,
      })
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
}

/** What identifies an object in a cluster: group, kind, namespace and name; not the version. */
export function objectKey(manifest: Manifest): string {
  return `${groupOf(manifest.object)}/${manifest.kind}/${manifest.namespace ?? ''}/${manifest.name}`
}
