import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { GitSourceConfig } from '../../model/fleet.ts'
import type { GitError } from '../../model/git.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'

/** OpenSSL and GnuTLS of what answers in another protocol. */
const NO_TLS = /wrong version number|packet length too long|unexpected TLS packet/

/** The problem and its hint, by the reason why git failed. */
export function gitProblem(error: GitError, config: GitSourceConfig): StackmasonError {
  const url = shownUrl(config.url)
  return new StackmasonError(
    { severity: 'error', at: config.at, ...problemOf(error, { url, config }) },
    { cause: error },
  )
}

interface Subject {
  readonly url: string
  readonly config: GitSourceConfig
}

function problemOf(error: GitError, { url, config }: Subject): Pick<Diagnostic, 'code' | 'message' | 'hint'> {
  const { message } = error
  switch (error.reason) {
    case 'not-installed':
      return { code: 'GIT_FAILED', message: `source "${config.name}" needs git: ${message}`, hint: 'Install git.' }
    case 'not-permitted':
      return { code: 'FETCH_UNAUTHORIZED', message: `${url} refuses access: ${message}`, hint: accessHint(config) }
    case 'not-found':
      return {
        code: 'GIT_FAILED',
        message: `there is no git repository at ${url}: ${message}`,
        hint: 'Check the url; servers also say this to those who may not read.',
      }
    case 'no-such-ref':
      return {
        code: 'GIT_FAILED',
        message: `${url} does not have what was asked for: ${message}`,
        hint: 'If its history was rewritten, look at what changed and run `stackmason update`.',
      }
    case 'timeout':
      return { code: 'FETCH_TIMEOUT', message: `${url} did not answer in time: ${message}` }
    case 'unreachable':
      return { code: 'FETCH_FAILED', message: `${url} cannot be reached: ${message}` }
    case 'tls':
      return {
        code: 'FETCH_TLS',
        message: `${url} cannot be trusted: ${message}`,
        hint: NO_TLS.test(message)
          ? 'If the server offers no TLS, write http:// in the url and set `plainHttp: true` on the source; otherwise check the port.'
          : 'Name the certificate of its authority under caFile of the source.',
      }
    case 'too-large':
      return { code: 'FETCH_TOO_LARGE', message: `${url} sends too much: ${message}` }
    case 'not-kept':
      return { code: 'CACHE_FAILED', message: `${url} was fetched, but ${message}` }
    case 'ambiguous':
    case 'damaged':
    case 'embedded':
    case 'no-branch':
    case 'program':
    case 'other':
      return {
        code: 'GIT_FAILED',
        message: `git failed at ${url}: ${message}`,
        hint: /error: 30\d/.test(message)
          ? 'Credentials follow no redirect: write the url that the server redirects to (many want .git at the end).'
          : undefined,
      }
  }
}

function accessHint({ credentials, url }: GitSourceConfig): string {
  if (!/^https?:/i.test(url)) return 'Check that ssh, with its agent and known_hosts, gets there without asking.'
  if (credentials === undefined) {
    return 'Name variables under credentialsFrom of the source, or set up a credential helper of git for the server.'
  }
  const names = [credentials.token, credentials.username, credentials.password].filter((name) => name !== undefined)
  return `Check what ${names.join(' and ')} ${names.length === 1 ? 'holds' : 'hold'}, and how far it reaches.`
}
