import type { Credentials } from '../../model/credentials.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fieldAt, textAt } from '../../model/field.ts'
import { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { authorizationOf } from '../credentials/authorization.ts'
import { shownUrl } from '../transport/shown-url.ts'
import type { Transport, TransportRequest } from '../transport/transport.ts'
import { parseJsonObject } from './manifest.ts'
import type { RepositoryName } from './repository-name.ts'
import { keptFromService } from './unsent-credentials.ts'

/** Where a registry's tokens come from, as it says. */
export interface TokenService {
  readonly realm: string
  readonly service: string | undefined
  /** The requested scope of the token; the registry need not state one. */
  readonly scope?: string
}

/** The context for fetching a token besides the service. */
export interface TokenOptions {
  readonly name: RepositoryName
  /** Of the registry, `https://host`. */
  readonly origin: string
  readonly transport: Transport
  readonly at: Span | undefined
}

/** A token as header value, and how long it holds. */
export interface RegistryToken {
  readonly header: Secret
  readonly seconds: number
}

/** Not followed: what asks for a token holds credentials, in the body even. */
const redirects: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Fetches a token (distribution's "token" and "oauth" pages): by GET with user and password or with nothing, by POST
 * for an identity token. Credentials go to a service of the registry's own host or domain only.
 * @throws StackmasonError FETCH_UNAUTHORIZED, FETCH_INVALID and others
 */
export async function fetchToken(
  service: TokenService,
  known: Credentials | undefined,
  options: TokenOptions,
): Promise<RegistryToken> {
  const { name, transport } = options
  const where = shownUrl(service.realm)
  if (!/^https?:\/\//i.test(service.realm) || !URL.canParse(service.realm)) {
    throw problem('FETCH_INVALID', `${name.host} asks for a token and does not say where to get it`, options)
  }
  // a stranger is asked as anybody may ask
  const kept = keptFromService(service.realm, { host: name.host, origin: options.origin })
  const credentials = kept === undefined ? known : undefined
  const answer = await transport.send({
    ...requestOf(service, credentials),
    purpose: `a token for ${name.host}/${name.repository}`,
    maxBytes: 1024 * 1024,
    accept: [...redirects, 400, 401, 403],
    repeatable: true,
  })
  if (redirects.includes(answer.status)) {
    throw problem(
      'FETCH_INVALID',
      `the token service ${where} sends on to somewhere else, where no credentials go`,
      options,
    )
  }
  if (answer.status !== 200) {
    if (kept !== undefined && known !== undefined) {
      const message = `the credentials of ${name.host} were not sent, because ${kept.reason}, and it gives no token without`
      throw problem('FETCH_UNAUTHORIZED', message, { ...options, hint: kept.hint })
    }
    const refused =
      credentials === undefined
        ? `gives tokens for ${name.host}/${name.repository} only to those it knows, and no credentials for ${name.host} were found`
        : `refuses the credentials that were found for ${name.host}`
    throw problem('FETCH_UNAUTHORIZED', `the token service ${where} ${refused}`, options)
  }
  const body = parseJsonObject(answer.body)
  const object = 'value' in body ? body.value : undefined
  const token = object === undefined ? '' : textAt(object, 'token') || textAt(object, 'access_token')
  if (object === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw problem('FETCH_INVALID', `the token service ${where} answers without a token`, options)
  }
  const seconds = fieldAt(object, 'expires_in')
  return {
    header: new Secret(`Bearer ${token}`),
    // 60 is what the specification says when nothing is said
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 60,
  }
}

function requestOf(
  { realm, service, scope }: TokenService,
  credentials: Credentials | undefined,
): Pick<TransportRequest, 'method' | 'url' | 'headers' | 'authorization' | 'body'> {
  const parameters = new Map<string, string>()
  if (service !== undefined) parameters.set('service', service)
  if (scope !== undefined) parameters.set('scope', scope)
  if (credentials?.type === 'identityToken') {
    parameters.set('grant_type', 'refresh_token')
    parameters.set('client_id', 'stackmason')
    parameters.set('refresh_token', credentials.token.reveal())
    return {
      method: 'POST',
      url: realm,
      headers: new Map([['content-type', 'application/x-www-form-urlencoded']]),
      body: encodeUtf8(new URLSearchParams([...parameters]).toString()),
    }
  }
  const url = new URL(realm)
  for (const [key, value] of parameters) url.searchParams.append(key, value)
  return {
    method: 'GET',
    url: url.href,
    authorization: credentials?.type === 'basic' ? authorizationOf(credentials) : undefined,
  }
}

function problem(
  code: 'FETCH_INVALID' | 'FETCH_UNAUTHORIZED',
  message: string,
  { at, hint }: TokenOptions & { readonly hint?: string },
): StackmasonError {
  return new StackmasonError({ code, severity: 'error', message, at, hint })
}
