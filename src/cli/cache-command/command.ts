import { type CachePruning, cleanCache, describeCache } from '../../pipeline/cache.ts'
import { formatSize, parseAge, parseSize } from '../arguments/amount.ts'
import { cacheSpec } from './spec.ts'
import { type ParsedArguments, usageError, valueOf } from '../arguments/parse-arguments.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import type { Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

type Info = Awaited<ReturnType<typeof describeCache>>
type Content = CachePruning['left']

const DEFAULT_SIZE = '2GiB'

/**
 * Runs `stackmason cache info` or `cache prune` and gives the exit status.
 * @throws StackmasonError USAGE, CACHE_FAILED, LOCK_INVALID
 */
export async function runCache(parsed: ParsedArguments, { io }: Session): Promise<number> {
  const isJson = valueOf(parsed, 'output') === 'json'
  const shorten = createShortenPath(io.workingFolder)
  if (parsed.operands[0] === 'info') {
    const given = ['max-size', 'max-age', 'fleet'].filter((name) => valueOf(parsed, name) !== undefined)
    if (given.length > 0)
      throw usageError(
        given.map((name) => `option --${name} is for cache prune`),
        cacheSpec,
      )
    const info = await describeCache(io.ports)
    io.stdout.write(isJson ? formatInfoJson(info, shorten) : formatInfo(info, shorten))
    return 0
  }
  const fleet = valueOf(parsed, 'fleet')
  const pruning = await cleanCache(
    {
      start: io.workingFolder,
      ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
      ...boundsOf(parsed),
    },
    io.ports,
  )
  io.stdout.write(isJson ? formatPruningJson(pruning, shorten) : formatPruning(pruning, shorten))
  return 0
}

function boundsOf(parsed: ParsedArguments): { readonly maxBytes: number; readonly maxAge?: number } {
  const [size, age] = [valueOf(parsed, 'max-size') ?? DEFAULT_SIZE, valueOf(parsed, 'max-age')]
  const maxBytes = parseSize(size)
  const maxAge = age === undefined ? undefined : parseAge(age)
  const problems: string[] = []
  if (maxBytes === undefined)
    problems.push(`option --max-size takes a size such as 500MiB, not ${JSON.stringify(size)}`)
  if (age !== undefined && maxAge === undefined) {
    problems.push(`option --max-age takes an age such as 30d or 12h, not ${JSON.stringify(age)}`)
  }
  if (maxBytes === undefined || problems.length > 0) throw usageError(problems, cacheSpec)
  return { maxBytes, ...(maxAge !== undefined && { maxAge }) }
}

function formatInfo(
  { folder, entries, repositories, leftovers, oldestUse, newestUse }: Info,
  shorten: ShortenPath,
): string {
  const rows: readonly (readonly [string, string])[] = [
    ['FOLDER', shorten(folder)],
    ['FILES', amountText(entries)],
    ['REPOSITORIES', amountText(repositories)],
    ['LEFTOVERS', amountText(leftovers)],
    ['OLDEST USE', oldestUse === undefined ? '-' : timeText(oldestUse).slice(0, 10)],
    ['NEWEST USE', newestUse === undefined ? '-' : timeText(newestUse).slice(0, 10)],
  ]
  return printableLines(rows.map(([title, text]) => `${title.padEnd(14)}${text}`))
}

function amountText({ count, bytes }: Content['entries']): string {
  return count === 0 ? '0' : `${String(count)}, ${formatSize(bytes)}`
}

function timeText(time: number): string {
  return new Date(time).toISOString()
}

function formatPruning({ folder, removed, left, lock }: CachePruning, shorten: ShortenPath): string {
  const kept = lock === undefined ? '' : ` What ${shorten(lock)} names was kept.`
  return printableLines([
    `Removed ${contentText(removed)} from ${shorten(folder)}; ${contentText(left)} stay${countOf(left) === 1 ? 's' : ''}.${kept}`,
  ])
}

function contentText(content: Content): string {
  const { entries, repositories, leftovers } = content
  const parts = [plural(entries.count, 'file')]
  if (repositories.count > 0) parts.push(plural(repositories.count, 'git repository', 'git repositories'))
  if (leftovers.count > 0) parts.push(plural(leftovers.count, 'leftover'))
  const last = parts.pop() ?? ''
  const list = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
  return `${list} (${formatSize(entries.bytes + repositories.bytes + leftovers.bytes)})`
}

function countOf({ entries, repositories, leftovers }: Content): number {
  return entries.count + repositories.count + leftovers.count
}

/** schemas/cache-report.json */
function formatInfoJson(
  { folder, oldestUse, newestUse, entries, repositories, leftovers }: Info,
  shorten: ShortenPath,
): string {
  return formatJson({
    action: 'info',
    folder: shorten(folder),
    ...jsonContent({ entries, repositories, leftovers }),
    ...(oldestUse !== undefined && { oldestUse: timeText(oldestUse) }),
    ...(newestUse !== undefined && { newestUse: timeText(newestUse) }),
  })
}

function formatPruningJson({ folder, removed, left, lock }: CachePruning, shorten: ShortenPath): string {
  return formatJson({
    action: 'prune',
    folder: shorten(folder),
    ...jsonContent(left),
    removed: jsonContent(removed),
    ...(lock !== undefined && { lock: shorten(lock) }),
  })
}

function jsonContent({ entries, repositories, leftovers }: Content): object {
  return { files: entries, repositories, leftovers }
}

function formatJson(content: object): string {
  const report = { apiVersion: 'stackmason.dev/v1alpha1', kind: 'CacheReport', ...content }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
