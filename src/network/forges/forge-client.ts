import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import {
  type ForgeAbilities,
  forgeAbilities,
  type ForgeConfig,
  type ForgeOperation,
  measureText,
} from '../../model/forge.ts'
import type { HttpRequest, HttpResponse } from '../../model/http.ts'
import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import { wordsOfVariables } from '../credentials/forge-tokens.ts'
import { RefusedAnswer } from '../transport/fetch-failure.ts'
import { shownUrl } from '../transport/shown-url.ts'
import { LIST_DEADLINE, type Transport } from '../transport/transport.ts'
import { ForgeShapeError, listOf } from './forge-shape.ts'
import { apiUrlOf } from './locate-forge.ts'

/** How a forge is asked. */
export interface ForgeConnection {
  readonly config: ForgeConfig
  readonly transport: Transport
  readonly authorization: () => Promise<Secret | undefined>
  readonly ports: Pick<Ports, 'clock' | 'random' | 'crypto'>
}

/** The purpose of a request. */
export interface ForgePurpose {
  /** In messages: "the pull requests of acme/fleet". */
  readonly purpose: string
  readonly operation: ForgeOperation
}

/** A question to a forge. */
export interface ForgeRequest extends ForgePurpose {
  readonly method: HttpRequest['method']
  /** Below the root of the API, with its query; or a whole address. */
  readonly path: string
  readonly body?: object | string | undefined
  readonly accept?: 'not-found' | undefined
  /** True if it comes to the same when it is sent twice. */
  readonly repeatable?: boolean
  /** The moment on the monotonic clock after which all of its list is over. */
  readonly end?: number
}

/** Asks a forge. Everything throws StackmasonError, as {@link ForgeAbilities} and `Forge` tell. */
export interface ForgeClient {
  readonly config: ForgeConfig
  readonly abilities: ForgeAbilities
  readonly ports: ForgeConnection['ports']
  /** Without a slash at the end. */
  readonly apiUrl: string
  /** The answer's JSON, undefined for an empty one and for what is not there, if that was accepted. */
  readonly send: (
    request: ForgeRequest,
  ) => Promise<{ readonly value: unknown; readonly headers: HttpResponse['headers'] }>
  /** Reads what was sent back. @throws StackmasonError FETCH_INVALID for a {@link ForgeShapeError} */
  readonly read: <Result>(purpose: string, parse: () => Result) => Result
}

/** A page of a hundred pull requests with bodies of full length. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024
const MAX_PAGES = 100

/** Makes a client of one repository's forge. */
export function createForgeClient(connection: ForgeConnection): ForgeClient {
  const { config, ports } = connection
  const apiUrl = apiUrlOf(config)
  const abilities = forgeAbilities[config.kind]
  const client: ForgeClient = {
    config,
    abilities,
    ports,
    apiUrl,
    send: (request) => send(request, client, connection),
    read: (purpose, parse) => {
      try {
        return parse()
      } catch (error) {
        if (error instanceof ForgeShapeError) throw invalidAnswer(client, purpose, error.message)
        throw error
      }
    },
  }
  return client
}

/**
 * Reads a list page by page, until `isEnough`. The address of a further page is made here: a forge behind a proxy may
 * not know its own.
 */
export async function readPages<Item>(
  client: ForgeClient,
  request: ForgePurpose & {
    /** Where its page is. */
    readonly path: (page: number) => string
    readonly parse: (item: unknown) => Item
    readonly items?: (value: unknown) => unknown
    readonly isEnough?: (items: readonly Item[]) => boolean
    readonly maxPages?: number | undefined
    readonly accept?: 'not-found'
    /** True where only a list says that there is nothing; some of Gitea's are null then. */
    readonly isAlwaysList?: boolean
  },
): Promise<readonly Item[]> {
  const { purpose, operation, path, parse, items = (value: unknown) => value, isEnough, maxPages, accept } = request
  const none = request.isAlwaysList === true ? undefined : []
  const end = client.ports.clock.monotonic() + LIST_DEADLINE
  const all: Item[] = []
  for (let page = 1; ; page++) {
    const { value, headers } = await client.send({
      method: 'GET',
      path: path(page),
      purpose,
      operation,
      accept,
      end,
    })
    const found = client.read(purpose, () => listOf(items(value) ?? none, 'the answer').map((item) => parse(item)))
    all.push(...found)
    const isLast = found.length === 0 || !/;\s*rel="next"/.test(headers.get('link') ?? '')
    if (isLast || isEnough?.(all) === true || page === maxPages) return all
    if (page >= MAX_PAGES) throw invalidAnswer(client, purpose, `there are more than ${MAX_PAGES} pages`)
  }
}

/** The refusal behind an error; undefined when the forge did not refuse. */
export function refusalOf(error: unknown): RefusedAnswer | undefined {
  return error instanceof StackmasonError && error.cause instanceof RefusedAnswer ? error.cause : undefined
}

/** The error for an answer that no forge of this kind gives. */
export function invalidAnswer(
  { config, abilities, apiUrl }: ForgeClient,
  purpose: string,
  what: string,
): StackmasonError {
  return problem(config, {
    code: 'FETCH_INVALID',
    message: `${shownUrl(apiUrl)} does not answer as ${abilities.name} does when asked for ${purpose}: ${what}`,
    hint: 'Check `spec.publish.forge`: kind, and url, which is what people open in a browser.',
  })
}

/** The error for what a forge refuses without saying it by a status. */
export function refusedBy({ config, abilities }: ForgeClient, purpose: string, said: string): StackmasonError {
  return problem(config, {
    code: 'PUBLISH_REFUSED',
    message: `${abilities.name} refuses ${purpose}: ${JSON.stringify(said)}`,
  })
}

/** The error for a permission that is missing. */
export function notPermitted(
  { config, abilities }: ForgeClient,
  { purpose, operation }: ForgePurpose,
  { said, cause }: { readonly said: string; readonly cause?: unknown },
): StackmasonError {
  return problem(
    config,
    {
      code: 'PUBLISH_PERMISSION',
      message: `the token may not do this on ${abilities.name}: ${purpose}${said === '' ? '' : `: ${JSON.stringify(said)}`}`,
      hint: `It needs ${abilities.permissions[operation]}.`,
    },
    cause,
  )
}

/**
 * Looks whether a text is short enough.
 * @throws StackmasonError PUBLISH_TOO_LONG
 */
export function requireLength(
  { config, abilities }: ForgeClient,
  text: string,
  { what, most }: { readonly what: string; readonly most: number },
): void {
  // a character has four bytes at most, and no more units here than bytes
  const length = text.length * 4 <= most ? 0 : measureText(text, abilities.unit)
  if (length <= most) return
  throw problem(config, {
    code: 'PUBLISH_TOO_LONG',
    message: `${what} has ${length} ${abilities.unit}; ${abilities.name} takes ${most}`,
  })
}

async function send(
  request: ForgeRequest,
  client: ForgeClient,
  { transport, authorization }: ForgeConnection,
): Promise<{ readonly value: unknown; readonly headers: HttpResponse['headers'] }> {
  const { method, path, purpose, body, accept, repeatable, end } = request
  const url = path.startsWith('/') ? client.apiUrl + path : path
  // only a forge's own answers could lead elsewhere, and none of them is followed here
  if (new URL(url).origin !== new URL(client.apiUrl).origin)
    throw invalidAnswer(client, purpose, 'it leads to another server')
  const credentials = await authorization()
  const headers = new Map([
    ['accept', client.config.kind === 'github' ? 'application/vnd.github+json' : 'application/json'],
  ])
  if (client.config.kind === 'github') headers.set('x-github-api-version', '2022-11-28')
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    const answer = await transport.send({
      method,
      url,
      purpose,
      headers,
      authorization: credentials,
      body: body === undefined ? undefined : encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body)),
      maxBytes: MAX_ANSWER_BYTES,
      accept: accept === 'not-found' ? [404] : undefined,
      repeatable,
      end,
    })
    if (answer.status === 404) return { value: undefined, headers: answer.headers }
    return { value: client.read(purpose, () => parseJson(answer.body)), headers: answer.headers }
  } catch (error) {
    throw translate(error, { request, client, isKnown: credentials !== undefined })
  }
}

function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  try {
    const value: unknown = JSON.parse(decodeUtf8(body))
    return value
  } catch (error) {
    if (error instanceof SyntaxError) throw new ForgeShapeError('the answer is not JSON')
    throw error
  }
}

interface Asked {
  readonly request: ForgeRequest
  readonly client: ForgeClient
  /** True if a token was sent. */
  readonly isKnown: boolean
}

/** Translates a forge's error for the person who publishes. */
function translate(error: unknown, { request, client, isKnown }: Asked): unknown {
  const refusal = refusalOf(error)
  const [finding] = error instanceof StackmasonError ? error.diagnostics : []
  if (refusal === undefined || finding === undefined) return error
  const { config, abilities } = client
  if (finding.code === 'FETCH_RATE_LIMITED') {
    if (isKnown) return error
    const way = `${wordsOfVariables(config.kind, new URL(config.url).host)}, or spec.publish.forge.credentialsFrom`
    const hint = `Wait and run again, or set ${way}: with a token the limit is higher.`
    return new StackmasonError({ ...finding, hint }, { cause: refusal })
  }
  const { status, message: said } = refusal
  const needed = abilities.permissions[request.operation]
  if (status === 401 || (status === 403 && !isKnown)) {
    const hint = isKnown
      ? `The token is wrong or expired${config.kind === 'gitlab' ? ', or that of a job, which may not use merge requests' : ''}. It needs ${needed}.`
      : `No token was found for ${new URL(config.url).host}; docs/30-forges.md says which variables are looked at. It needs ${needed}.`
    return new StackmasonError({ ...finding, hint }, { cause: refusal })
  }
  if (status === 403) return notPermitted(client, request, { said, cause: refusal })
  if (status === 404) {
    const { host } = new URL(config.url)
    const hint = isKnown
      ? `Check the address of the repository. Forges answer so, too, where the token may not see it: it needs ${needed}.`
      : `Check the address of the repository. Forges answer so, too, where they are shown no token, and none was found for ${host}: set ${wordsOfVariables(config.kind, host)}, or spec.publish.forge.credentialsFrom. It needs ${needed}.`
    return new StackmasonError({ ...finding, hint }, { cause: refusal })
  }
  if (status >= 500) return error
  const isTooLong = status === 413 || /\btoo (?:long|big|large)\b/.test(said)
  return problem(
    config,
    isTooLong
      ? {
          code: 'PUBLISH_TOO_LONG',
          message: `${finding.message}; bodies have ${abilities.hardMaxBody} ${abilities.unit} at most`,
        }
      : { code: 'PUBLISH_REFUSED', message: finding.message },
    refusal,
  )
}

function problem(
  { at }: ForgeConfig,
  finding: Pick<Diagnostic, 'code' | 'message' | 'hint'>,
  cause?: unknown,
): StackmasonError {
  return new StackmasonError({ ...finding, severity: 'error', at }, { cause })
}
