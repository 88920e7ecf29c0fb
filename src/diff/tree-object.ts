import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { findConflictMarker } from '../codec/text/conflict-marker.ts'
import { textAt } from '../model/field.ts'
import { objectKey } from '../model/manifest.ts'
import { objectPath } from '../model/object-name.ts'
import type { TreeObject } from '../model/tree-change.ts'
import { KUSTOMIZATION_FILE, type TreeFolder } from '../model/tree-path.ts'
import { Dict, type Value } from '../model/value.ts'
import { placeOfFile } from './tree-place.ts'

/** The objects in a file of a tree, or why there is none that can be compared. */
export type ReadFile = readonly TreeObject[] | string

/** Reads files of trees; equal texts are parsed once, and share one object. */
export function createObjectReader(): (path: string, text: string) => ReadFile {
  const known = new Map<string, readonly Dict[] | string>()
  return (path, text) => {
    const place = placeOfFile(path)
    if (place === undefined) return 'it is in no folder of the tree that holds objects'
    const isList = place.file === KUSTOMIZATION_FILE
    const objects = known.get(text) ?? parse(text, isList)
    known.set(text, objects)
    if (typeof objects === 'string') return objects
    return objects.map((object): TreeObject => {
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
    })
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

function parse(text: string, isList: boolean): readonly Dict[] | string {
  const objects: Dict[] = []
  try {
    for (const document of documentsOf(text)) {
      const value = parseGoYaml(document, { integers: 'int' })
      const found = value === null && objects.length > 0 ? [] : objectsIn(value, isList)
      if (typeof found === 'string') return found
      objects.push(...found)
    }
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return findConflictMarker({ name: '', text }) === undefined
      ? 'it is not valid YAML'
      : 'it has conflict markers of git'
  }
  if (isList && objects.length > 1) return 'it holds more than one object'
  return objects
}

/** People write files of several documents; what is rendered has one. */
function documentsOf(text: string): readonly string[] {
  const start = text.search(/^[^#\s-]/m)
  if (start === -1 || !/^---\s/m.test(text.slice(start))) return [text]
  return text.split(/^---(?=\s|$)/m).filter((document) => /^[^#\s]/m.test(document))
}

/** The object of a document, or those of a List, also in a List. */
function objectsIn(value: Value, isList: boolean): readonly Dict[] | string {
  const objects: Dict[] = []
  const todo: Value[] = [value]
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (!(one instanceof Dict) || textAt(one, 'kind') === '' || textAt(one, 'apiVersion') === '')
      return 'it holds no object'
    const items = one.get('items')
    if (textAt(one, 'kind') === 'List' && Array.isArray(items)) todo.push(...items.toReversed())
    else if (!isList && textAt(one, 'metadata', 'name') === '') return 'its object has no name'
    else objects.push(one)
  }
  // what it lists are files, which are compared themselves
  if (isList) for (const list of objects) list.delete('resources')
  return objects
}
