import { StackmasonError } from '../../model/diagnostic.ts'
import type { HttpResponse } from '../../model/http.ts'
import { authorizationOf } from '../../network/credentials/authorization.ts'
import { findCredentials } from '../../network/credentials/find-credentials.ts'
import { openTransport } from '../../network/transport/open-transport.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { placeOf, type DependencyContext, type DependencyPlace } from './dependency-context.ts'
import { CHART_SETTINGS, reachOf } from './repository-access.ts'
import { hasUser } from './repository-kind.ts'
import { originOf } from './resolve-url.ts'

/** Charts and indexes are far smaller; bitnami's index, the largest known, has about 20 MiB. */
export const MAX_BYTES: number = 64 * 1024 * 1024

/** A request to a web server, and the repository that it is for. */
export interface WebRequest extends DependencyPlace {
  readonly url: string
  /** The repository that named the address, as Chart.yaml writes it. */
  readonly repository: string
  /** The purpose of the request, in messages. */
  readonly purpose: string
  /** `sha256:<hex>` that the answer must have. */
  readonly digest?: string
}

/**
 * Fetches something of a Helm repository with what the fleet says about it.
 * @throws StackmasonError FETCH_*, FILE_UNREADABLE
 */
export async function fetchFromWeb(request: WebRequest, context: DependencyContext): Promise<HttpResponse['body']> {
  const { ports, offline, repositories } = context
  const { url, access, isOwn, repository } = reachOf(request.url, request.repository, repositories)
  const origin = originOf(url)
  if (origin === undefined || hasUser(url)) {
    throw new StackmasonError({
      code: 'FETCH_INVALID',
      severity: 'error',
      message: `${request.purpose} has an address that cannot be fetched from: ${shownUrl(url)}`,
      ...placeOf(request),
    })
  }
  const at = repository?.at ?? request.at
  const place = at === undefined ? {} : { at }
  const variables = access.credentials === undefined ? {} : { variables: access.credentials }
  const host = origin.slice(origin.indexOf('//') + 2)
  const credentials = isOwn ? await findCredentials({ host, kind: 'helm', ...variables, ...place }, ports) : undefined
  const transport = await openTransport({ ...access, settings: CHART_SETTINGS }, { offline, ...place }, ports)
  const { body } = await transport.send({
    method: 'GET',
    url,
    purpose: request.purpose,
    maxBytes: MAX_BYTES,
    authorization: credentials === undefined ? undefined : authorizationOf(credentials),
    digest: request.digest,
  })
  return body
}
