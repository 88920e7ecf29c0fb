import { formatSize } from '../../report/format-size.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { CachePruning } from '../../pipeline/commands/cache.ts'
import type { CacheContent, CacheResult } from './result.ts'

type CacheInfo = Extract<CacheResult, { readonly action: 'info' }>['info']

/** The result for people; ends with a newline. */
export function cacheText(result: CacheResult, shorten: ShortenPath): string {
  return result.action === 'info' ? formatInfo(result.info, shorten) : formatPruning(result.pruning, shorten)
}

function formatInfo(
  { folder, entries, repositories, leftovers, oldestUse, newestUse }: CacheInfo,
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

function amountText({ count, bytes }: CacheContent['entries']): string {
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

function contentText(content: CacheContent): string {
  const { entries, repositories, leftovers } = content
  const parts = [plural(entries.count, 'file')]
  if (repositories.count > 0) parts.push(plural(repositories.count, 'git repository', 'git repositories'))
  if (leftovers.count > 0) parts.push(plural(leftovers.count, 'leftover'))
  const last = parts.pop() ?? ''
  const list = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
  return `${list} (${formatSize(entries.bytes + repositories.bytes + leftovers.bytes)})`
}

function countOf({ entries, repositories, leftovers }: CacheContent): number {
  return entries.count + repositories.count + leftovers.count
}
