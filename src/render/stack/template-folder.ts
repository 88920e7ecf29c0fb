import { createHandlebars, traceHandlebars } from '../../codec/text/handlebars.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { fieldAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { pathOf, type Source } from '../../model/source.ts'
import { Dict, dict, GoInt } from '../../model/value.ts'
import { explainByValues } from './explain-by-values.ts'
import { parseManifests } from './parse-manifests.ts'
import type { Chunk } from '../engine/output.ts'
import { type DocumentTraces, traceFile } from '../explain/document-trace.ts'
import type { ValuesLayer } from '../explain/values-place.ts'
import { locateInFile, locateInPieces, type LocateText } from '../explain/template-places.ts'

/** The data of a folder's templates: `cluster`, `values`, and `release` {name, namespace}. */
export interface TemplateFolderData {
  readonly cluster: Dict
  readonly values: Dict
  readonly release: { readonly name: string; readonly namespace: string }
  /** Where the values come from, nearest first. */
  readonly layers: readonly ValuesLayer[]
  /** The values file of the cluster, also where it is not there yet. */
  readonly valuesFile: string
  /** Where to keep what wrote each document. */
  readonly traces?: DocumentTraces | undefined
}

/**
 * Renders an addon that is a folder: `*.hbs` are Handlebars templates, `*.yaml` and `*.yml` stay as they are.
 * Names that are not there are an error; helpers are the built-in block helpers and `yaml`, `json`, `quote`, `default`,
 * `eq`; nothing reaches files, environment or network.
 * @throws StackmasonError ADDON_TEMPLATE at the template's line; OBJECT_INVALID
 */
export function renderTemplateFolder(
  files: readonly Source[],
  addon: string,
  data: TemplateFolderData,
): readonly Manifest[] {
  const render = createHandlebars()
  const context = dict([
    ['cluster', withFixedEndpoint(data.cluster)],
    ['values', data.values],
    [
      'release',
      dict([
        ['name', data.release.name],
        ['namespace', data.release.namespace],
      ]),
    ],
  ])
  const options = { data: context, code: 'ADDON_TEMPLATE' } as const
  const renderFile = (file: Source): readonly Manifest[] => {
    const isTemplate = file.name.endsWith('.hbs')
    const text = isTemplate ? render(file, options) : file.text
    const chunks = (): readonly Chunk[] =>
      (isTemplate ? traceHandlebars(file, options) : undefined)?.map((piece) => ({
        text: piece.text,
        origin: { source: file, offset: piece.offset },
      })) ?? []
    const origin = { from: file.name, unit: addon, template: file.name, path: pathOf(file) }
    data.traces?.set(origin, isTemplate ? { text, chunks: chunks(), offset: 0, layers: data.layers } : traceFile(file))
    const locate: LocateText = (offset) => (isTemplate ? locateInPieces(chunks()) : locateInFile(file))(offset)
    return parseManifests(text, origin, { locate })
  }
  const own = { values: data.values, layers: data.layers, file: data.valuesFile }
  return files.flatMap((file) =>
    explaining(
      (problem) => explainByValues(problem, file, own),
      () => renderFile(file),
    ),
  )
}

/** @throws what the work throws, its problems explained */
function explaining<Result>(explain: (problem: Diagnostic) => Diagnostic, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(error.diagnostics.map(explain), { cause: error })
  }
}

/** An empty host or port 0 is what Cluster API fills in later: to print it would be a mistake that nobody sees. */
function withFixedEndpoint(cluster: Dict): Dict {
  const path = ['spec', 'controlPlaneEndpoint']
  const endpoint = fieldAt(cluster, ...path)
  if (!(endpoint instanceof Dict)) return cluster
  const fixed = [...endpoint].filter(([, value]) => value !== '' && !(value instanceof GoInt && value.value === 0n))
  return fixed.length === endpoint.size ? cluster : withField(cluster, path, dict(fixed))
}
