import { moreOf } from '../../model/bound-findings.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PathStep } from '../../model/field.ts'
import type { DocumentPlace, Positioned } from '../../model/positioned.ts'
import type { Source, Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
import { YamlBuilder, type YamlBuildOptions } from '../go-yaml/go-yaml-build.ts'
import { failParse } from '../go-yaml/go-yaml-cursor.ts'
import { YamlError } from '../go-yaml/go-yaml-error.ts'
import { PlaceRecorder, type YamlNote, type YamlPlace, type YamlRange } from '../go-yaml/go-yaml-places.ts'
import { DOCUMENT_END, DOCUMENT_START, GoYamlScanner, STREAM_END } from '../go-yaml/go-yaml-scanner.ts'
import { readQuickYaml } from '../go-yaml/quick-yaml.ts'
import { RecentSources } from './recent-sources.ts'
import { describeNote, explainYamlError, maskProblem } from './yaml-problem.ts'

/**
 * Where the value at `path` of a document stands, or its key; for a path that is not there, the nearest parent that is.
 * The key of a list item is the item.
 */
export type SpanOf = (path: readonly PathStep[], part?: 'key' | 'value') => Span

/** A document that was just read. It is for readers: what is kept of it is plain (see {@link placeOf}). */
export interface ReadDocument extends Positioned {
  readonly spanOf: SpanOf
}

/** The result of {@link parsePositionedYaml}: the documents as far as they could be read, and every problem. */
export interface PositionedYaml {
  readonly documents: readonly ReadDocument[]
  readonly problems: readonly Diagnostic[]
}

/** More syntax problems than this in one file are not looked for, and more of other kinds are only counted. */
const MAX_PROBLEMS = 20

/**
 * Reads a file that people write, any number of documents, by the rules of {@link parseGoYaml}; unless told otherwise,
 * integers are GoInt, and yes, no, on, off, y and n are text, as YAML 1.2 has it. Problems (CONFIG_SYNTAX,
 * CONFIG_DUPLICATE_KEY) are collected, each with its exact place and without a value of the file; nothing is thrown.
 * After a syntax problem reading goes on behind the lines that it concerns, and what those lines hold is missing from
 * the documents.
 */
export function parsePositionedYaml(source: Source, options: Partial<YamlBuildOptions> = {}): PositionedYaml {
  const rules: YamlBuildOptions = { integers: 'int', words: 'text', ...options }
  const quick = readQuickYaml(source.text, { ...rules, places: 'noted' })
  if (quick?.place !== undefined) {
    const span = spanIn(quick.place, source)
    return { documents: [positioned(quick.value, { span, index: 0, words: rules.words }, quick.place)], problems: [] }
  }
  const syntax: Diagnostic[] = []
  let { text } = source
  while (syntax.length < MAX_PROBLEMS) {
    const notes = new BoundedNotes(source, syntax)
    try {
      const documents = readDocuments(text, rules, notes).map(({ value, place }, index) =>
        positioned(value, { span: spanIn(place, source), index, words: rules.words }, place),
      )
      return { documents, problems: notes.all() }
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const { message, at } = explainYamlError(error, source)
      syntax.push({ code: 'CONFIG_SYNTAX', severity: 'error', message, at })
      const rest = maskProblem(text, at.start)
      if (rest === text) break
      text = rest
    }
  }
  return { documents: [], problems: syntax }
}

interface BuiltDocument {
  readonly value: Value
  readonly place: YamlPlace
}

function readDocuments(text: string, options: YamlBuildOptions, notes: BoundedNotes): readonly BuiltDocument[] {
  const scanner = new GoYamlScanner(text)
  const recorder = new PlaceRecorder(scanner, (note, at) => {
    notes.push(note, at)
  })
  const documents: BuiltDocument[] = []
  while (scanner.peek() !== STREAM_END) {
    if (documents.length > 0 && scanner.peek() > DOCUMENT_START) {
      throw failParse(scanner.cursor, scanner.start, 'did not find expected <document start>')
    }
    const value = new YamlBuilder(scanner, options, recorder).readDocument()
    documents.push({ value, place: recorder.last })
    while (scanner.peek() === DOCUMENT_END) scanner.skip()
  }
  return documents
}

/** The problems of one file; notes after the first few are only counted, because each takes time to be described. */
class BoundedNotes {
  private readonly source: Source
  private readonly problems: Diagnostic[]
  private first: Diagnostic | undefined
  private more = 0

  constructor(source: Source, problems: readonly Diagnostic[]) {
    this.source = source
    this.problems = [...problems]
  }

  push(note: YamlNote, at: YamlRange): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(describeNote(note, spanIn(at, this.source)))
    else {
      this.first ??= describeNote(note, spanIn(at, this.source))
      this.more++
    }
  }

  all(): readonly Diagnostic[] {
    return this.first === undefined ? this.problems : [...this.problems, moreOf(this.first, this.more)]
  }
}

function positioned(value: Value, document: DocumentPlace, place: YamlPlace): ReadDocument {
  const { source } = document.span
  return { ...document, value, spanOf: (path, part) => spanIn(findPlace(place, path, part), source) }
}

/** The place of a document that was read, without anything else. */
export function placeOf({ span, index, words }: DocumentPlace): DocumentPlace {
  return { span, index, words }
}

/** Says of a document what {@link SpanOf} does: its text is read again, since few places are asked for. */
export function spanOf({ span, index, words }: DocumentPlace, path: readonly PathStep[], part?: 'key' | 'value'): Span {
  const { source } = span
  const document = readAgain[words].get(source, () => parsePositionedYaml(source, { words }).documents)[index]
  return document?.spanOf(path, part) ?? span
}

const readAgain = {
  bool: new RecentSources<readonly ReadDocument[]>(),
  text: new RecentSources<readonly ReadDocument[]>(),
}

function findPlace(root: YamlPlace, path: readonly PathStep[], part: 'key' | 'value' = 'value'): YamlRange {
  let place = root
  for (const [index, step] of path.entries()) {
    const entry = place.entries?.get(String(step))
    const found = entry?.value ?? (typeof step === 'number' ? place.items?.[step] : undefined)
    if (found === undefined) break
    if (entry !== undefined && part === 'key' && index === path.length - 1) return entry.key
    place = found
  }
  return place
}

function spanIn({ start, end }: YamlRange, source: Source): Span {
  return { source, start, end }
}
