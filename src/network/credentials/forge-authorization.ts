import type { ForgeConfig } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import { authorizationOf } from './authorization.ts'
import { findForgeToken } from './forge-tokens.ts'
import { lazyAuthorization } from './lazy-authorization.ts'

/**
 * Looks up, at the first call, what the API of a forge is shown: the variables that the fleet names and no others; else
 * the token that is there for its host.
 * @returns a function that gives the header's value, and throws StackmasonError FETCH_CREDENTIALS
 */
export function forgeAuthorization(
  { kind, url, credentials, at }: ForgeConfig,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): () => Promise<Secret | undefined> {
  const { host } = new URL(url)
  const place = at === undefined ? {} : { at }
  if (credentials !== undefined)
    return lazyAuthorization({ host, kind: 'git', variables: credentials, ...place }, ports)
  return () => {
    const found = findForgeToken({ kind, host, ...place }, ports.environment)
    return Promise.resolve(found && authorizationOf({ type: 'bearer', token: found.password }))
  }
}
