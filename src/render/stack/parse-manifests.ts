import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { copyDict, dictAt, fieldAt, type PathStep, textAt, withField } from '../../model/field.ts'
import { fileOf, type Manifest, type ManifestOrigin } from '../../model/manifest.ts'
import { isItemList } from '../../model/item-list.ts'
import type { Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { shownKind, shownName } from '../../model/shown-name.ts'
import type { LocateText } from '../explain/template-places.ts'
import { HIDES_ITEMS, typeName } from './find-refused-fields.ts'

const SEPARATOR = /^---[ \t]*(?:#.*)?$/gm

/** How a text is read. */
export interface ManifestText {
  readonly parse?: (text: string) => Value
  /** Tells where a problem of the text stands in what the user wrote. */
  readonly locate?: LocateText | undefined
}

/**
 * Reads the objects in a piece of YAML text: empty documents are skipped, `List` kinds are taken apart.
 * @throws StackmasonError OBJECT_INVALID for a document that is no Kubernetes object
 */
export function parseManifests(
  text: string,
  origin: ManifestOrigin,
  { parse = parseObject, locate }: ManifestText = {},
): readonly Manifest[] {
  return splitDocuments(text).flatMap((document) => {
    const context: DocumentContext = { origin, locate: (path) => locatePath(document, path, locate) }
    const value = parseDocument(document, context, { parse, locate })
    return value === null ? [] : toManifests(value, [], context)
  })
}

interface DocumentText {
  readonly text: string
  /** Where it begins in the whole text. */
  readonly start: number
}

interface DocumentContext {
  readonly origin: ManifestOrigin
  readonly locate: (path: readonly PathStep[]) => Span | undefined
}

/** The very same text, where there is one document: whoever reads equal texts once knows it. */
function splitDocuments(text: string): readonly DocumentText[] {
  if (!text.includes('---')) return [{ text, start: 0 }]
  const documents: DocumentText[] = []
  let start = 0
  for (const mark of text.matchAll(SEPARATOR)) {
    documents.push({ text: text.slice(start, mark.index), start })
    start = mark.index + mark[0].length
  }
  return [...documents, { text: text.slice(start), start }]
}

function locatePath(
  { text, start }: DocumentText,
  path: readonly PathStep[],
  locate: LocateText | undefined,
): Span | undefined {
  if (locate === undefined) return undefined
  const [document] = parsePositionedYaml({ name: '', text }).documents
  const offset = path.length === 0 ? document?.span.start : document?.spanOf(path, 'key').start
  return offset === undefined ? undefined : locate(start + offset)
}

function parseObject(text: string): Value {
  return parseGoYaml(text, { integers: 'int' })
}

function parseDocument(
  { text, start }: DocumentText,
  { origin }: DocumentContext,
  { parse, locate }: Required<Pick<ManifestText, 'parse'>> & Pick<ManifestText, 'locate'>,
): Value {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const { problems } = parsePositionedYaml({ name: '', text })
    // of what was rendered a key may be a value of the user's
    const explained = problems.find(({ code }) => code === 'CONFIG_SYNTAX')
    const at = locate?.(start + (explained?.at?.start ?? error.offset))
    throw invalid(
      { message: explained?.message ?? error.unquoted, hint: 'Correct the YAML at this place.' },
      origin,
      at,
    )
  }
}

function toManifests(value: Value, path: readonly PathStep[], context: DocumentContext): readonly Manifest[] {
  const { origin, locate } = context
  if (!(value instanceof Dict)) throw invalid({ message: 'the document is not a map' }, origin, locate(path))
  const items = fieldAt(value, 'items')
  if (Array.isArray(items) && textAt(value, 'kind').endsWith('List'))
    return items.flatMap((item, index) => toManifests(inheritHook(value, item), [...path, 'items', index], context))
  if (isItemList(value)) throw invalid(hiddenItems(value), origin, locate([...path, 'items']))
  return [toManifest(value, origin, (inner) => locate([...path, ...inner]))]
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
export function toManifest(object: Dict, origin: ManifestOrigin, locate?: DocumentContext['locate']): Manifest {
  const apiVersion = textAt(object, 'apiVersion')
  const kind = textAt(object, 'kind')
  const name = textAt(object, 'metadata', 'name')
  if (apiVersion === '') throw invalid(lack(object, 'apiVersion'), origin, locate?.([]))
  if (kind === '') throw invalid(lack(object, 'kind'), origin, locate?.([]))
  if (dictAt(object, 'metadata') === undefined || name === '') {
    const given = fieldAt(object, 'metadata', 'name')
    if (given !== undefined && given !== null && typeof given !== 'string')
      throw invalid(wrongName(object, given), origin, locate?.(['metadata', 'name']))
    const { message, hint } = lack(object, 'metadata.name')
    const generated = textAt(object, 'metadata', 'generateName') !== ''
    const why = generated ? '; generateName cannot be applied from git' : ''
    throw invalid({ message: message + why, hint }, origin, locate?.(['metadata']))
  }
  const namespace = textAt(object, 'metadata', 'namespace')
  return { apiVersion, kind, name, object, origin, ...(namespace === '' ? {} : { namespace }) }
}

interface Problem {
  readonly message: string
  /** Absent: what holds for all objects. */
  readonly hint?: string | undefined
}

function hiddenItems(object: Dict): Problem {
  const hint = 'Write each item as a document of its own, or name a kind that ends in List.'
  return { message: `${describe(object)} ${HIDES_ITEMS}`, hint }
}

function lack(object: Dict, field: string): Problem {
  return { message: `${describe(object)} has no ${field}`, hint: `Add \`${field}\`, or remove the document.` }
}

/** A word such as `y` is no text in YAML, and looks like one. */
function wrongName(object: Dict, given: Value): Problem {
  const message = `${describe(object)}: metadata.name has to be text, and is ${typeName(given)}`
  const words = typeof given === 'boolean' ? ': YAML reads y, n, yes, no, on and off as true or false' : ''
  return { message, hint: `Put it in quotes${words}.` }
}

function describe(object: Dict): string {
  const kind = textAt(object, 'kind')
  const name = textAt(object, 'metadata', 'name')
  return kind === '' && name === ''
    ? 'the document'
    : `${kind === '' ? 'the object' : shownKind(kind)}${name === '' ? '' : ` "${shownName(name)}"`}`
}

function invalid({ message, hint }: Problem, origin: ManifestOrigin, at: Span | undefined): StackmasonError {
  return new StackmasonError({
    code: 'OBJECT_INVALID',
    severity: 'error',
    message,
    hint,
    ...(at === undefined ? { file: fileOf(origin) } : { at }),
  })
}
