import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { isAbsolutePath, joinPath } from '../codec/path.ts'
import { findConflictMarker } from '../codec/text/conflict-marker.ts'
import { itemsAt, textAt } from '../model/field.ts'
import { objectKey } from '../model/manifest.ts'
import { objectPath } from '../model/object-name.ts'
import type { TreeObject } from '../model/tree-change.ts'
import { KUSTOMIZATION_FILE, type TreeFolder } from '../model/tree-path.ts'
import { Dict, type Value } from '../model/value.ts'
import { parseObjectFile } from './object-file.ts'

/** The objects in a file of a tree, or why there is none that can be compared. */
export type ReadFile = readonly TreeObject[] | string

/** Reads files of trees; equal texts are parsed once, and share one object. */
export function createObjectReader(): (path: string, text: string) => ReadFile {
  const known = new Map<string, readonly Dict[] | string>()
  return (path, text) => {
    const parsed = parseObjectFile(path)
    if (parsed === undefined) return 'it is in no folder of the tree that holds objects'
    const isList = parsed.file === KUSTOMIZATION_FILE
    const objects = known.get(text) ?? parse(text, isList)
    known.set(text, objects)
    if (typeof objects === 'string') return objects
    return objects.map((object): TreeObject => {
      const namespace = textAt(object, 'metadata', 'namespace')
      return {
        path,
        folder: parsed.folder,
        destination: destinationOf(parsed.folder),
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
  const documents = documentsOf(text)
  if (typeof documents === 'string') return documents
  const objects: Dict[] = []
  let isEmpty = true
  try {
    for (const document of documents) {
      const value = parseGoYaml(document, { integers: 'int' })
      if (value === null) continue
      isEmpty = false
      const found = objectsIn(value, isList)
      if (typeof found === 'string') return found
      objects.push(...found)
    }
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return findConflictMarker({ name: '', text }) === undefined
      ? 'it is not valid YAML'
      : 'it has conflict markers of git'
  }
  if (isEmpty) return 'it holds no object'
  if (isList && objects.length > 1) return 'it holds more than one object'
  return objects
}

/**
 * People write files of several documents; what is rendered has one. They are told apart as kustomize does
 * (kyaml/kio/byteio_reader.go): by lines that start with `---`, and of what is between two of them it reads the first
 * document only.
 */
function documentsOf(text: string): readonly string[] | string {
  if (!/^(?:---|\.\.\.)/m.test(text)) return [text]
  const lines = text.replaceAll('\r\n', '\n')
  const documents: string[] = []
  let from = 0
  for (const { 0: separator, index } of lines.matchAll(/\n---[^\n]*\n/g)) {
    if (!/^\s*(?:#|$)/.test(separator.slice('\n---'.length))) return 'kustomize takes nothing but a comment behind ---'
    documents.push(`${lines.slice(from, index)}\n`)
    from = index + separator.length
  }
  documents.push(lines.slice(from))
  return documents.some(holdsMore) ? 'kustomize does not read all of its documents' : documents
}

/** True if something stands behind the first document of a text. */
function holdsMore(text: string): boolean {
  let [isBegun, isEnded] = [false, false]
  for (const line of text.split('\n')) {
    const [, marker, rest = line] = /^(---|\.\.\.)(?=\s|$)([^]*)$/.exec(line) ?? []
    if (marker !== undefined) isEnded = isBegun || marker === '...'
    if (/^\s*(?:#|$)/.test(rest)) {
      isBegun ||= marker !== undefined
      continue
    }
    if (isEnded) return true
    isBegun ||= marker !== undefined || !rest.startsWith('%')
  }
  return false
}

/** The object of a document, or those of a list of any kind: kustomize takes `items` apart wherever a kind ends so. */
function objectsIn(value: Value, isList: boolean): readonly Dict[] | string {
  const objects: Dict[] = []
  const todo: Value[] = [value]
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (!(one instanceof Dict) || textAt(one, 'kind') === '' || textAt(one, 'apiVersion') === '')
      return 'it holds no object'
    const items = textAt(one, 'kind').endsWith('List') ? one.get('items') : undefined
    if (Array.isArray(items)) todo.push(...items.toReversed())
    else if (items === null) continue
    else if (items !== undefined) return 'its items are no list'
    else if (!isList && textAt(one, 'metadata', 'name') === '') return 'its object has no name'
    else objects.push(one)
  }
  if (isList) for (const list of objects) keepOutside(list)
  return objects
}

/** Keeps of a list what lies outside of its folder: files of its own folder are compared themselves. */
function keepOutside(list: Dict): void {
  const outside = itemsAt(list, 'resources').filter((name) => typeof name === 'string' && leavesFolder(name))
  if (outside.length > 0) list.set('resources', outside)
  else list.delete('resources')
}

function leavesFolder(name: string): boolean {
  return isAbsolutePath(name) || joinPath(name).split('/')[0] === '..'
}
