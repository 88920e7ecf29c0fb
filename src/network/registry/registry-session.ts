import type { Credentials } from '../../model/credentials.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { HttpResponse } from '../../model/http.ts'
import type { Clock } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { authorizationOf } from '../credentials/authorization.ts'
import type { Transport, TransportRequest } from '../transport/transport.ts'
import { parseChallenges, type Challenge } from './challenge.ts'
import { fetchToken, type TokenService } from './registry-token.ts'
import type { RepositoryName } from './repository-name.ts'
import { unsentCredentials, type UnsentCredentials } from './unsent-credentials.ts'

/** The permission that a request needs. */
export type RegistryAction = 'pull' | 'push'

/** A request to a registry. */
export interface SessionRequest extends Omit<TransportRequest, 'authorization'> {
  readonly action: RegistryAction
  /**
   * Blobs may be redirected to a storage that is not the registry; credentials are shown only where the registry itself
   * says so: then it is asked again, by a ping.
   */
  readonly challenge: 'answer' | 'ping'
}

/** The options of a session. */
export interface SessionOptions {
  readonly name: RepositoryName
  /** `https://host`. */
  readonly origin: string
  readonly at: Span | undefined
  readonly transport: Transport
  readonly clock: Pick<Clock, 'monotonic'>
  /** Asked once, and only when the registry wants to know who asks. */
  readonly findCredentials: () => Promise<Credentials | undefined>
}

/** A list of tags, at most; nobody reads it. */
const MAX_ANSWER = 4 * 1024 * 1024

const NONE_FOUND =
  'Name variables under `credentialsFrom`, set OCI_USERNAME and OCI_PASSWORD beside OCI_REGISTRY, or log in with the Docker client.'

type Scheme = { readonly type: 'basic' } | ({ readonly type: 'bearer' } & Omit<TokenService, 'scope'>)

interface Token {
  readonly header: Promise<Secret>
  expires: number
}

/**
 * Requests to one repository: anonymous until the registry asks, then basic or bearer (Docker's token authentication)
 * as it asks.
 */
export class RegistrySession {
  readonly #options: SessionOptions
  readonly #tokens = new Map<string, Token>()
  readonly #scopes = new Map<RegistryAction, string>()
  #scheme: Scheme | undefined
  #given: Secret | undefined
  #found: Promise<Credentials | undefined> | undefined

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Sends a request with what the registry wants to be shown. @throws StackmasonError FETCH_* */
  async send(request: SessionRequest): Promise<HttpResponse> {
    const { origin, transport } = this.#options
    const { action, challenge, ...plain } = request
    if (new URL(request.url).origin !== origin) return transport.send(plain)
    let refusedHint = await this.#hintOfAnonymous()
    const tryAs = (authorization: Secret | undefined): Promise<HttpResponse> =>
      transport.send({
        ...plain,
        accept: [401, ...(plain.accept ?? [])],
        challenged: true,
        authorization,
        refusedHint,
      })
    const shown = await this.#authorizationFor(action)
    const first = await tryAs(shown)
    if (first.status !== 401) return first
    const challenges = challenge === 'answer' ? challengesOf(first) : await this.#ask()
    this.#scheme = chooseScheme(challenges, await this.#credentials()) ?? this.#scheme
    // what the root says is an example in some registries
    const scope = challenge === 'answer' ? scopeIn(challenges) : undefined
    if (scope !== undefined && scope !== '') this.#scopes.set(action, scope)
    refusedHint = await this.#hintOfAnonymous()
    let next = await this.#authorizationFor(action)
    // a token that was just refused is spent; another request may have got a new one in the meantime
    if (next === shown) {
      this.#tokens.clear()
      next = await this.#authorizationFor(action)
    }
    const second = next === shown ? first : await tryAs(next)
    if (second.status === 401) {
      const known = await this.#credentials()
      throw refusal(request, this.#options, { known, unsent: known && this.#unsent(known, challenges) })
    }
    return second
  }

  #unsent(known: Credentials, challenges: readonly Challenge[]): UnsentCredentials | undefined {
    const { name, origin } = this.#options
    const realm = this.#scheme?.type === 'bearer' ? this.#scheme.realm : undefined
    return unsentCredentials(known, { host: name.host, origin, realm, challenges })
  }

  /** Of a token that anybody gets no credentials are to blame. */
  async #hintOfAnonymous(): Promise<string | undefined> {
    if (this.#scheme?.type !== 'bearer') return undefined
    const known = await this.#credentials()
    return known === undefined ? NONE_FOUND : this.#unsent(known, [])?.hint
  }

  #credentials(): Promise<Credentials | undefined> {
    this.#found ??= this.#options.findCredentials()
    return this.#found
  }

  async #authorizationFor(action: RegistryAction): Promise<Secret | undefined> {
    const scheme = this.#scheme
    if (scheme === undefined) return undefined
    const known = await this.#credentials()
    if (known !== undefined && known.type === scheme.type) {
      this.#given ??= authorizationOf(known)
      return this.#given
    }
    return scheme.type === 'basic' ? undefined : this.#tokenFor(scheme, action, known)
  }

  #tokenFor(
    service: Omit<TokenService, 'scope'>,
    action: RegistryAction,
    known: Credentials | undefined,
  ): Promise<Secret> {
    const { clock, name } = this.#options
    const scope = this.#scopes.get(action) ?? scopeOf(name, action)
    const key = `${service.realm} ${scope}`
    const token = this.#tokens.get(key)
    if (token !== undefined && clock.monotonic() < token.expires) return token.header
    const asked = clock.monotonic()
    const fetched = fetchToken({ ...service, scope }, known, this.#options)
    const fresh: Token = { header: fetched.then(({ header }) => header), expires: Number.POSITIVE_INFINITY }
    this.#tokens.set(key, fresh)
    fetched.then(
      ({ seconds }) => {
        fresh.expires = asked + seconds * 900
      },
      () => {
        this.#tokens.delete(key)
      },
    )
    return fresh.header
  }

  /** Asks the registry itself; where its root is open to everybody, by what every repository has. */
  async #ask(): Promise<readonly Challenge[]> {
    const { origin, transport, name } = this.#options
    for (const path of ['', `${name.repository}/tags/list?n=1`]) {
      const answer = await transport.send({
        method: 'GET',
        url: `${origin}/v2/${path}`,
        purpose: `the API of ${name.host}`,
        maxBytes: MAX_ANSWER,
        accept: [400, 401, 403, 404],
      })
      const challenges = challengesOf(answer)
      if (challenges.length > 0) return challenges
    }
    return []
  }
}

function challengesOf(answer: HttpResponse): readonly Challenge[] {
  return parseChallenges(answer.headers.get('www-authenticate') ?? '')
}

function scopeIn(challenges: readonly Challenge[]): string | undefined {
  return challenges.find(({ scheme }) => scheme === 'bearer')?.parameters.get('scope')
}

function scopeOf({ repository }: RepositoryName, action: RegistryAction): string {
  return `repository:${repository}:${action === 'push' ? 'pull,push' : 'pull'}`
}

/**
 * Bearer before basic, because it also serves those without credentials; what the credentials are of no use for is left
 * out.
 */
function chooseScheme(challenges: readonly Challenge[], known: Credentials | undefined): Scheme | undefined {
  for (const { scheme, parameters } of challenges) {
    if (scheme !== 'bearer') continue
    const realm = parameters.get('realm') ?? ''
    const service = parameters.get('service')
    return { type: 'bearer', realm, service }
  }
  const isBasic = challenges.some(({ scheme }) => scheme === 'basic')
  return isBasic && known?.type === 'basic' ? { type: 'basic' } : undefined
}

function refusal(
  { purpose, action }: SessionRequest,
  { name, at }: SessionOptions,
  { known, unsent }: { readonly known: Credentials | undefined; readonly unsent: UnsentCredentials | undefined },
): StackmasonError {
  const [gives, to] = action === 'push' ? ['takes', 'from'] : ['gives', 'to']
  return new StackmasonError({
    code: 'FETCH_UNAUTHORIZED',
    severity: 'error',
    message:
      known === undefined
        ? `${name.host} ${gives} ${purpose} only ${to} those it knows, and no credentials for it were found`
        : unsent === undefined
          ? `${name.host} does not accept the credentials that were found for it, and refuses ${purpose}`
          : `${name.host} refuses ${purpose}: the credentials that were found for it were not sent, because ${unsent.reason}`,
    at,
    hint: known === undefined ? NONE_FOUND : (unsent?.hint ?? 'They are wrong or expired, or do not reach far enough.'),
  })
}
