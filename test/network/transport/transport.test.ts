import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { HttpError } from '../../../src/model/http.ts'
import { Secret } from '../../../src/model/secret.ts'
import {
  createTransport,
  type TransportOptions,
  type TransportRequest,
} from '../../../src/network/transport/transport.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { SCRIPT_START, webScript, type WebScript, type WebStep } from '../../support/web-script.ts'

const reset = new HttpError('reset', 'example.org closed the connection before it answered')
const authorization = new Secret('Bearer tok-hunter2-tok')
const abc = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

const request: TransportRequest = {
  method: 'GET',
  url: 'https://example.org/a',
  purpose: 'the thing',
  maxBytes: 1000,
}

function sendWith(
  script: WebScript,
  more: Partial<TransportRequest> = {},
  options: Partial<TransportOptions> = {},
): Promise<{ readonly status: number; readonly body: Uint8Array }> {
  return createTransport({ plainHttp: false, ...options }, script.ports).send({ ...request, ...more })
}

function imfDate(instant: number): string {
  return new Date(instant).toUTCString()
}

describe('a refusal', () => {
  interface Case {
    readonly name: string
    readonly steps?: readonly WebStep[]
    readonly request?: Partial<TransportRequest>
    readonly options?: Partial<TransportOptions>
    readonly want: { readonly code: string; readonly message: string; readonly hint?: string }
    /** How often something was sent. */
    readonly tries: number
  }

  const noCredentials =
    'No credentials were sent: name their variables under `credentialsFrom` of the source; for a registry, logging in with the Docker client does too.'

  const cases: readonly Case[] = [
    {
      name: 'the network fails again and again',
      steps: [reset],
      want: {
        code: 'FETCH_FAILED',
        message:
          'cannot get the thing from example.org: example.org closed the connection before it answered (tried 5 times)',
      },
      tries: 5,
    },
    {
      name: 'fewer tries',
      steps: [reset],
      options: { attempts: 1 },
      want: {
        code: 'FETCH_FAILED',
        message: 'cannot get the thing from example.org: example.org closed the connection before it answered',
      },
      tries: 1,
    },
    ...(['name-not-found', 'refused', 'unreachable', 'truncated'] as const).map((reason) => ({
      name: reason,
      steps: [new HttpError(reason, 'example.org: why')],
      want: {
        code: 'FETCH_FAILED',
        message: 'cannot get the thing from example.org: example.org: why (tried 5 times)',
      },
      tries: 5,
    })),
    {
      name: 'timeouts',
      steps: [new HttpError('timeout', 'example.org sent nothing for 60 s')],
      want: {
        code: 'FETCH_TIMEOUT',
        message: 'cannot get the thing from example.org: example.org sent nothing for 60 s (tried 2 times)',
      },
      tries: 2,
    },
    {
      name: 'TLS',
      steps: [new HttpError('tls', 'the certificate of example.org is not trusted: self-signed certificate')],
      want: {
        code: 'FETCH_TLS',
        message:
          'cannot get the thing from example.org: the certificate of example.org is not trusted: self-signed certificate',
      },
      tries: 1,
    },
    {
      name: 'TLS with own authorities',
      steps: [new HttpError('tls', 'the certificate of example.org is not trusted: self-signed certificate')],
      options: { certificateAuthorities: 'PEM' },
      want: {
        code: 'FETCH_TLS',
        message:
          'cannot get the thing from example.org: the certificate of example.org is not trusted: self-signed certificate',
        hint: 'Check that `caFile` holds the authority that signed the certificate, and that the certificate is for this host name.',
      },
      tries: 1,
    },
    {
      name: 'the proxy',
      steps: [new HttpError('proxy', 'the proxy p:1 refuses to reach example.org (status 407)')],
      want: {
        code: 'FETCH_FAILED',
        message: 'cannot get the thing from example.org: the proxy p:1 refuses to reach example.org (status 407)',
        hint: 'Check user, password and port in the proxy variables, or name the server in NO_PROXY.',
      },
      tries: 1,
    },
    {
      name: 'no HTTP',
      steps: [new HttpError('protocol', 'example.org does not answer in HTTP/1.1')],
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: example.org does not answer in HTTP/1.1',
      },
      tries: 1,
    },
    {
      name: 'too large on the wire',
      steps: [new HttpError('too-large', 'example.org sends more than 1048576 bytes')],
      want: {
        code: 'FETCH_TOO_LARGE',
        message: 'cannot get the thing from example.org: example.org sends more than 1048576 bytes',
      },
      tries: 1,
    },
    {
      name: 'too large for the caller',
      steps: [{ body: new Uint8Array(1001) }],
      want: {
        code: 'FETCH_TOO_LARGE',
        message: 'cannot get the thing from example.org: it sends more than 1000 bytes',
      },
      tries: 1,
    },
    {
      name: '401 without credentials',
      steps: [{ status: 401, body: { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] } }],
      want: {
        code: 'FETCH_UNAUTHORIZED',
        message: 'cannot get the thing from example.org: it answered 401, "authentication required"',
        hint: noCredentials,
      },
      tries: 1,
    },
    {
      name: '403 with credentials',
      steps: [{ status: 403, body: { message: 'Resource not accessible by personal access token' } }],
      request: { authorization },
      want: {
        code: 'FETCH_UNAUTHORIZED',
        message:
          'cannot get the thing from example.org: it answered 403, "Resource not accessible by personal access token"',
        hint: 'The credentials are wrong or expired, or do not reach far enough.',
      },
      tries: 1,
    },
    {
      name: '403 where the credentials did not go',
      steps: [{ status: 302, headers: { location: 'https://cdn.example:444/b' } }, { status: 403 }],
      request: { authorization },
      want: {
        code: 'FETCH_UNAUTHORIZED',
        message: 'cannot get the thing from example.org, which redirects to cdn.example:444: it answered 403',
        hint: 'Credentials are for the first host only and were not sent on to cdn.example:444: name that host in the fleet if it is the right one.',
      },
      tries: 2,
    },
    ...[404, 410].map((status) => ({
      name: String(status),
      steps: [{ status, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }],
      want: { code: 'FETCH_NOT_FOUND', message: `cannot get the thing from example.org: it answered ${status}` },
      tries: 1,
    })),
    {
      name: '400',
      steps: [{ status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'bad\r\n\trequest\n' }],
      request: { method: 'PUT', url: 'https://example.org/a?token=hunter2', body: new Uint8Array(3) },
      want: { code: 'FETCH_REFUSED', message: 'cannot send the thing to example.org: it answered 400, "bad request"' },
      tries: 1,
    },
    {
      name: 'DELETE',
      steps: [{ status: 405 }],
      request: { method: 'DELETE' },
      want: { code: 'FETCH_REFUSED', message: 'cannot delete the thing from example.org: it answered 405' },
      tries: 1,
    },
    ...[408, 425, 500, 502, 503, 504].map((status) => ({
      name: String(status),
      steps: [{ status }],
      want: {
        code: 'FETCH_REFUSED',
        message: `cannot get the thing from example.org: it answered ${status} (tried 5 times)`,
      },
      tries: 5,
    })),
    {
      name: '501 does not pass',
      steps: [{ status: 501 }],
      want: { code: 'FETCH_REFUSED', message: 'cannot get the thing from example.org: it answered 501' },
      tries: 1,
    },
    {
      name: '429 without a time',
      steps: [{ status: 429, body: { errors: [{ code: 'TOOMANYREQUESTS' }] } }],
      want: {
        code: 'FETCH_RATE_LIMITED',
        message: 'cannot get the thing from example.org: it answered 429, "TOOMANYREQUESTS" (tried 5 times)',
      },
      tries: 5,
    },
    {
      name: '429 with a time beyond the deadline',
      steps: [{ status: 429, headers: { 'retry-after': '3600' } }],
      want: {
        code: 'FETCH_RATE_LIMITED',
        message:
          'cannot get the thing from example.org: it answered 429; it takes no more requests until 2026-01-02 04:04:05 UTC',
      },
      tries: 1,
    },
    {
      name: '429 with credentials',
      steps: [{ status: 429, headers: { 'retry-after': '3600' } }],
      request: { authorization },
      want: {
        code: 'FETCH_RATE_LIMITED',
        message:
          'cannot get the thing from example.org: it answered 429; it takes no more requests until 2026-01-02 04:04:05 UTC',
        hint: 'Wait, and run again: the limit is that of the credentials that were sent, and others who use them count.',
      },
      tries: 1,
    },
    {
      name: '429 until never',
      steps: [{ status: 429, headers: { 'retry-after': '9'.repeat(400) } }],
      want: {
        code: 'FETCH_RATE_LIMITED',
        message:
          'cannot get the thing from example.org: it answered 429; it takes no more requests until the end of time',
      },
      tries: 1,
    },
    {
      name: "GitHub's limit",
      steps: [
        {
          status: 403,
          headers: {
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': String(SCRIPT_START / 1000 + 1800),
          },
          body: { message: 'API rate limit exceeded for 192.0.2.1.' },
        },
      ],
      want: {
        code: 'FETCH_RATE_LIMITED',
        message:
          'cannot get the thing from example.org: it answered 403, "API rate limit exceeded for 192.0.2.1."; it takes no more requests until 2026-01-02 03:34:05 UTC',
      },
      tries: 1,
    },
    {
      name: "GitHub's secondary limit, which no header tells",
      steps: [
        {
          status: 403,
          headers: { 'x-ratelimit-remaining': '4000' },
          body: {
            message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
          },
        },
      ],
      want: {
        code: 'FETCH_RATE_LIMITED',
        message:
          'cannot get the thing from example.org: it answered 403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."; it takes no more requests until 2026-01-02 03:09:08 UTC (tried 5 times)',
      },
      tries: 5,
    },
    ...[
      { message: ['Another open merge request already exists'] },
      { message: { base: ['Another open merge request already exists'] }, want: 'base ' },
    ].map(({ want = '', ...body }) => ({
      name: `what GitLab says by ${want === '' ? 'a list' : 'lists of fields'}`,
      steps: [{ status: 409, body }],
      request: { method: 'POST' as const, body: new Uint8Array(3) },
      want: {
        code: 'FETCH_REFUSED',
        message: `cannot send the thing to example.org: it answered 409, "${want}Another open merge request already exists"`,
      },
      tries: 1,
    })),
    {
      name: 'wrong content',
      steps: [{ body: 'abd' }],
      request: { digest: abc },
      want: {
        code: 'FETCH_DIGEST_MISMATCH',
        message: `cannot get the thing from example.org: what it sends has the digest sha256:a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9, not ${abc} (tried 2 times)`,
      },
      tries: 2,
    },
    {
      name: 'wrong size',
      steps: [{ body: 'abcd' }],
      request: { digest: abc, size: 3 },
      want: {
        code: 'FETCH_DIGEST_MISMATCH',
        message: 'cannot get the thing from example.org: what it sends has 4 bytes, not 3 (tried 2 times)',
      },
      tries: 2,
    },
    {
      name: 'a digest of another kind',
      request: { digest: 'md5:900150983cd24fb0d6963f7d28e17f72' },
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: it is to have a digest that is neither sha256 nor sha512',
      },
      tries: 0,
    },
    {
      name: 'an encoding that nobody asked for',
      steps: [{ headers: { 'content-encoding': 'gzip' }, body: 'abc' }],
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: it answers in the encoding gzip, which nobody asked for',
      },
      tries: 1,
    },
    {
      name: 'plain http',
      request: { url: 'http://localhost:5000/a' },
      want: {
        code: 'FETCH_PLAIN_HTTP',
        message: 'cannot get the thing from localhost:5000: the address uses http without TLS',
      },
      tries: 0,
    },
    {
      name: 'plain http of what is no source',
      request: { url: 'http://localhost:5000/a' },
      options: { settings: { field: 'spec.publish.forge of stackmason.yaml' } },
      want: {
        code: 'FETCH_PLAIN_HTTP',
        message: 'cannot get the thing from localhost:5000: the address uses http without TLS',
        hint: 'Use https, or set `plainHttp: true` in spec.publish.forge of stackmason.yaml if the server offers nothing else.',
      },
      tries: 0,
    },
    {
      name: 'a certificate of what is no source',
      steps: [new HttpError('tls', 'the certificate of example.org is not trusted: self-signed certificate')],
      options: { settings: { field: 'spec.publish.oci of stackmason.yaml' } },
      want: {
        code: 'FETCH_TLS',
        message:
          'cannot get the thing from example.org: the certificate of example.org is not trusted: self-signed certificate',
        hint: 'Set the certificate authority in `caFile` of spec.publish.oci of stackmason.yaml, and check the host name.',
      },
      tries: 1,
    },
    {
      name: 'a certificate of what an option names',
      steps: [new HttpError('tls', 'the certificate of example.org is not trusted: self-signed certificate')],
      options: { settings: 'options' },
      want: {
        code: 'FETCH_TLS',
        message:
          'cannot get the thing from example.org: the certificate of example.org is not trusted: self-signed certificate',
        hint: 'Name the certificate authority with `--ca-file`, and check the host name.',
      },
      tries: 1,
    },
    {
      name: 'a certificate of what an option names, with an authority',
      steps: [new HttpError('tls', 'the certificate of example.org is not trusted: self-signed certificate')],
      options: { settings: 'options', certificateAuthorities: 'PEM' },
      want: {
        code: 'FETCH_TLS',
        message:
          'cannot get the thing from example.org: the certificate of example.org is not trusted: self-signed certificate',
        hint: 'Check that `--ca-file` holds the authority that signed the certificate, and that the certificate is for this host name.',
      },
      tries: 1,
    },
    ...(
      [
        {
          of: 'a source',
          settings: undefined,
          does: 'set `plainHttp: true` on the source (and write http:// in its url, if it has one)',
        },
        { of: 'options', settings: 'options', does: 'add `--plain-http`' },
        {
          of: 'a field',
          settings: { field: 'spec.x of y' },
          does: 'set `plainHttp: true` in spec.x of y (and write http:// in its url, if it has one)',
        },
      ] as const
    ).map(({ of, settings, does }) => ({
      name: `no TLS, of ${of}`,
      steps: [new HttpError('no-tls', 'no TLS with example.org: wrong version number')],
      options: { settings },
      want: {
        code: 'FETCH_TLS',
        message: 'cannot get the thing from example.org: no TLS with example.org: wrong version number',
        hint: `If the server offers no TLS, ${does}; otherwise check the port.`,
      },
      tries: 1,
    })),
    {
      name: 'a redirect to plain http, even where plain http is allowed',
      steps: [{ status: 301, headers: { location: 'http://example.org/b' } }],
      options: { plainHttp: true },
      want: {
        code: 'FETCH_PLAIN_HTTP',
        message: 'cannot get the thing from example.org: it redirects to example.org by http without TLS',
        hint: 'Correct the address, or let the server redirect to https: nothing allows a redirect from https to http.',
      },
      tries: 1,
    },
    {
      name: 'a redirect to a file',
      steps: [{ status: 301, headers: { location: 'file:///etc/passwd' } }],
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: it redirects to what is not an address of a web server',
      },
      tries: 1,
    },
    ...[300, 304, 305, 306, 310, 399].map((status) => ({
      name: `status ${String(status)}, with content that is not the one of the digest`,
      steps: [{ status, body: 'other' }],
      request: { digest: abc },
      want: {
        code: 'FETCH_INVALID',
        message: `cannot get the thing from example.org: it answers with status ${String(status)}, which is no redirect to follow`,
      },
      tries: 1,
    })),
    {
      name: 'a redirect to nowhere',
      steps: [{ status: 301 }],
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: it redirects without saying where to',
      },
      tries: 1,
    },
    {
      name: 'redirects without end',
      steps: [{ status: 302, headers: { location: '/again' } }],
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing from example.org: it redirects more than 10 times',
      },
      tries: 11,
    },
    {
      name: 'offline',
      options: { offline: true },
      want: {
        code: 'FETCH_OFFLINE',
        message: 'cannot get the thing from example.org: the network may not be used (--offline)',
      },
      tries: 0,
    },
    {
      name: 'another scheme',
      request: { url: 'ftp://user:hunter2@example.org/a?b' },
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing: "ftp://example.org/a" is not an address of a web server',
      },
      tries: 0,
    },
    {
      name: 'no address',
      request: { url: 'charts/a.tgz' },
      want: {
        code: 'FETCH_INVALID',
        message: 'cannot get the thing: "charts/a.tgz" is not an address of a web server',
      },
      tries: 0,
    },
  ]

  test.each(cases)('$name', async ({ steps = [], request: more, options, want, tries }) => {
    const script = webScript(steps)
    const [diagnostic] = await diagnosticsOf(sendWith(script, more, options))
    expect(diagnostic).toEqual({ severity: 'error', ...want })
    expect(script.sent).toHaveLength(tries)
  })

  test('names the place in the fleet', async () => {
    const at = { source: { name: 'stackmason.yaml', text: 'x' }, start: 0, end: 1 }
    const [diagnostic] = await diagnosticsOf(sendWith(webScript([{ status: 404 }]), {}, { at }))
    expect(diagnostic?.at).toBe(at)
  })
})

describe('what a server says', () => {
  const json = { 'content-type': 'application/json; charset=utf-8' }
  const plain = { 'content-type': 'text/plain' }

  interface Case {
    readonly name: string
    readonly step: Exclude<WebStep, Error>
    readonly request?: Partial<TransportRequest>
    readonly want: string
  }

  const basic = new Secret(`Basic ${Buffer.from('robot$ci:pa55-word-hunter2').toString('base64')}`)
  const form = new Map([['content-type', 'application/x-www-form-urlencoded']])

  const cases: readonly Case[] = [
    {
      name: 'OAuth',
      step: { body: { error: 'invalid_grant', error_description: 'token expired' } },
      want: ', "token expired"',
    },
    { name: 'OAuth, short', step: { body: { error: 'invalid_grant' } }, want: ', "invalid_grant"' },
    {
      name: 'RFC 9457',
      step: { headers: { 'content-type': 'application/problem+json' }, body: '{"title":"no"}' },
      want: ', "no"',
    },
    { name: 'text without a type', step: { body: 'go away' }, want: ', "go away"' },
    { name: 'JSON that is none', step: { headers: json, body: '{"message":' }, want: '' },
    { name: 'JSON of another shape', step: { body: { message: { text: 'x' } } }, want: '' },
    { name: 'a list', step: { headers: json, body: '["x"]' }, want: '' },
    { name: 'a page', step: { headers: { 'content-type': 'text/html' }, body: 'go away' }, want: '' },
    { name: 'a page that says it is text', step: { headers: plain, body: '<html>go away' }, want: '' },
    {
      name: 'control and direction characters',
      step: { headers: plain, body: 'a\u001b[31mb\u202ec\u0000d\u2028e' },
      want: ', "a [31mb c d e"',
    },
    { name: 'quotes', step: { headers: plain, body: 'say "no"' }, want: `, "say 'no'"` },
    {
      name: 'bytes that are not text',
      step: { headers: plain, body: new Uint8Array([97, 255, 98]) },
      want: ', "a\ufffdb"',
    },
    { name: 'much text', step: { headers: plain, body: 'x'.repeat(5000) }, want: `, "${'x'.repeat(200)}…"` },
    {
      name: 'the token',
      step: { headers: plain, body: 'no such token: tok-hunter2-tok' },
      request: { authorization },
      want: '',
    },
    {
      name: 'part of the token',
      step: { headers: plain, body: 'no such token: k-hunter2...' },
      request: { authorization },
      want: '',
    },
    {
      name: 'the token, with JSON escapes',
      step: { headers: json, body: '{"message":"no tok\\u002dhunter2-tok"}' },
      request: { authorization },
      want: '',
    },
    {
      name: 'the password',
      step: { headers: plain, body: 'bad password pa55-word-hunter2' },
      request: { authorization: basic },
      want: '',
    },
    {
      name: 'user and password as sent',
      step: { headers: plain, body: `bad ${Buffer.from('robot$ci:pa55-word-hunter2').toString('base64')}` },
      request: { authorization: basic },
      want: '',
    },
    {
      name: 'a signature of the address',
      step: { headers: plain, body: 'bad signature abcdefgh-hunter2' },
      request: { url: 'https://example.org/a?X-Amz-Signature=abcdefgh-hunter2' },
      want: '',
    },
    {
      name: 'the scope of the address',
      step: { headers: plain, body: 'no repository:a/b:pull' },
      request: { url: 'https://example.org/a?scope=repository:a/b:pull' },
      want: ', "no repository:a/b:pull"',
    },
    {
      name: 'a token of a form',
      step: { headers: plain, body: 'bad refresh_token abcdefgh-hunter2' },
      request: {
        method: 'POST',
        headers: form,
        body: new TextEncoder().encode('grant_type=refresh_token&refresh_token=abcdefgh-hunter2'),
      },
      want: '',
    },
    {
      name: 'the kind of a form',
      step: { headers: plain, body: 'bad refresh_token' },
      request: {
        method: 'POST',
        headers: form,
        body: new TextEncoder().encode('grant_type=refresh_token&refresh_token=abcdefgh-hunter2'),
      },
      want: ', "bad refresh_token"',
    },
  ]

  test.each(cases)('$name', async ({ step, request: more, want }) => {
    const refused = sendWith(webScript([{ status: 400, ...step }]), more)
    const verb = more?.method === 'POST' ? 'send the thing to' : 'get the thing from'
    expect((await diagnosticsOf(refused))[0]?.message).toBe(`cannot ${verb} example.org: it answered 400${want}`)
  })
})

describe('pauses', () => {
  interface Case {
    readonly name: string
    readonly steps: readonly WebStep[]
    readonly random?: number
    readonly options?: Partial<TransportOptions>
    readonly want: readonly number[]
  }

  const date = imfDate(SCRIPT_START)
  const busy = (headers: Readonly<Record<string, string>>, status = 503): WebStep => ({ status, headers })

  const cases: readonly Case[] = [
    { name: 'grow', steps: [reset, reset, reset, reset, {}], want: [250, 500, 1000, 2000] },
    { name: 'are drawn from zero on', steps: [reset, reset, reset, {}], random: 0, want: [0, 0, 0] },
    { name: 'are drawn below a ceiling', steps: [reset, reset, reset, {}], random: 255, want: [498, 996, 1992] },
    {
      name: 'have a highest ceiling',
      steps: [...Array.from({ length: 7 }, () => reset), {}],
      options: { attempts: 8 },
      want: [250, 500, 1000, 2000, 4000, 4000, 4000],
    },
    { name: 'follow Retry-After in seconds', steps: [busy({ 'retry-after': '7' }), {}], want: [7250] },
    { name: 'follow Retry-After: 0', steps: [busy({ 'retry-after': '0' }), {}], want: [250] },
    {
      name: 'follow Retry-After as a date',
      steps: [busy({ 'retry-after': imfDate(SCRIPT_START + 20_000) }), {}],
      want: [20_250],
    },
    {
      name: "go by the server's clock",
      steps: [busy({ date: imfDate(SCRIPT_START - 3_600_000), 'retry-after': imfDate(SCRIPT_START - 3_590_000) }), {}],
      want: [10_250],
    },
    { name: 'follow a date that is past', steps: [busy({ date, 'retry-after': imfDate(0) }), {}], want: [250] },
    {
      name: 'follow no nonsense',
      steps: [busy({ 'retry-after': 'soon' }), busy({ 'retry-after': '-1' }), {}],
      want: [250, 500],
    },
    {
      name: 'follow GitHub',
      steps: [
        busy({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(SCRIPT_START / 1000 + 60) }, 403),
        busy({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(SCRIPT_START / 1000 + 90) }, 429),
        {},
      ],
      want: [60_250, 30_000 - 250 + 500],
    },
    {
      name: "follow GitHub's second limit",
      steps: [busy({ 'x-ratelimit-remaining': '4000', 'retry-after': '60' }, 403), {}],
      want: [60_250],
    },
    { name: 'one chance for wrong content', steps: [{ body: 'abd' }, { body: 'abc' }], want: [250] },
  ]

  test.each(cases)('$name', async ({ steps, random, options, want }) => {
    const script = webScript(steps, random)
    const isContent = steps.some((step) => 'body' in step)
    await sendWith(script, isContent ? { digest: abc } : {}, options)
    expect(script.sleeps).toEqual(want)
  })

  test('wrong content is asked for past caches', async () => {
    const script = webScript([{ body: 'abd' }, { body: 'abc' }])
    await sendWith(script, { digest: abc })
    expect(script.sent.map(({ headers }) => headers.get('cache-control'))).toEqual([undefined, 'no-cache'])
  })

  test('wrong content has its chance after other failures too', async () => {
    const script = webScript([reset, { body: 'abd' }, reset, { body: 'abc' }])
    expect(await sendWith(script, { digest: abc })).toMatchObject({ status: 200 })
  })
})

describe('the deadline', () => {
  test('bounds each exchange by what is left', async () => {
    const script = webScript([{ status: 503, takes: 4000 }, { takes: 10 }])
    await sendWith(script, {}, { deadline: 10_000 })
    expect(script.sent.map(({ timeout, idleTimeout }) => [timeout, idleTimeout])).toEqual([
      [10_000, 60_000],
      [5_750, 60_000],
    ])
  })

  test('ends before a pause that is longer than what is left', async () => {
    const script = webScript([{ status: 503, takes: 4000 }])
    const [diagnostic] = await diagnosticsOf(sendWith(script, {}, { deadline: 8_600 }))
    expect(diagnostic?.message).toBe('cannot get the thing from example.org: it answered 503 (tried 2 times)')
    expect(script.sleeps).toEqual([250])
  })
})

describe('methods', () => {
  const lost = new HttpError('truncated', 'lost')
  const refused = new HttpError('refused', 'refused')

  test.each([
    { method: 'GET', step: lost, tries: 5 },
    { method: 'HEAD', step: lost, tries: 5 },
    { method: 'PUT', step: lost, tries: 5 },
    { method: 'DELETE', step: { status: 502 }, tries: 5 },
    { method: 'POST', step: lost, tries: 1 },
    { method: 'POST', step: { status: 502 }, tries: 1 },
    { method: 'PATCH', step: lost, tries: 1 },
    { method: 'POST', step: lost, repeatable: true, tries: 5 },
    // nothing was done
    { method: 'POST', step: refused, tries: 5 },
    { method: 'POST', step: { status: 429 }, tries: 5 },
  ] as const)('$method is tried $tries times', async ({ method, step, tries, ...more }) => {
    const script = webScript([step])
    await diagnosticsOf(sendWith(script, { method, ...more }))
    expect(script.sent).toHaveLength(tries)
  })
})

describe('answers', () => {
  test('what the caller accepts comes back at once', async () => {
    for (const status of [302, 401, 404, 429, 503]) {
      const script = webScript([{ status, headers: { location: '/b' } }])
      expect(await sendWith(script, { accept: [302, 401, 404, 429, 503] })).toMatchObject({ status })
      expect(script.sent).toHaveLength(1)
    }
  })

  test('304 is an answer to who asks for it', async () => {
    const script = webScript([{ status: 304 }])
    expect(await sendWith(script, { digest: abc, accept: [304] })).toMatchObject({ status: 304 })
  })

  test('digest and size that are right', async () => {
    const sha512 =
      'sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'
    for (const digest of [abc, sha512]) {
      expect(await sendWith(webScript([{ body: 'abc' }]), { digest, size: 3 })).toMatchObject({ status: 200 })
    }
  })

  test('HEAD has no content to check', async () => {
    const answer = await sendWith(webScript([{}]), { method: 'HEAD', digest: abc, size: 3 })
    expect(answer).toMatchObject({ status: 200 })
  })

  test('a label of an encoding is no harm where the digest is right, or the file is packed', async () => {
    const step = { headers: { 'content-encoding': 'gzip' }, body: 'abc' }
    expect(await sendWith(webScript([step]), { digest: abc })).toMatchObject({ status: 200 })
    expect(await sendWith(webScript([step]), { url: 'https://example.org/a-1.0.tgz?x' })).toMatchObject({ status: 200 })
  })
})

describe('what is sent', () => {
  test('method, address, headers, body, trust', async () => {
    const script = webScript([{}])
    await sendWith(
      script,
      {
        method: 'PUT',
        url: 'https://user:hunter2@example.org:444/a?b=c#d',
        headers: new Map([['accept', 'text/plain']]),
        body: new Uint8Array([1]),
        authorization,
      },
      { certificateAuthorities: 'PEM' },
    )
    expect(script.sent).toEqual([
      {
        method: 'PUT',
        url: 'https://example.org:444/a?b=c',
        headers: new Map([
          ['user-agent', 'stackmason'],
          ['accept', 'text/plain'],
          ['authorization', 'Bearer tok-hunter2-tok'],
        ]),
        body: new Uint8Array([1]),
        maxBytes: 1_048_576,
        timeout: 300_000,
        idleTimeout: 60_000,
        certificateAuthorities: 'PEM',
      },
    ])
  })

  test('plain http where it is allowed', async () => {
    const script = webScript([{}])
    await sendWith(script, { url: 'http://example.org/a' }, { plainHttp: true })
    expect(script.sent.map(({ url }) => url)).toEqual(['http://example.org/a'])
  })
})

describe('redirects', () => {
  interface Case {
    readonly name: string
    readonly locations: readonly string[]
    readonly plainHttp?: boolean
    readonly from?: string
    /** Addresses, and whether credentials went there. */
    readonly want: readonly (readonly [string, boolean])[]
  }

  const cases: readonly Case[] = [
    {
      name: 'within the origin',
      locations: ['/b', 'c?d#e', 'https://example.org:443/f'],
      want: [
        ['https://example.org/a', true],
        ['https://example.org/b', true],
        ['https://example.org/c?d', true],
        ['https://example.org/f', true],
      ],
    },
    {
      name: 'to another host, and back',
      locations: ['https://cdn.example/b', 'https://example.org/c'],
      want: [
        ['https://example.org/a', true],
        ['https://cdn.example/b', false],
        ['https://example.org/c', false],
      ],
    },
    {
      name: 'to a host below',
      locations: ['//cdn.example.org/b'],
      want: [
        ['https://example.org/a', true],
        ['https://cdn.example.org/b', false],
      ],
    },
    {
      name: 'to another port',
      locations: ['https://example.org:8443/b'],
      want: [
        ['https://example.org/a', true],
        ['https://example.org:8443/b', false],
      ],
    },
    {
      name: 'from http to https',
      from: 'http://example.org/a',
      plainHttp: true,
      locations: ['https://example.org/b'],
      want: [
        ['http://example.org/a', true],
        ['https://example.org/b', false],
      ],
    },
    {
      name: 'with user and password in the address',
      locations: ['https://user:hunter2@cdn.example/b'],
      want: [
        ['https://example.org/a', true],
        ['https://cdn.example/b', false],
      ],
    },
  ]

  test.each(cases)('$name', async ({ locations, plainHttp = false, from, want }) => {
    const script = webScript([...locations.map((location) => ({ status: 302, headers: { location } })), {}])
    const headers = new Map([
      ['accept', '*/*'],
      ['cookie', 'hunter2'],
    ])
    await sendWith(script, { authorization, headers, ...(from !== undefined && { url: from }) }, { plainHttp })
    expect(script.sent.map((sent) => [sent.url, sent.headers.has('authorization')])).toEqual(want)
    expect(script.sent.map((sent) => sent.headers.has('cookie'))).toEqual(want.map(([, isSent]) => isSent))
    expect(script.sent.every((sent) => sent.headers.get('accept') === '*/*')).toBe(true)
  })

  test('each try starts with the first address and its credentials', async () => {
    const away = { status: 307, headers: { location: 'https://cdn.example/b' } }
    const script = webScript([away, reset, away, {}])
    await sendWith(script, { authorization })
    expect(script.sent.map(({ url, headers }) => [url, headers.has('authorization')])).toEqual([
      ['https://example.org/a', true],
      ['https://cdn.example/b', false],
      ['https://example.org/a', true],
      ['https://cdn.example/b', false],
    ])
  })

  test.each([
    { status: 301, method: 'GET', want: 'GET', body: true },
    { status: 301, method: 'POST', want: 'GET', body: false },
    { status: 302, method: 'POST', want: 'GET', body: false },
    { status: 302, method: 'PUT', want: 'PUT', body: true },
    { status: 303, method: 'PUT', want: 'GET', body: false },
    { status: 303, method: 'HEAD', want: 'HEAD', body: true },
    { status: 307, method: 'POST', want: 'POST', body: true },
    { status: 308, method: 'PATCH', want: 'PATCH', body: true },
  ] as const)('$method after $status becomes $want', async ({ status, method, want, body }) => {
    const script = webScript([{ status, headers: { location: '/b' } }, {}])
    const headers = new Map([['content-type', 'text/plain']])
    await sendWith(script, { method, headers, body: new Uint8Array(2) })
    const [, second] = script.sent
    expect([second?.method, second?.body?.length, second?.headers.get('content-type')]).toEqual(
      body ? [want, 2, 'text/plain'] : [want, undefined, undefined],
    )
  })
})

describe('secrets', () => {
  const secret = 'tok-hunter2-tok'
  const steps: readonly WebStep[] = [
    reset,
    { status: 401, body: { message: `bad token ${secret}` } },
    { status: 403, headers: { 'content-type': 'text/plain' }, body: secret },
    { status: 404, body: secret },
    { status: 429, headers: { 'retry-after': secret } },
    { status: 500, headers: { location: secret, 'content-type': 'text/plain' }, body: `x ${secret}` },
    { status: 302, headers: { location: `https://other.example/?token=${secret}` } },
    { status: 302, headers: { location: `ftp://me:${secret}@other.example/` } },
    { body: secret },
    { headers: { 'content-encoding': 'gzip' }, body: secret },
  ]

  test.each(steps.map((step, index) => ({ step, index })))('are in no error ($index)', async ({ step }) => {
    const options = { attempts: 1 }
    const url = `https://me:${secret}@example.org/a?token=${secret}`
    const error: unknown = await sendWith(webScript([step]), { authorization, url, digest: abc }, options).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(StackmasonError)
    const diagnostics = error instanceof StackmasonError ? error.diagnostics : []
    const shown = [
      JSON.stringify(error),
      JSON.stringify(diagnostics),
      String(error),
      inspect(error, { depth: 20, showHidden: true }),
    ]
    expect(shown.filter((text) => text.includes('hunter2'))).toEqual([])
  })
})

test('defects are passed on', async () => {
  const script = webScript([])
  await expect(sendWith(script)).rejects.toThrow('the script has no steps')
})
