import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { parsePositionedYaml, type ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import { type DocumentKind, headOf, wayOutOfEmpty } from './document-kind.ts'
import type { Reading } from './reading.ts'

/**
 * One document of a file that people write, as Kubernetes and Helm read it (YAML 1.1), so that nothing means one thing
 * here and another one in the cluster.
 */
export interface ConfigDocument extends ReadDocument {
  readonly source: Source
  /** The start of the document: one character. */
  readonly start: Span
}

/** How numbers are read: `int` for Kubernetes objects, `float64` for values of charts. */
export interface DocumentOptions {
  readonly integers: 'int' | 'float64'
}

/**
 * Reads all documents of a file that are not empty. Syntax errors and duplicate keys are noted, every one with its
 * place; after a syntax error there are no documents.
 */
export function parseDocuments(
  source: Source,
  { integers }: DocumentOptions,
  reading: Reading,
): readonly ConfigDocument[] {
  const { documents, problems } = parsePositionedYaml(source, { integers, words: 'bool' })
  const marker = problems.length === 0 ? undefined : findConflictMarker(source)
  if (marker !== undefined) {
    reading.problems.push({ code: 'CONFIG_SYNTAX', severity: 'error', ...marker })
    return []
  }
  reading.problems.push(...problems)
  if (problems.some(({ code }) => code === 'CONFIG_SYNTAX')) return []
  return documents
    .filter(({ value }) => value !== null)
    .map((document) => ({ ...document, source, start: startOf(document.span) }))
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
  return isMapDocument(document, wanted, reading) ? document : undefined
}

function noteEmpty(source: Source, wanted: DocumentKind, reading: Reading): void {
  const at = { source, start: 0, end: 0 }
  const hint = wayOutOfEmpty(wanted)
  reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message: 'the file is empty', at, hint })
}

/** True if the document is a map; noted when not. */
export function isMapDocument(document: ConfigDocument, wanted: DocumentKind, reading: Reading): boolean {
  if (document.value instanceof Dict) return true
  const message = 'the document must be a map'
  const hint = headOf(wanted, Array.isArray(document.value))
  reading.problems.push({ code: 'CONFIG_WRONG_TYPE', severity: 'error', message, at: document.start, hint })
  return false
}

function startOf(span: Span): Span {
  return { source: span.source, start: span.start, end: Math.min(span.start + 1, span.end) }
}
