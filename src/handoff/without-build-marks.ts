import { dictAt, withField } from '../model/field.ts'
import type { Manifest } from '../model/manifest.ts'
import { dict } from '../model/value.ts'

/** kustomize builds no object that has it, unless the value is `false` (kyaml IsLocalConfig). */
export const LOCAL_CONFIG = 'config.kubernetes.io/local-config'

/** kustomize's notes to itself. */
const INTERNAL = 'internal.config.kubernetes.io/'

/** True for annotations by which kustomize drops or renames an object (kustomize api/internal/utils). */
export function isBuildMark(annotation: string): boolean {
  return annotation === LOCAL_CONFIG || annotation.startsWith(INTERNAL)
}

/**
 * The manifest without the annotations by which kustomize drops or renames an object: Flux and Argo CD build folders
 * with it, and Helm, which knows none of them, applies the object as it is.
 */
export function withoutBuildMarks(manifest: Manifest): Manifest {
  const before = dictAt(manifest.object, 'metadata', 'annotations')
  if (before === undefined) return manifest
  const after = [...before].filter(([name]) => !isBuildMark(name))
  if (after.length === before.size) return manifest
  const metadata = [...(dictAt(manifest.object, 'metadata') ?? [])].filter(([name]) => name !== 'annotations')
  const left: typeof metadata = after.length === 0 ? metadata : [...metadata, ['annotations', dict(after)]]
  return { ...manifest, object: withField(manifest.object, ['metadata'], dict(left)) }
}
