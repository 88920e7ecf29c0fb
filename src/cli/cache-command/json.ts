import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { CacheContent, CacheResult } from './result.ts'

/** The result for programs (schemas/cache-report.json). */
export function cacheReport(result: CacheResult, shorten: ShortenPath): Report {
  return { kind: 'CacheReport', content: contentOf(result, shorten), findings: undefined }
}

function contentOf(result: CacheResult, shorten: ShortenPath): object {
  if (result.action === 'info') {
    const { folder, oldestUse, newestUse, ...content } = result.info
    return {
      action: 'info',
      folder: shorten(folder),
      ...jsonContent(content),
      oldestUse: oldestUse === undefined ? undefined : new Date(oldestUse).toISOString(),
      newestUse: newestUse === undefined ? undefined : new Date(newestUse).toISOString(),
    }
  }
  const { folder, removed, left, lock } = result.pruning
  return {
    action: 'prune',
    folder: shorten(folder),
    ...jsonContent(left),
    removed: jsonContent(removed),
    lock: lock === undefined ? undefined : shorten(lock),
  }
}

function jsonContent({ entries, repositories, leftovers }: CacheContent): object {
  return { files: entries, repositories, leftovers }
}
