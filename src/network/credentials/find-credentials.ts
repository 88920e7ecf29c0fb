import type { Credentials, CredentialVariables } from '../../model/credentials.ts'
import type { Environment, Ports } from '../../model/ports.ts'
import { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { comparedHost, type Reached } from '../transport/compared-address.ts'
import { credentialsProblem } from './credentials-problem.ts'
import { readOperatorVariables } from './operator-variables.ts'
import { type Receiver, requireAllowed } from './require-allowed.ts'
import { readStoredCredentials } from './stored-credentials.ts'

/** For which server, and who asks. */
export interface CredentialRequest {
  /** `host[:port]`. */
  readonly host: string
  /** How a registry is reached, which decides its default port; by https without. */
  readonly reached?: Reached
  readonly kind: 'registry' | 'github' | 'git' | 'http' | 'helm'
  /** The variables that the fleet names. */
  readonly variables?: CredentialVariables | undefined
  /** In a registry, the path of the repository: files of credentials may have entries for parts of a registry. */
  readonly repository?: string
  /** Where the fleet names the server. */
  readonly at?: Span | undefined
}

/**
 * Looks up what a server is to be shown, undefined when there is nothing: the variables that the fleet names and no
 * others; else the variables of the cluster stack operator and of GitHub's programs where they are for this host; else,
 * for a registry, what the Docker client or Podman stored.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export async function findCredentials(
  request: CredentialRequest,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): Promise<Credentials | undefined> {
  const { kind, variables, at, repository, reached = 'https' } = request
  const host = comparedHost(request.host, reached)
  if (variables !== undefined)
    return readNamedVariables(variables, { host: request.host, reached, environment: ports.environment, at })
  if (kind !== 'registry' && kind !== 'github') return undefined
  const fromOperator = readOperatorVariables({ host, reached, kind, at }, ports.environment)
  if (fromOperator !== undefined || kind === 'github') return fromOperator
  const names = { host, written: request.host.toLowerCase(), reached, repository: repository ?? '' }
  return readStoredCredentials({ ...names, at }, ports)
}

interface Reading extends Receiver {
  readonly environment: Environment
}

function readNamedVariables({ token, username, password }: CredentialVariables, reading: Reading): Credentials {
  if (token !== undefined) return { type: 'bearer', token: new Secret(readVariable(token, reading)) }
  return {
    type: 'basic',
    username: username === undefined ? '' : readVariable(username, reading),
    password: new Secret(password === undefined ? '' : readVariable(password, reading)),
  }
}

/** Reads a variable; white space around the value, such as a line end from a file, is dropped. */
function readVariable(name: string, { environment, at, ...server }: Reading): string {
  const value = environment.get(name)?.trim() ?? ''
  if (value === '') {
    throw credentialsProblem({
      message: `the variable ${name}, which the fleet names for credentials, is ${environment.get(name) === undefined ? 'not set' : 'empty'}`,
      hint: `Set ${name}, or take it out of \`credentialsFrom\` when the server needs no credentials.`,
      at,
    })
  }
  if (/\p{Cc}/u.test(value)) {
    throw credentialsProblem({
      message: `the variable ${name} holds line breaks or control characters, which no server takes in credentials`,
      hint: `Set ${name} to the token or password alone.`,
      at,
    })
  }
  requireAllowed(name, { at, ...server }, environment)
  return value
}
