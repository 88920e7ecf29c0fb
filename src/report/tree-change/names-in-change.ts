import { refersToSecret } from '../../model/sensitive-name.ts'
import type { TreeChange, TreeObject } from '../../model/tree-change.ts'
import { Dict, type Value } from '../../model/value.ts'

/** The form of names of objects, groups, resources, files and images. */
const NAME = /^[A-Za-z0-9*][A-Za-z0-9._:/*-]{0,252}$/
/** Keys of maps that are words, as names of fields are, and no digits that a secret would have. */
const WORDS = /^[A-Za-z]+(?:[._/-][A-Za-z]+)*$/
/** Maps whose keys are what they hold. */
const CONTENT: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData'])
/** Fields that name an object, a kind, a group or a right. */
const NAMING: ReadonlySet<string> = new Set(
  'apiGroup apiGroups apiVersion group kind kinds listKind name names namespace namespaces nonResourceURLs plural resource resourceNames resources shortNames singular verbs'.split(
    ' ',
  ),
)
const NAMES_OTHER = /[a-z]Names?(?:pace)?s?$/
/** Tag and digest of an image. */
const VERSION_OF_IMAGE = /(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?$/

/**
 * The names that a reviewer has to see in a difference, also where a value elsewhere equals one: of the objects, of
 * their kinds, groups, files and images, and of what they refer to.
 */
export function namesInChange({ changes }: TreeChange): ReadonlySet<string> {
  const names = new Set<string>()
  // equal files share one
  const seen = new Set<Dict>()
  for (const { before, after } of changes)
    for (const object of [before, after]) {
      if (object === undefined) continue
      addPath(object, names)
      if (seen.has(object.object)) continue
      seen.add(object.object)
      addFrom(object.object, names)
    }
  return names
}

function addPath({ path, namespace, name }: TreeObject, names: Set<string>): void {
  names.add(path)
  for (const part of path.split('/')) names.add(part)
  names.add(name)
  if (namespace !== undefined) names.add(`${namespace}/${name}`)
}

function addFrom(value: Value, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addFrom(item, names)
  if (!(value instanceof Dict)) return
  for (const [key, item] of value) {
    if (CONTENT.has(key)) continue
    if (WORDS.test(key)) names.add(key)
    if (key === 'annotations' || key === 'labels' || key === 'matchLabels') addKeys(item, names)
    const isNaming = NAMING.has(key) || NAMES_OTHER.test(key) || refersToSecret(key)
    if (isNaming) for (const text of textsOf(item)) addName(text, names)
    else if (key === 'image' && typeof item === 'string') addImage(item, names)
    addFrom(item, names)
  }
}

function addKeys(map: Value, names: Set<string>): void {
  if (map instanceof Dict) for (const key of map.keys()) names.add(key)
}

function textsOf(value: Value): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

/** Also what it is made of: `namespace/name`, `group/version`, `name.group`. */
function addName(text: string, names: Set<string>): void {
  if (!NAME.test(text)) return
  names.add(text)
  for (const part of text.split('/')) names.add(part)
}

function addImage(image: string, names: Set<string>): void {
  const repository = image.replace(VERSION_OF_IMAGE, '')
  if (!NAME.test(repository)) return
  names.add(repository)
  for (const part of repository.split('/')) names.add(part)
}
