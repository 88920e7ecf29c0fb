import { pathAtLine } from '../codec/path-at-line.ts'
import { joinPath, isInside, relativePath } from '../codec/path.ts'
import { parsePositionedYaml, type PositionedDocument } from '../codec/positioned-yaml.ts'
import { decodeUtf8 } from '../codec/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { fieldAt, type PathStep } from '../model/field.ts'
import type { Cluster, Patch } from '../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../model/manifest.ts'
import type { Ports } from '../model/ports.ts'
import type { Source, Span } from '../model/source.ts'
import { Dict, type Value } from '../model/value.ts'
import { pieceStarts, templatePlaces, type TemplatePlace } from '../render/explain/template-places.ts'
import { findValuesPlace, type ValuesLayer } from '../render/explain/values-place.ts'
import { createChartRenderer, type ChartRenderer } from '../render/stack/chart-renderer.ts'
import { matchesTarget } from '../render/stack/patch.ts'
import { findFleet } from '../sources/fleet/find-fleet.ts'
import { readFleet } from '../sources/fleet/read-fleet.ts'
import { layoutFolder } from '../write/layout-folder.ts'
import { handOver } from './hand-over.ts'
import { loadReleases } from './load-releases.ts'
import { narrow } from './narrow.ts'
import { openInputs } from './open-inputs.ts'
import type { Network } from './open-source.ts'
import { renderFleet } from './render-fleet.ts'
import { supplyRuntimeValues } from './runtime-values-file.ts'

/** What `stackmason explain` is asked for. */
export interface ExplainOptions {
  readonly start: string
  readonly fleet?: string
  /** A file with values of running clusters; absolute. */
  readonly runtimeValues?: string
  /** Absolute path of a rendered file. */
  readonly file: string
  /** From 1; absent = every line. */
  readonly line?: number
  /** Default: online. */
  readonly network?: Network
}

/** One line of a rendered file and what made it. */
export interface ExplainedLine {
  readonly line: number
  readonly text: string
  /** Templates, innermost first; empty for what stackmason adds itself. */
  readonly templates: readonly TemplatePlace[]
  /** The entry of a values file that the line's scalar came from unchanged. */
  readonly values?: Span
  /** What stackmason itself did here: `namespace`, `label`, `fleet file`, or patches by place. */
  readonly by?: 'namespace' | 'instance-label' | 'fleet'
  readonly patches: readonly Span[]
}

/** What made a rendered file. */
export interface Explanation {
  /** Relative to the output folder. */
  readonly path: string
  readonly object: string
  /** Release tag or fleet file, and unit. */
  readonly from: string
  readonly unit: string
  readonly template: string
  /** The rendered file as it stands. */
  readonly source: Source
  readonly lines: readonly ExplainedLine[]
}

/**
 * Says where each line of a rendered file comes from, by rendering its unit again with traces on; reads the inputs, writes nothing.
 * @throws StackmasonError USAGE when the file is not one that the fleet renders; whatever rendering raises
 */
export async function explain(options: ExplainOptions, ports: Ports): Promise<Explanation> {
  const { repository: read } = await readFleet(await findFleet(options.fleet ?? options.start, ports), ports)
  const repository =
    options.runtimeValues === undefined ? read : await supplyRuntimeValues(read, options.runtimeValues, ports)
  const { fleet } = repository
  const output = joinPath(fleet.root, fleet.output)
  if (!isInside(output, options.file))
    throw notRendered(options.file, `it does not lie in the output folder ${fleet.output}`)
  const path = relativePath(output, options.file)
  const cluster = repository.clusters.find(({ namespace, name }) => path.startsWith(`clusters/${namespace}/${name}/`))
  const [, namespace = '', tag = ''] = path.split('/')
  const scope = narrow(repository, {
    clusters: cluster === undefined ? [] : [`${cluster.namespace}/${cluster.name}`],
    stacks: cluster === undefined ? stacksOf(repository.clusterStacks, namespace, tag) : [],
  })
  const charts = createChartRenderer(ports.crypto, { elapsed: () => ports.clock.monotonic(), trace: true })
  const inputs = await openInputs(fleet, options.network ?? 'online', ports)
  const loaded = await loadReleases(repository, scope, inputs, { from: 'disk' })
  const rendered = await renderFleet({
    repository,
    scope,
    loaded,
    complete: inputs.complete,
    charts,
    ports,
    onProgress: () => undefined,
  })
  const { folders } = await handOver(rendered, { repository, scope, ports, tree: loaded.life?.tree })
  const manifest = findManifest(folders, path, ports)
  if (manifest === undefined) throw notRendered(options.file, 'the fleet renders no such file')
  const text = decodeUtf8(await ports.files.read(options.file))
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (options.line !== undefined && options.line > count) throw pastEnd(options.file, count, options.line)
  const source = { name: path, text }
  const lines = explainLines({ source, manifest, cluster, charts, line: options.line })
  const { from, unit, template } = manifest.origin
  return {
    path,
    object: `${manifest.kind} ${manifest.namespace === undefined ? '' : `${manifest.namespace}/`}${manifest.name}`,
    from,
    unit,
    template,
    source,
    lines,
  }
}

function stacksOf(
  stacks: readonly {
    readonly namespace: string
    readonly name: string
    readonly provider: string
    readonly stack: string
  }[],
  namespace: string,
  tag: string,
): readonly string[] {
  return stacks
    .filter((stack) => stack.namespace === namespace && tag.startsWith(`${stack.provider}-${stack.stack}-`))
    .map((stack) => `${stack.namespace}/${stack.name}`)
}

function pastEnd(file: string, count: number, line: number): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `${file} has no line ${String(line)}`,
    hint: `Its last line is ${String(count)}.`,
  })
}

function notRendered(file: string, reason: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `there is nothing to explain: ${reason}`,
    file,
    hint: 'Name the file of an object in the output folder of this fleet.',
  })
}

function findManifest(
  folders: readonly RenderedFolder[],
  path: string,
  ports: Pick<Ports, 'crypto'>,
): Manifest | undefined {
  const folder = folders.find((candidate) => path.startsWith(`${candidate.path}/`))
  if (folder === undefined) return undefined
  return layoutFolder(folder.path, folder.manifests, ports.crypto).find(
    ({ fileName }) => path === `${folder.path}/${fileName}`,
  )?.manifest
}

interface Explaining {
  readonly source: Source
  readonly manifest: Manifest
  readonly cluster: Cluster | undefined
  readonly charts: ChartRenderer
  readonly line: number | undefined
}

function explainLines({ source, manifest, cluster, charts, line }: Explaining): readonly ExplainedLine[] {
  const [rendered] = parsePositionedYaml(source).documents
  if (rendered === undefined) return []
  const traced = charts.traceOf(manifest.origin)
  const original = traced === undefined ? undefined : originalOf(traced.text, manifest)
  const patches = (cluster?.patches ?? []).filter((patch) => matchesTarget(manifest, patch.target))
  const texts = source.text.split('\n')
  if (texts.at(-1) === '') texts.pop()
  const wanted =
    line === undefined
      ? texts.map((_, index) => index + 1)
      : [line].filter((number) => number >= 1 && number <= texts.length)
  return wanted.map((number) => {
    const path = pathAtLine(rendered, number)
    const text = texts[number - 1] ?? ''
    const touching = patches.filter((patch) => touches(patch, path)).map((patch) => patch.at)
    const base = { line: number, text, patches: touching }
    if (traced === undefined) return { ...base, templates: [], by: 'fleet' }
    const found = original === undefined ? undefined : placeIn(original, path, fieldAt(rendered.value, ...path))
    if (found === undefined) return { ...base, templates: [], ...ownWork(path) }
    const [start, end] = [traced.offset + found.start, traced.offset + found.end]
    const templates = templatePlaces(traced.chunks, start)
    const pieces = pieceStarts(traced.chunks, start, end).flatMap((piece) => templatePlaces(traced.chunks, piece))
    const entry = findValuesPlace(text, pieces, traced.layers)
    const values = entry === undefined ? undefined : spanInLayer(entry.layer, entry.path)
    return { ...base, templates, ...(values === undefined ? {} : { values }) }
  })
}

/** The document that the object was in; of a List the items are looked through. */
function originalOf(
  text: string,
  manifest: Manifest,
): { readonly document: PositionedDocument; readonly base: readonly PathStep[] } | undefined {
  for (const document of parsePositionedYaml({ name: manifest.origin.template, text }).documents) {
    const items = fieldAt(document.value, 'items')
    const bases: readonly (readonly PathStep[])[] = Array.isArray(items)
      ? items.map((_, index) => ['items', index])
      : [[]]
    for (const base of bases) {
      const isSame =
        fieldAt(document.value, ...base, 'kind') === manifest.kind &&
        fieldAt(document.value, ...base, 'metadata', 'name') === manifest.name
      if (isSame) return { document, base }
    }
  }
  return undefined
}

/** Where the entry stands in Helm's text: its value when that is a scalar, else its key; undefined when it is not there. */
function placeIn(
  original: NonNullable<ReturnType<typeof originalOf>>,
  path: readonly PathStep[],
  value: Value | undefined,
): Span | undefined {
  const full = [...original.base, ...path]
  if (path.length > 0 && fieldAt(original.document.value, ...full) === undefined) return undefined
  const isScalar = !(value instanceof Dict) && !Array.isArray(value)
  return original.document.spanOf(full, isScalar ? 'value' : 'key')
}

function ownWork(path: readonly PathStep[]): Pick<ExplainedLine, 'by'> {
  if (path[0] === 'metadata' && path[1] === 'namespace') return { by: 'namespace' }
  return path.includes('clusterstack.x-k8s.io/instance') ? { by: 'instance-label' } : {}
}

/** Whether a patch names this entry, something above it, or something below it. */
function touches(patch: Patch, path: readonly PathStep[]): boolean {
  if (patch.mergePatch !== undefined) return fieldAt(patch.mergePatch, ...path) !== undefined
  const pointer = `/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
  return (patch.jsonPatch ?? []).some(
    (operation) => pointer === operation.path || pointer.startsWith(`${operation.path}/`),
  )
}

function spanInLayer(layer: ValuesLayer, path: readonly PathStep[]): Span | undefined {
  const [document] = parsePositionedYaml(layer.source).documents
  if (document !== undefined && fieldAt(document.value, ...path) !== undefined) return document.spanOf(path, 'value')
  // a template such as overwrite.yaml is no YAML before it is rendered: the key is looked for in its text
  const last = path.findLast((step) => typeof step === 'string')
  const start = last === undefined ? -1 : layer.source.text.indexOf(`${last}:`)
  return start === -1 ? undefined : { source: layer.source, start, end: start + String(last).length }
}
