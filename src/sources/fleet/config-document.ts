import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { parsePositionedYaml, type PositionedDocument } from '../../codec/yaml/positioned-yaml.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { type DocumentKind, wayOutOfEmpty } from './document-kind.ts'
import type { Reading } from './reading.ts'

/** One document of a file that people write. */
export interface ConfigDocument {
  readonly source: Source
  /** As Kubernetes and Helm read it (YAML 1.1), so that nothing means one thing here and another one in the cluster. */
  readonly value: Value
  /** The start of the document: one character. */
  readonly start: Span
  readonly spanOf: PositionedDocument['spanOf']
}

/** How numbers are read: `int` for Kubernetes objects, `float64` for values of charts. */
export interface DocumentOptions {
  readonly integers: 'int' | 'float64'
}

/**
 * Reads all documents of a file that are not empty. Syntax errors and duplicate keys are noted, every one with its place; after a syntax error
 * there are no documents.
 */
export function parseDocuments(source: Source, options: DocumentOptions, reading: Reading): readonly ConfigDocument[] {
  const { documents, problems } = parsePositionedYaml(source)
  const marker = problems.length === 0 ? undefined : findConflictMarker(source)
  if (marker !== undefined) {
    reading.problems.push({ code: 'CONFIG_SYNTAX', severity: 'error', ...marker })
    return []
  }
  reading.problems.push(...problems.map((problem) => tidied(problem, source)))
  if (problems.some(({ code }) => code === 'CONFIG_SYNTAX')) return []
  const parsed: ConfigDocument[] = []
  for (const document of documents) {
    if (document.value === null) continue
    const { start, end } = chunkAround(source.text, document.span.start)
    try {
      const value = parseGoYaml(source.text.slice(start, end), options)
      parsed.push({ source, value, start: startOf(document.span), spanOf: document.spanOf })
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      // what was already told in other words is not told again
      if (problems.length > 0) continue
      const at = Math.min(start + error.offset, source.text.length)
      const message = withoutPrefix(error.unquoted)
      reading.problems.push({ code: 'CONFIG_SYNTAX', severity: 'error', message, at: { source, start: at, end: at } })
    }
  }
  return parsed
}

/** The documents of a file of Kubernetes objects; a file that says nothing is noted. */
export function parseObjectDocuments(
  source: Source,
  wanted: DocumentKind,
  reading: Reading,
): readonly ConfigDocument[] {
  const before = reading.problems.length
  const documents = parseDocuments(source, { integers: 'int' }, reading)
  if (documents.length === 0 && reading.problems.length === before) noteEmpty(source, wanted, reading)
  return documents
}

/** The only document of a file, which must be a map; undefined after noting what is wrong. */
export function parseSingleDocument(
  source: Source,
  wanted: DocumentKind,
  reading: Reading,
): ConfigDocument | undefined {
  const [document, second] = parseObjectDocuments(source, wanted, reading)
  if (document === undefined) return undefined
  if (second !== undefined) {
    const message = 'the file must hold one document only'
    reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at: second.start })
  }
  return isMapDocument(document, reading) ? document : undefined
}

function noteEmpty(source: Source, wanted: DocumentKind, reading: Reading): void {
  const at = { source, start: 0, end: 0 }
  const hint = wayOutOfEmpty(wanted)
  reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message: 'the file is empty', at, hint })
}

/** Whether the document is a map; noted when not. */
export function isMapDocument(document: ConfigDocument, reading: Reading): boolean {
  if (document.value instanceof Dict) return true
  const message = 'the document must be a map'
  reading.problems.push({ code: 'CONFIG_WRONG_TYPE', severity: 'error', message, at: document.start })
  return false
}

/** A problem without what its message quotes of the file after a colon (the excerpt shows it, and knows what to hide), at a place inside the file. */
function tidied(problem: Diagnostic, source: Source): Diagnostic {
  const { message, at } = problem
  const colon = message.indexOf(': ')
  const quoted = message.slice(colon + 2).replace(/^"|"$/g, '')
  const isQuoted = source.text.includes(quoted) || JSON.stringify(source.text).includes(quoted)
  const end = source.text.length
  return {
    ...problem,
    message: colon !== -1 && quoted !== '' && isQuoted ? message.slice(0, colon) : message,
    ...(at !== undefined && { at: { source, start: Math.min(at.start, end), end: Math.min(at.end, end) } }),
  }
}

/** The reader's message without what it begins each with. */
function withoutPrefix(message: string): string {
  return message.replace(/^error converting YAML to JSON: /, '').replace(/^yaml: (?:line \d+: )?/, '')
}

function startOf(span: Span): Span {
  return { source: span.source, start: span.start, end: Math.min(span.start + 1, span.end) }
}

/** The text between the document marks around `offset`: a mark at the start of a line always ends a document. */
function chunkAround(text: string, offset: number): { readonly start: number; readonly end: number } {
  let start = 0
  for (const mark of text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)) {
    if (mark.index > offset) return { start, end: mark.index }
    start = text[mark.index] === '.' ? mark.index + 3 : mark.index
  }
  return { start, end: text.length }
}
