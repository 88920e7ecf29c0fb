import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import { authorizationOf } from './authorization.ts'
import { findCredentials, type CredentialRequest } from './find-credentials.ts'

/**
 * Looks credentials up at the first call, and once: who finds everything in the cache needs none.
 * @returns a function that gives the header's value, and throws StackmasonError FETCH_CREDENTIALS
 */
export function lazyAuthorization(
  request: CredentialRequest,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): () => Promise<Secret | undefined> {
  let found: Promise<Secret | undefined> | undefined
  return () => {
    found ??= findCredentials(request, ports).then((credentials) => credentials && authorizationOf(credentials))
    return found
  }
}
