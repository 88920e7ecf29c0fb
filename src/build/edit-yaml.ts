import { formatGoJson } from '../codec/json/go-json.ts'
import { parsePositionedYaml } from '../codec/yaml/positioned-yaml.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { fieldAt, type PathStep } from '../model/field.ts'
import type { Span } from '../model/source.ts'
import { Dict, type Value } from '../model/value.ts'

/** One value to write into a YAML file. */
export interface YamlEdit {
  readonly path: readonly PathStep[]
  readonly text: string
}

/** The bytes of a YAML file, and what messages call it. */
export interface YamlFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A YAML file of one document, read for editing. */
export interface EditableYaml {
  readonly value: Value
  readonly spanOf: (path: readonly PathStep[], part?: 'key' | 'value') => Span
  /**
   * The file with other values; every other byte stays, comments and quotes included. A value that is the text already is left alone.
   * @throws StackmasonError BUILD_INPUT_INVALID when a value is not there, or is shared with other places by an alias
   */
  readonly edit: (edits: readonly YamlEdit[]) => Uint8Array
}

/** Reads a YAML file for editing. @throws StackmasonError BUILD_INPUT_INVALID when it does not parse or is not one document */
export function openYaml({ name, bytes }: YamlFile): EditableYaml {
  const source = { name, text: decodeUtf8(bytes) }
  const { documents, problems } = parsePositionedYaml(source)
  if (problems.length > 0) {
    throw new StackmasonError(problems.map((problem) => ({ ...problem, code: 'BUILD_INPUT_INVALID' })))
  }
  const [document, second] = documents
  if (document === undefined || second !== undefined) {
    const at = second?.span ?? { source, start: 0, end: 0 }
    throw refusal('the file must hold one document', at)
  }
  const edit = (edits: readonly YamlEdit[]): Uint8Array => {
    const changes = edits.filter(({ path, text }) => fieldAt(document.value, ...path) !== text)
    if (changes.length === 0) return bytes
    const missing = changes.find(({ path }) => fieldAt(document.value, ...path) === undefined)
    if (missing !== undefined) {
      throw refusal(`${String(missing.path.at(-1))} is missing`, document.spanOf(missing.path))
    }
    const places = changes.map(({ path, text }) => ({ path, text, span: document.spanOf(path) }))
    places.sort((a, b) => b.span.start - a.span.start)
    let edited = source.text
    for (const { text, span } of places) {
      edited =
        edited.slice(0, span.start) + written(text, source.text.slice(span.start, span.end)) + edited.slice(span.end)
    }
    const wanted = changes.reduce((value, { path, text }) => replaced(value, path, text), document.value)
    const [again] = parsePositionedYaml({ name, text: edited }).documents
    if (again === undefined || formatGoJson(again.value) !== formatGoJson(wanted)) {
      throw refusal('this value cannot be changed by itself', places[0]?.span ?? document.span)
    }
    return encodeUtf8(edited)
  }
  return { value: document.value, spanOf: document.spanOf, edit }
}

function refusal(message: string, at: Span): StackmasonError {
  const hint = 'Write it as plain text of its own, without anchor or alias.'
  return new StackmasonError({ code: 'BUILD_INPUT_INVALID', severity: 'error', message, at, hint })
}

/** The text in the quotes that the old value had, or in quotes when it would be something else than a string without them. */
function written(text: string, before: string): string {
  const quote = /^["']/.exec(before)?.[0] ?? (isPlainString(text) ? '' : '"')
  return quote === "'" ? `'${text.replaceAll("'", "''")}'` : quote === '"' ? JSON.stringify(text) : text
}

function isPlainString(text: string): boolean {
  return /^[A-Za-z0-9][\w.+-]*$/.test(text) && parsePositionedYaml({ name: '', text }).documents[0]?.value === text
}

function replaced(value: Value, path: readonly PathStep[], text: string): Value {
  const [step, ...rest] = path
  if (step === undefined) return text
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest, text) : item))
  if (!(value instanceof Dict)) return value
  return new Dict([...value].map(([key, item]) => [key, key === step ? replaced(item, rest, text) : item]))
}
