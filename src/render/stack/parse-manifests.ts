import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { copyDict, dictAt, fieldAt, textAt, withField } from '../../model/field.ts'
import { fileOf, type Manifest, type ManifestOrigin } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

const SEPARATOR = /^---[ \t]*(?:#.*)?$/m

/**
 * Reads the objects in a piece of YAML text: empty documents are skipped, `List` kinds are taken apart.
 * @throws StackmasonError OBJECT_INVALID for a document that is no Kubernetes object
 */
export function parseManifests(
  text: string,
  origin: ManifestOrigin,
  parse: (text: string) => Value = parseObject,
): readonly Manifest[] {
  // the very same text, where there is one document: whoever reads equal texts once knows it
  const documents = text.includes('---') ? text.split(SEPARATOR) : [text]
  return documents.flatMap((document) => {
    const value = parseDocument(document, origin, parse)
    return value === null ? [] : toManifests(value, origin)
  })
}

function parseObject(text: string): Value {
  return parseGoYaml(text, { integers: 'int' })
}

function parseDocument(text: string, origin: ManifestOrigin, parse: (text: string) => Value): Value {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw invalid(origin, error.unquoted)
  }
}

function toManifests(value: Value, origin: ManifestOrigin): readonly Manifest[] {
  if (!(value instanceof Dict)) throw invalid(origin, 'the document is not a map')
  const items = fieldAt(value, 'items')
  if (Array.isArray(items) && textAt(value, 'kind').endsWith('List'))
    return items.flatMap((item) => toManifests(inheritHook(value, item), origin))
  return [toManifest(value, origin)]
}

/** Helm takes a list for one object, so what makes the list a hook makes hooks of its items. */
function inheritHook(list: Dict, item: Value): Value {
  const inherited = [...(dictAt(list, 'metadata', 'annotations') ?? [])].filter(([name]) =>
    /^helm\.sh\/hook(?:-|$)/.test(name),
  )
  if (inherited.length === 0 || !(item instanceof Dict)) return item
  const annotations = copyDict(dictAt(item, 'metadata', 'annotations') ?? new Dict())
  for (const [name, value] of inherited) annotations.set(name, value)
  return withField(item, ['metadata', 'annotations'], annotations)
}

/**
 * Wraps one object.
 * @throws StackmasonError OBJECT_INVALID when apiVersion, kind or metadata.name is missing
 */
export function toManifest(object: Dict, origin: ManifestOrigin): Manifest {
  const apiVersion = textAt(object, 'apiVersion')
  const kind = textAt(object, 'kind')
  const name = textAt(object, 'metadata', 'name')
  if (apiVersion === '') throw invalid(origin, `${describe(object)} has no apiVersion`)
  if (kind === '') throw invalid(origin, `${describe(object)} has no kind`)
  if (dictAt(object, 'metadata') === undefined || name === '') {
    const generated = textAt(object, 'metadata', 'generateName') !== ''
    throw invalid(
      origin,
      `${describe(object)} has no metadata.name${generated ? '; generateName cannot be applied from git' : ''}`,
    )
  }
  const namespace = textAt(object, 'metadata', 'namespace')
  return { apiVersion, kind, name, object, origin, ...(namespace === '' ? {} : { namespace }) }
}

function describe(object: Dict): string {
  const kind = textAt(object, 'kind')
  const name = textAt(object, 'metadata', 'name')
  return kind === '' && name === ''
    ? 'a document'
    : `${kind === '' ? 'an object' : kind}${name === '' ? '' : ` "${name}"`}`
}

function invalid(origin: ManifestOrigin, reason: string): StackmasonError {
  return new StackmasonError({
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `${origin.from}, ${origin.unit}: ${reason}`,
    file: fileOf(origin),
    hint: 'Look at the template and the values that reach it.',
  })
}
