import { randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeWebCertificates, type WebCertificates } from './web-certificates.ts'

/** How a token service of a test behaves. */
export interface TokenServerOptions {
  /** What signs the server's TLS certificate; plain http without. */
  readonly tls?: WebCertificates
  readonly user: { readonly username: string; readonly password: string }
  /** Exchanged for access tokens by OAuth2's refresh_token grant. */
  readonly identityToken: string
  /** True if those without credentials may pull. */
  readonly anonymousPull: boolean
  /** Seconds. */
  readonly expiresIn: number
}

/** One request that the service has answered. */
export interface TokenRequest {
  readonly method: string
  readonly service: string
  readonly scopes: readonly string[]
  readonly who: 'user' | 'identity' | 'anonymous' | 'refused'
}

/** A token service (Docker's distribution token specification) whose tokens a registry verifies. */
export interface TokenServer {
  readonly realm: string
  readonly issuer: string
  /** What a registry must trust, in PEM. */
  readonly certificate: string
  readonly requests: TokenRequest[]
  readonly close: () => Promise<void>
}

/** Starts a service on a free port of this machine. */
export async function startTokenServer(options: TokenServerOptions): Promise<TokenServer> {
  const { ca, server: signer } = makeWebCertificates()
  const requests: TokenRequest[] = []
  const issuer = 'token service of a test'

  function grantsFor(who: TokenRequest['who'], scopes: readonly string[]): readonly unknown[] {
    return scopes.flatMap((scope) => {
      const [, type, name, actions = ''] = /^(\w+):(.+):([\w,*]+)$/.exec(scope) ?? []
      const allowed = actions.split(',').filter((action) => who !== 'anonymous' || action === 'pull')
      const isAllowed = who !== 'refused' && (who !== 'anonymous' || options.anonymousPull)
      return type === undefined || !isAllowed ? [] : [{ type, name, actions: allowed }]
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const form = request.method === 'POST' ? new URLSearchParams(await bodyOf(request)) : url.searchParams
    const scopes = form.getAll('scope').flatMap((scope) => scope.split(' '))
    const who = identify(request, form)
    requests.push({ method: request.method ?? '', service: form.get('service') ?? '', scopes, who })
    response.setHeader('content-type', 'application/json')
    if (who === 'refused') {
      response.writeHead(401).end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'wrong credentials' }] }))
      return
    }
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      sub: who,
      aud: form.get('service'),
      exp: now + options.expiresIn,
      nbf: now - 10,
      iat: now,
      jti: randomUUID(),
      access: grantsFor(who, scopes),
    }
    const certificate = signer.cert.replaceAll(/-----[^-]+-----|\s/g, '')
    const text = [{ typ: 'JWT', alg: 'ES256', x5c: [certificate] }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = sign('sha256', Buffer.from(text), { key: signer.key, dsaEncoding: 'ieee-p1363' })
    const token = `${text}.${signature.toString('base64url')}`
    const name = request.method === 'POST' ? 'access_token' : 'token'
    response.end(JSON.stringify({ [name]: token, expires_in: options.expiresIn }))
  }

  function identify(request: IncomingMessage, form: URLSearchParams): TokenRequest['who'] {
    if (request.method === 'POST') {
      const isKnown = form.get('refresh_token') === options.identityToken && form.get('grant_type') === 'refresh_token'
      return isKnown ? 'identity' : 'refused'
    }
    const { authorization } = request.headers
    if (authorization === undefined) return 'anonymous'
    const { username, password } = options.user
    const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    return authorization === expected ? 'user' : 'refused'
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }
  const { tls } = options
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls.server, listener)
  const port = await new Promise<number>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    realm: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/token`,
    issuer,
    certificate: `${signer.cert}${ca}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  return body
}
