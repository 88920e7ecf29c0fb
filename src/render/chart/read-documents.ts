import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
import { chunkText, type Chunk } from '../engine/engine.ts'
import { trimSpace } from '../functions/text/strings.ts'
import { HeadError, readManifestHead, type ManifestHead } from './manifest-head.ts'
import type { RenderedFile } from './render-templates.ts'
import { splitManifests, type DocumentText } from './split-manifests.ts'

/** A document as Helm prints it. `path` is the template's, with the chart's name in front. */
export interface RenderedDocument extends Omit<ManifestHead, 'annotations'> {
  readonly path: string
  /** Where its template lies. */
  readonly file: string
  readonly text: string
  /** Which document of its file, from 0. */
  readonly index: number
  /** Set for hooks. */
  readonly hookEvents?: readonly string[]
  /** The place in a template that wrote a character of the text. */
  readonly locate: (offset: number) => Span | undefined
  /** The pieces of its whole file and where it starts in them; kept by a traced render only. */
  readonly trace?: { readonly chunks: readonly Chunk[]; readonly offset: number }
}

/** The documents of a chart, each in the order of paths and of places in their files. */
export interface Documents {
  readonly manifests: readonly RenderedDocument[]
  readonly hooks: readonly RenderedDocument[]
}

/** How documents are read. */
export interface ReadOptions {
  /** True if documents keep what wrote them. */
  readonly trace?: boolean
  /** Reads the YAML of an object; whoever reads the documents again gives one that knows them. */
  readonly parse?: (text: string) => Value
}

const hookEvents: ReadonlySet<string> = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
  'test-success',
])

/**
 * Reads the documents of rendered files (Helm pkg/release/v1/util, SortManifests): notes are no manifests, and a
 * document with a hook that Helm does not know is dropped.
 * @throws StackmasonError CHART_OUTPUT_INVALID at the template's text where there is one
 */
export function readDocuments(files: readonly RenderedFile[], options: ReadOptions): Documents {
  const manifests: RenderedDocument[] = []
  const hooks: RenderedDocument[] = []
  for (const file of files.toSorted((a, b) => compareBytes(a.path, b.path))) {
    if (file.path.endsWith('NOTES.txt')) continue
    const text = chunkText(file.chunks)
    if (trimSpace(text) === '') continue
    for (const [index, part] of splitManifests(text).entries()) {
      const { annotations, ...head } = readHead(part, file, options.parse ?? parseObject)
      const trace = options.trace === true ? { trace: { chunks: file.chunks, offset: part.offset } } : {}
      const locate = (offset: number): Span | undefined => originAt(file.chunks, part.offset + offset)
      const document: RenderedDocument = {
        path: file.path,
        file: file.file,
        text: part.text,
        index,
        locate,
        ...head,
        ...trace,
      }
      const hook = annotations.get('helm.sh/hook')
      if (hook === undefined) {
        manifests.push(document)
        continue
      }
      const events = hook.split(',').map((event) => trimSpace(event).toLowerCase())
      if (!events.every((event) => hookEvents.has(event))) continue
      hooks.push({ ...document, hookEvents: events.map((event) => (event === 'test-success' ? 'test' : event)) })
    }
  }
  return { manifests, hooks }
}

function parseObject(text: string): Value {
  return parseGoYaml(text, { integers: 'int' })
}

function readHead({ text, offset }: DocumentText, file: RenderedFile, parse: (text: string) => Value): ManifestHead {
  try {
    return readManifestHead(parse(text))
  } catch (cause) {
    if (!(cause instanceof YamlError || cause instanceof HeadError)) throw cause
    const at = originAt(file.chunks, offset + (cause instanceof YamlError ? cause.offset : 0))
    throw new StackmasonError(
      {
        code: 'CHART_OUTPUT_INVALID',
        severity: 'error',
        message: `YAML parse error on ${file.path}: ${cause instanceof YamlError ? cause.unquoted : cause.message}`,
        ...(at === undefined ? { file: file.path } : { at }),
      },
      { cause },
    )
  }
}

/** The place in a template that wrote the character at `offset`; where none is known, that of the next piece. */
function originAt(chunks: readonly Chunk[], offset: number): Span | undefined {
  let start = 0
  for (const { text, origin } of chunks) {
    const end = start + text.length
    if (offset < end && origin !== undefined) {
      const { source } = origin
      // Text of a template stands there as it was written; what an action wrote does not.
      const at = source.text.startsWith(text, origin.offset)
        ? origin.offset + Math.max(0, offset - start)
        : origin.offset
      return { source, start: at, end: at }
    }
    start = end
  }
  return undefined
}
