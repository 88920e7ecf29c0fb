import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { findConflictMarker } from '../codec/text/conflict-marker.ts'
import { textAt } from '../model/field.ts'
import { objectKey } from '../model/manifest.ts'
import { objectPath } from '../model/object-name.ts'
import type { TreeObject } from '../model/tree-change.ts'
import { KUSTOMIZATION_FILE, type TreeFolder } from '../model/tree-path.ts'
import { Dict, type Value } from '../model/value.ts'
import { placeOfFile } from './tree-place.ts'

/** The object in a file of a tree, or why there is none that can be compared. */
export type ReadObject = TreeObject | { readonly reason: string }

/** Reads files of trees; equal texts are parsed once, and share one object. */
export function createObjectReader(): (path: string, text: string) => ReadObject {
  const known = new Map<string, Dict | string>()
  return (path, text) => {
    const place = placeOfFile(path)
    if (place === undefined) return { reason: 'it is in no folder of the tree that holds objects' }
    const isList = place.file === KUSTOMIZATION_FILE
    const object = known.get(text) ?? parse(text, isList)
    known.set(text, object)
    if (typeof object === 'string') return { reason: object }
    const namespace = textAt(object, 'metadata', 'namespace')
    return {
      path,
      folder: place.folder,
      destination: destinationOf(place.folder),
      apiVersion: textAt(object, 'apiVersion'),
      kind: textAt(object, 'kind'),
      ...(namespace !== '' && { namespace }),
      name: isList ? KUSTOMIZATION_FILE : textAt(object, 'metadata', 'name'),
      object,
    }
  }
}

/** The identity of an object in a fleet: where it is applied, and what it is there. What is not applied is its file. */
export function identityOf(object: TreeObject): string {
  const { destination, path } = object
  if (path.endsWith(`/${KUSTOMIZATION_FILE}`)) return path
  return `${destination === 'management' ? '' : objectPath(destination)} ${objectKey(object)}`
}

function destinationOf(folder: TreeFolder): TreeObject['destination'] {
  return folder.kind === 'addons' ? { namespace: folder.namespace, name: folder.name } : 'management'
}

function parse(text: string, isList: boolean): Dict | string {
  let value: Value
  try {
    value = parseGoYaml(text, { integers: 'int' })
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return findConflictMarker({ name: '', text }) === undefined
      ? 'it is not valid YAML'
      : 'it has conflict markers of git'
  }
  if (!(value instanceof Dict) || textAt(value, 'kind') === '' || textAt(value, 'apiVersion') === '')
    return 'it holds no object'
  if (hasMore(text)) return 'it holds more than one object'
  if (!isList) return textAt(value, 'metadata', 'name') === '' ? 'its object has no name' : value
  // what it lists are files, which are compared themselves
  value.delete('resources')
  return value
}

/** True if a document follows the first. */
function hasMore(text: string): boolean {
  const start = text.search(/^[^#\s-]/m)
  return start !== -1 && /^---\s/m.test(text.slice(start))
}
