import type { ForgeConfig } from '../../model/forge.ts'
import type { Environment, Ports } from '../../model/ports.ts'
import { Secret } from '../../model/secret.ts'
import { authorizationOf } from './authorization.ts'
import { credentialsProblem } from './credentials-problem.ts'
import { lazyAuthorization } from './lazy-authorization.ts'

/** A variable with a token, and the host that it is for. */
export interface TokenVariable {
  readonly token: string
  /** Variables with the address of its forge: the first that is set counts. */
  readonly of: readonly string[]
  /** Its host where none of them is set. */
  readonly else?: string
}

/** Variables with tokens, by the kind of forge, first match wins. */
export const tokenVariables: Readonly<Record<ForgeConfig['kind'], readonly TokenVariable[]>> = {
  github: [
    { token: 'GITHUB_TOKEN', of: ['GITHUB_SERVER_URL'], else: 'github.com' },
    { token: 'GH_TOKEN', of: [], else: 'github.com' },
    { token: 'GH_ENTERPRISE_TOKEN', of: ['GH_HOST'] },
  ],
  gitea: [
    { token: 'FORGEJO_TOKEN', of: ['FORGEJO_SERVER_URL', 'GITHUB_SERVER_URL'] },
    { token: 'GITEA_TOKEN', of: ['GITEA_SERVER_URL', 'GITHUB_SERVER_URL'] },
    { token: 'GITHUB_TOKEN', of: ['GITHUB_SERVER_URL'] },
  ],
  gitlab: [
    { token: 'GITLAB_TOKEN', of: ['CI_SERVER_URL', 'GITLAB_HOST'], else: 'gitlab.com' },
    { token: 'CI_JOB_TOKEN', of: ['CI_SERVER_URL'] },
  ],
}

/**
 * Looks up, at the first call, what a forge is shown: the variables that the fleet names and no others; else the tokens
 * of CI and of the forge's own programs, each for the host alone that its other variable names: whoever changes the
 * address in the fleet gets no token.
 * @returns a function that gives the header's value, and throws StackmasonError FETCH_CREDENTIALS
 */
export function forgeAuthorization(
  { kind, url, credentials, at }: ForgeConfig,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): () => Promise<Secret | undefined> {
  const { host } = new URL(url)
  if (credentials !== undefined) {
    return lazyAuthorization({ host, kind: 'git', variables: credentials, ...(at !== undefined && { at }) }, ports)
  }
  return () => {
    const name = tokenVariables[kind].find((entry) => isFor(entry, host, ports.environment))?.token
    const token = name === undefined ? '' : read(name, ports.environment)
    if (name === undefined) return Promise.resolve(undefined)
    if (/^[\x21-\x7e]+$/.test(token)) {
      return Promise.resolve(authorizationOf({ type: 'bearer', token: new Secret(token) }))
    }
    throw credentialsProblem({
      message: `the variable ${name} holds what no server takes as a token`,
      hint: `Set ${name} to the token alone.`,
      at,
    })
  }
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
