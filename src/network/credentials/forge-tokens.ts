import type { Credentials } from '../../model/credentials.ts'
import type { ForgeKind } from '../../model/forge.ts'
import type { Environment } from '../../model/ports.ts'
import { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { credentialsProblem } from './credentials-problem.ts'

/** A variable with a token, and the host that it is for. */
export interface TokenVariable {
  readonly token: string
  /** Variables with the address of its forge: the first that is set counts. */
  readonly of: readonly string[]
  /** Its host where none of them is set. */
  readonly else?: string
  /** The user whose password it is for git. */
  readonly user: string
}

const USER = 'x-access-token'

/** Variables with tokens, by the kind of forge, first match wins. */
export const tokenVariables: Readonly<Record<ForgeKind, readonly TokenVariable[]>> = {
  github: [
    { token: 'GITHUB_TOKEN', of: ['GITHUB_SERVER_URL'], else: 'github.com', user: USER },
    { token: 'GH_TOKEN', of: [], else: 'github.com', user: USER },
    { token: 'GH_ENTERPRISE_TOKEN', of: ['GH_HOST'], user: USER },
  ],
  gitea: [
    { token: 'FORGEJO_TOKEN', of: ['FORGEJO_SERVER_URL', 'GITHUB_SERVER_URL'], user: USER },
    { token: 'GITEA_TOKEN', of: ['GITEA_SERVER_URL', 'GITHUB_SERVER_URL'], user: USER },
    { token: 'GITHUB_TOKEN', of: ['GITHUB_SERVER_URL'], user: USER },
  ],
  gitlab: [
    { token: 'GITLAB_TOKEN', of: ['CI_SERVER_URL', 'GITLAB_HOST'], else: 'gitlab.com', user: 'oauth2' },
    { token: 'CI_JOB_TOKEN', of: ['CI_SERVER_URL'], user: 'gitlab-ci-token' },
  ],
}

/** A forge that is shown a token. */
export interface TokenRequest {
  /** Undefined: nobody knows; then any kind's tokens count that are for the host. */
  readonly kind: ForgeKind | undefined
  /** `host[:port]`. */
  readonly host: string
  /** Where the fleet names the forge. */
  readonly at?: Span
}

/**
 * The token of CI, or of a forge's own programs, for the host alone that its other variable names: whoever changes the
 * address in the fleet gets no token. As git takes it, which makes it the password of a user.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export function findForgeToken(
  { kind, host, at }: TokenRequest,
  environment: Environment,
): (Credentials & { readonly type: 'basic'; readonly variable: string }) | undefined {
  const entries = kind === undefined ? Object.values(tokenVariables).flat() : tokenVariables[kind]
  const found = entries.find((entry) => isFor(entry, host, environment))
  if (found === undefined) return undefined
  const { token: name, user } = found
  const token = read(name, environment)
  if (/^[\x21-\x7e]+$/.test(token))
    return { type: 'basic', username: user, password: new Secret(token), variable: name }
  throw credentialsProblem({
    message: `the variable ${name} holds what no server takes as a token`,
    hint: `Set ${name} to the token alone.`,
    at,
  })
}

/** The variables in which a token for a host may be, in words: for those who have set none. */
export function wordsOfVariables(kind: ForgeKind, host: string): string {
  return tokenVariables[kind]
    .map(({ token, of: [address], else: known }) =>
      address === undefined || known === host ? token : `${token} with ${address}`,
    )
    .join(' or ')
}

function isFor({ token, of, else: known }: TokenVariable, host: string, environment: Environment): boolean {
  if (read(token, environment) === '') return false
  const named = of.map((name) => read(name, environment)).find((address) => address !== '')
  return named === undefined ? known === host : hostOf(named) === host
}

/** Of an address, or of a host alone. */
function hostOf(address: string): string {
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
  return URL.canParse(url) ? new URL(url).host : ''
}

function read(name: string, environment: Environment): string {
  return environment.get(name)?.trim() ?? ''
}
