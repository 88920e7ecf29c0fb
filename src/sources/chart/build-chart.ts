import { findConflictMarker } from '../../codec/text/conflict-marker.ts'
import { YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { parseValues } from '../../codec/parse-values.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart, ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import { chartLimits, readArchive, type ArchiveLimits } from '../archive/read-archive.ts'
import { parseChartLock } from './chart-lock.ts'
import { parseChartMetadata } from './chart-metadata.ts'

/** The limits that are left while nested archives are unpacked; shared by the whole tree of one chart. */
interface Budget {
  bytes: number
  entries: number
}

interface Building {
  readonly ports: Pick<Ports, 'compression'>
  readonly budget: Budget
  /** Archives around this chart. */
  readonly depth: number
  /** Charts around this chart. */
  readonly level: number
}

/** Every chart of a tree costs work at each level above it; real trees have four levels at most. */
const MAX_LEVEL = 30

/**
 * Makes a chart of its files by Helm's loader rules (pkg/chart/v2/loader, LoadFiles). Paths are relative to the chart's
 * root; charts/ may hold folders and .tgz files. Where Helm's order is random (charts/), the order is by name; files
 * keep the order given, which decides the order of CRDs.
 * @throws StackmasonError CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*
 */
export function buildChart(files: readonly ChartFile[], origin: string, ports: Pick<Ports, 'compression'>): Chart {
  const budget: Budget = { bytes: chartLimits.maxBytes, entries: chartLimits.maxEntries }
  return build(files, origin, { ports, budget, depth: 0, level: 0 })
}

/**
 * Makes a chart of a packaged chart (`helm package`): one folder at the top that holds everything.
 * @throws StackmasonError CHART_INVALID, CHART_VALUES_INVALID, ARCHIVE_*
 */
export function readChartArchive(bytes: Uint8Array, origin: string, ports: Pick<Ports, 'compression'>): Chart {
  const budget: Budget = { bytes: chartLimits.maxBytes, entries: chartLimits.maxEntries }
  return buildFromArchive(bytes, origin, { ports, budget, depth: 0, level: 0 })
}

function buildFromArchive(bytes: Uint8Array, origin: string, building: Building): Chart {
  const { budget, depth, ports } = building
  if (depth > chartLimits.maxDepth)
    throw problem('ARCHIVE_TOO_LARGE', `${origin} lies more than ${chartLimits.maxDepth} archives deep`, origin)
  const limits: ArchiveLimits = { ...chartLimits, maxBytes: budget.bytes, maxEntries: budget.entries }
  const packed = readArchive(bytes, origin, ports, limits)
  budget.entries -= packed.length
  budget.bytes -= packed.reduce((total, file) => total + file.bytes.length, 0)
  if (packed.length === 0) throw problem('CHART_INVALID', `${origin} has no files`, origin)
  const top = packed[0]?.path.split('/', 1)[0] ?? ''
  return build(withoutTopFolder(packed, origin), `${origin}!/${top}`, building)
}

function withoutTopFolder(files: readonly ChartFile[], origin: string): readonly ChartFile[] {
  const known = new Set<string>()
  return files.map(({ path, bytes }) => {
    const slash = path.indexOf('/')
    if (slash === -1)
      throw problem('CHART_INVALID', `${origin} is not a packaged chart: ${path} is not in a folder`, origin)
    const inner = path.slice(slash + 1)
    if (known.has(inner)) throw problem('ARCHIVE_DUPLICATE_ENTRY', `${origin} holds ${inner} twice`, origin)
    known.add(inner)
    return { path: inner, bytes }
  })
}

function build(given: readonly ChartFile[], origin: string, building: Building): Chart {
  if (building.level > MAX_LEVEL)
    throw problem('CHART_INVALID', `${origin} lies more than ${MAX_LEVEL} charts deep`, origin)
  const files = given.map(withoutByteOrderMark)
  const source = (path: string): Source | undefined => {
    const file = files.find((candidate) => candidate.path === path)
    return file && { name: `${origin}/${path}`, text: decodeUtf8(file.bytes) }
  }
  const chartYaml = source('Chart.yaml')
  if (chartYaml === undefined) throw problem('CHART_INVALID', `${origin}: Chart.yaml file is missing`, origin)
  const requirements = source('requirements.yaml')
  const metadata = parseChartMetadata(chartYaml, requirements)
  // Of two locks the last one counts, as in Helm.
  const [lock] = files
    .filter(({ path }) => lockFiles.has(path))
    .flatMap(({ path }) => source(path) ?? [])
    .map((lockSource) => parseChartLock(lockSource, requirements ?? chartYaml))
    .reverse()
  const valuesSource = source('values.yaml')
  const schema = source('values.schema.json')
  const isV1 = metadata.apiVersion === 'v1'
  const inFiles = files.filter(({ path }) => isFile(path, isV1))
  return {
    metadata,
    origin,
    values: valuesSource === undefined ? new Dict() : readValues(valuesSource),
    ...(valuesSource === undefined ? {} : { valuesFile: valuesSource }),
    ...(lock === undefined ? {} : { lock }),
    ...(schema === undefined ? {} : { schema }),
    templates: files
      .filter(({ path }) => path.startsWith('templates/'))
      .map(({ path, bytes }) => ({ name: path, text: decodeUtf8(bytes), path: `${origin}/${path}` }))
      .sort((a, b) => compareBytes(a.name, b.name)),
    crds: inFiles.filter(({ path }) => path.startsWith('crds/')),
    files: inFiles,
    dependencies: readDependencies(files, { name: metadata.name, origin }, building),
  }
}

const notFiles: ReadonlySet<string> = new Set(['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json'])
const lockFiles: ReadonlySet<string> = new Set(['Chart.lock', 'requirements.lock'])
const v1Files: ReadonlySet<string> = new Set(['requirements.yaml', 'requirements.lock'])

/** True if `.Files` offers the path. */
function isFile(path: string, isV1: boolean): boolean {
  if (notFiles.has(path) || path.startsWith('templates/')) return false
  if (v1Files.has(path)) return isV1
  return !path.startsWith('charts/') || path.endsWith('.prov')
}

function withoutByteOrderMark(file: ChartFile): ChartFile {
  const { bytes } = file
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? { ...file, bytes: bytes.subarray(3) } : file
}

function readValues(source: Source): Dict {
  try {
    return parseValues(source.text)
  } catch (cause) {
    throw yamlProblem(cause, source, { code: 'CHART_VALUES_INVALID', message: 'cannot load values.yaml' })
  }
}

function yamlProblem(cause: unknown, source: Source, { code, message }: { code: Code; message: string }): unknown {
  if (!(cause instanceof YamlError)) return cause
  const marker = findConflictMarker(source)
  if (marker !== undefined) return new StackmasonError({ code, severity: 'error', ...marker }, { cause })
  const at = { source, start: cause.offset, end: cause.offset }
  return new StackmasonError({ code, severity: 'error', message: `${message}: ${cause.unquoted}`, at }, { cause })
}

function readDependencies(
  files: readonly ChartFile[],
  parent: { readonly name: string; readonly origin: string },
  building: Building,
): readonly Chart[] {
  const groups = new Map<string, ChartFile[]>()
  for (const { path, bytes } of files) {
    if (!path.startsWith('charts/') || path.endsWith('.prov')) continue
    const inner = path.slice('charts/'.length)
    const name = inner.split('/', 1)[0] ?? ''
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push({ path: inner.slice(name.length + 1), bytes })
  }
  const inside: Building = { ...building, level: building.level + 1 }
  const names = [...groups.keys()].filter((name) => !/^[_.]/.test(name)).sort(compareBytes)
  return names.map((name) => {
    const group = groups.get(name) ?? []
    const origin = `${parent.origin}/charts/${name}`
    if (!name.endsWith('.tgz')) {
      const own = group.filter((file) => file.path !== '')
      if (own.length === 0)
        throw problem('CHART_INVALID', `${origin} is not a chart; Helm allows nothing else in charts/`, origin)
      return build(own, origin, inside)
    }
    const [archive] = group
    if (archive === undefined || archive.path !== '')
      throw problem('CHART_INVALID', `${origin} must be a packaged chart, not a folder`, origin)
    return buildFromArchive(archive.bytes, origin, { ...inside, depth: building.depth + 1 })
  })
}

function problem(code: Code, message: string, file: string): StackmasonError {
  return new StackmasonError({ code, severity: 'error', message, file })
}
