import { acknowledgedName } from './acknowledged-name.ts'
import type { CheckedUnit } from './checked-unit.ts'
import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import type { PathStep } from '../model/field.ts'
import { type Manifest, objectKey, placeIn } from '../model/manifest.ts'

/** An object of a unit for the management cluster, as notes name it: a plain value. */
export interface NotedObject extends Pick<Manifest, 'apiVersion' | 'kind' | 'namespace' | 'name'> {
  /** Path of the folder that it lies in. */
  readonly folder: string
}

/** A field of such an object. */
export interface NotedField {
  readonly object: NotedObject
  readonly path: readonly PathStep[]
}

/** The part of a unit that is left when it is judged. */
export interface UnitOrigin {
  readonly subject: FindingSubject
  /** Adds the place of a field of one of its objects to a finding. */
  readonly locate: (finding: Diagnostic, field: NotedField) => Diagnostic
}

const noted = new WeakMap<Manifest, NotedObject>()

/** Names an object in a note; it is one value in all notes of a unit. */
export function noteObject(manifest: Manifest, folder: string): NotedObject {
  const known = noted.get(manifest)
  if (known?.folder === folder) return known
  const { apiVersion, kind, namespace, name } = manifest
  const object = { apiVersion, kind, name, folder, ...(namespace !== undefined && { namespace }) }
  noted.set(manifest, object)
  return object
}

/** An object as acknowledgements name it. */
export function nameOfNoted({ kind, namespace, name }: NotedObject): string {
  return acknowledgedName({ kind, namespace, name })
}

/** The origin of a unit that keeps its objects for the management cluster. */
export function originOf({ subject, locate, folders, cluster }: CheckedUnit): UnitOrigin {
  const objects = new Map<string, Manifest>()
  // rather than as it is written, which may wait for a later step
  if (cluster !== undefined) objects.set(keyOf(noteObject(cluster.manifest, folders[0]?.path ?? '')), cluster.manifest)
  for (const { path, destination, manifests } of folders)
    if (destination === 'management')
      for (const manifest of manifests) {
        const key = keyOf(noteObject(manifest, path))
        if (!objects.has(key)) objects.set(key, manifest)
      }
  return {
    subject,
    locate: (finding, { object, path }) => {
      const manifest = objects.get(keyOf(object))
      return manifest === undefined ? finding : locate({ ...finding, ...placeIn(manifest, ...path) })
    },
  }
}

function keyOf(object: NotedObject): string {
  return `${object.folder} ${objectKey(object)}`
}
