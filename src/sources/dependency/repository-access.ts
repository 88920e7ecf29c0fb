import { withoutTrailingSlashes } from '../../codec/path.ts'
import type { AccessSettings, ServerAccess } from '../../model/credentials.ts'
import type { ChartRepository } from '../../model/fleet.ts'
import { comparedAddress, type Reached } from '../../network/transport/compared-address.ts'
import { originOf } from './resolve-url.ts'

/** Where the access to repositories of charts is set. */
export const CHART_SETTINGS: AccessSettings = { field: 'spec.chartRepositories of stackmason.yaml' }

/** Where a request really goes, and how. */
export interface Reach {
  readonly url: string
  readonly access: ServerAccess
  /** True if the server is the repository's own: only that one is shown credentials. */
  readonly isOwn: boolean
  readonly repository?: ChartRepository
}

/**
 * Says how an address of a repository is reached: through the mirror if the fleet names one, with the certificates and
 * credentials of the entry whose address it lies below. Helm shows a repository's credentials to other hosts only when
 * told to (--pass-credentials); here never.
 */
export function reachOf(url: string, repository: string, repositories: readonly ChartRepository[]): Reach {
  const entry = findEntry(url, repositories)
  if (entry !== undefined)
    return { url: throughMirror(url, repository, entry), access: entry, isOwn: true, repository: entry }
  const own = findEntry(repository, repositories)
  const origin = originOf(url)
  if (origin === undefined || origin !== originOf(own === undefined ? repository : (own.mirror ?? own.url)))
    return { url, access: { plainHttp: false }, isOwn: false }
  return own === undefined
    ? { url, access: { plainHttp: false }, isOwn: true }
    : { url, access: own, isOwn: true, repository: own }
}

/**
 * The entry whose keys must have signed the chart at an address: that of the address, or else that of the repository
 * which leads there, so that an index cannot lead past the keys. Entries without keys say nothing of signatures,
 * however near they are: they are there for access alone.
 */
export function signerOf(
  chart: { readonly url: string; readonly repository: string },
  repositories: readonly ChartRepository[],
): ChartRepository | undefined {
  const signed = repositories.filter(({ publicKeys }) => publicKeys.length > 0)
  return findEntry(chart.url, signed) ?? findEntry(chart.repository, signed)
}

/** The entry with the longest address that the url lies below, or below whose mirror. */
function findEntry(url: string, repositories: readonly ChartRepository[]): ChartRepository | undefined {
  const candidates = repositories.flatMap((entry) =>
    [entry.url, entry.mirror]
      .filter((base) => base !== undefined)
      .filter((base) => below(url, base, reachedBy(entry)) !== undefined)
      .map((base) => ({ entry, length: comparedAddress(base, reachedBy(entry)).length })),
  )
  return candidates.sort((a, b) => b.length - a.length)[0]?.entry
}

/** The query of a repository may be what lets people in there: a mirror on another server does not get it. */
function throughMirror(url: string, repository: string, entry: ChartRepository): string {
  const { url: base, mirror } = entry
  const rest = mirror === undefined ? undefined : below(url, base, reachedBy(entry))
  if (mirror === undefined || rest === undefined) return url
  const [, query = ''] = /(\?.*)$/s.exec(comparedAddress(repository, reachedBy(entry))) ?? []
  const isElsewhere = query !== '' && originOf(mirror) !== originOf(url)
  return withoutTrailingSlashes(mirror) + (isElsewhere && rest.endsWith(query) ? rest.slice(0, -query.length) : rest)
}

/** The rest of an address behind one that it lies below; undefined when it lies elsewhere. */
function below(url: string, base: string, reached: Reached): string | undefined {
  const [normal, parent] = [comparedAddress(url, reached), comparedAddress(base, reached)]
  const rest = normal.slice(parent.length)
  return normal.startsWith(parent) && /^(?:$|[/?#])/.test(rest) ? rest : undefined
}

function reachedBy({ plainHttp }: ServerAccess): Reached {
  return plainHttp ? 'http' : 'https'
}
