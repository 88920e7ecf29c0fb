import { StackmasonError } from '../../model/diagnostic.ts'
import { comparedAddress } from '../../network/transport/compared-address.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { placeOf, type DependencyContext, type DependencyRequest } from './dependency-context.ts'
import { fetchFromWeb } from './fetch-from-web.ts'
import { parseOfferedCharts, type OfferedCharts } from './offered-charts.ts'
import { resolveUrl } from './resolve-url.ts'

/**
 * Reads the index of a Helm repository, once in a run.
 * @throws StackmasonError FETCH_*, FILE_UNREADABLE
 */
export function readRepositoryIndex(dependency: DependencyRequest, context: DependencyContext): Promise<OfferedCharts> {
  const key = comparedAddress(dependency.repository)
  const reading = context.indexes.get(key) ?? fetchIndex(dependency, context)
  context.indexes.set(key, reading)
  return reading
}

async function fetchIndex(dependency: DependencyRequest, context: DependencyContext): Promise<OfferedCharts> {
  const { repository } = dependency
  const purpose = `the index of the Helm repository ${shownUrl(repository)}`
  const url = resolveUrl(repository, 'index.yaml') ?? repository
  const bytes = await fetchFromWeb({ url, repository, purpose, ...placeOf(dependency) }, context)
  const outcome = parseOfferedCharts(bytes)
  if ('value' in outcome) return outcome.value
  throw new StackmasonError({
    code: 'FETCH_INVALID',
    severity: 'error',
    message: `${purpose} cannot be read: ${outcome.reason}`,
    ...placeOf(dependency),
  })
}
