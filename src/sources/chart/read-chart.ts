import { isInside, joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Chart, ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import { unreadable, wrongKind } from '../../model/file-problem.ts'
import { FileError, type Files, type FileType, type Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { chartLimits } from '../archive/read-archive.ts'
import { buildChart, readChartArchive } from './build-chart.ts'
import { HELM_IGNORE, parseHelmIgnore, type IgnoreRule } from './helm-ignore.ts'

/**
 * Reads a chart from a folder or a packaged chart. In a folder .helmignore applies and symbolic links are followed, but
 * never out of the folder.
 * @throws StackmasonError CHART_INVALID, CHART_VALUES_INVALID, FILE_UNREADABLE, FILE_OUTSIDE, ARCHIVE_*
 */
export async function readChart(path: string, ports: Pick<Ports, 'files' | 'compression'>): Promise<Chart> {
  const { files } = ports
  const stat = await guard(path, () => files.stat(path))
  if (stat === undefined) throw problem('FILE_UNREADABLE', `${path} does not exist`, path)
  const real = await guard(path, () => files.realPath(path))
  const target = stat.type === 'link' ? await guard(path, () => files.stat(real)) : stat
  if (target?.type === 'directory') return buildChart(await readChartFolder(path, files), path, ports)
  if (target?.type !== 'file') throw problem('FILE_UNREADABLE', `${path} is neither a folder nor a file`, path)
  return readChartArchive(await guard(path, () => files.read(real)), path, ports)
}

interface Walk {
  readonly files: Files
  /** As the user wrote it, for messages. */
  readonly origin: string
  /** With every link resolved. */
  readonly root: string
  readonly ignores: IgnoreRule
  readonly found: ChartFile[]
  bytes: number
}

/**
 * Reads the files of a chart's folder in Helm's order (folder by folder, names in byte order), without what .helmignore
 * leaves out.
 * @throws StackmasonError FILE_UNREADABLE, FILE_OUTSIDE, CHART_INVALID
 */
async function readChartFolder(folder: string, files: Files): Promise<readonly ChartFile[]> {
  const root = await guard(folder, () => files.realPath(folder))
  const ignores = parseHelmIgnore(await readIgnore(folder, files))
  const walk: Walk = { files, origin: folder, root, ignores, found: [], bytes: 0 }
  await walkFolder('', [root], walk)
  return walk.found
}

async function readIgnore(folder: string, files: Files): Promise<Source | undefined> {
  const name = joinPath(folder, HELM_IGNORE)
  if ((await guard(name, () => files.stat(name))) === undefined) return undefined
  const bytes = await guard(name, () => files.read(name))
  return { name, text: decodeUtf8(bytes).replace(/^\uFEFF/, '') }
}

/** `parents` are the real paths of the folders above, this one last: a link to one of them would never end. */
async function walkFolder(relative: string, parents: readonly string[], walk: Walk): Promise<void> {
  const folder = joinPath(walk.origin, relative)
  const entries = await guard(folder, () => walk.files.entries(folder))
  for (const { name, type } of [...entries].sort((a, b) => compareBytes(a.name, b.name))) {
    const path = relative === '' ? name : `${relative}/${name}`
    const target = type === 'link' ? await followLink(path, walk) : { type, real: `${parents.at(-1) ?? ''}/${name}` }
    if (walk.ignores(path, target.type === 'directory' ? 'directory' : 'file')) continue
    if (!isInside(walk.root, target.real))
      throw problem('FILE_OUTSIDE', `${path} is a link that leads out of the chart`, joinPath(walk.origin, path))
    if (target.type === 'file') await addFile(path, walk)
    else if (target.type !== 'directory') throw notForCharts(path, target.type, walk.origin)
    else if (parents.includes(target.real))
      throw problem('CHART_INVALID', `${path} is a link to a folder that holds it`, joinPath(walk.origin, path))
    else await walkFolder(path, [...parents, target.real], walk)
  }
}

async function followLink(path: string, walk: Walk): Promise<{ readonly type: FileType; readonly real: string }> {
  const place = joinPath(walk.origin, path)
  const real = await guard(place, () => walk.files.realPath(place))
  const stat = await guard(place, () => walk.files.stat(real))
  return { type: stat?.type ?? 'other', real }
}

async function addFile(path: string, walk: Walk): Promise<void> {
  const place = joinPath(walk.origin, path)
  const bytes = await guard(place, () => walk.files.read(place))
  if (bytes.length > chartLimits.maxFileBytes)
    throw problem('CHART_INVALID', `${path} has more than ${chartLimits.maxFileBytes} bytes`, place)
  walk.bytes += bytes.length
  if (walk.bytes > chartLimits.maxBytes || walk.found.length >= chartLimits.maxEntries)
    throw problem('CHART_INVALID', `${walk.origin} has too many files or bytes for a chart`, walk.origin)
  walk.found.push({ path, bytes })
}

async function guard<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unreadable(cause, { what: path, file: path }), { cause })
  }
}

function notForCharts(path: string, type: FileType, origin: string): StackmasonError {
  const { reason, hint } = wrongKind(type)
  const message = `${path} cannot be read: ${reason}`
  return new StackmasonError({ code: 'CHART_INVALID', severity: 'error', message, file: joinPath(origin, path), hint })
}

function problem(code: Code, message: string, file: string, options?: ErrorOptions): StackmasonError {
  return new StackmasonError({ code, severity: 'error', message, file }, options)
}
