import type { Credentials } from '../../model/credentials.ts'
import type { RemoteAccess } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import type { PublishConfig } from '../../model/publish-config.ts'
import type { Secret } from '../../model/secret.ts'
import { authorizationOf } from '../../network/credentials/authorization.ts'
import { findCredentials } from '../../network/credentials/find-credentials.ts'
import { findForgeToken } from '../../network/credentials/forge-tokens.ts'
import { locateTarget } from './locate-target.ts'

/** Forges take a token as the password of any user. */
const ANY_USER = 'x-access-token'

/** What git is shown beside its own credentials. */
export type PushAuthorization = Required<Pick<RemoteAccess, 'authorization' | 'variables'>>

/**
 * The Authorization header for a repository where git has no credentials that are taken: what the fleet names for its
 * forge, else the token that is there for the host, the same that the forge's API is shown. Undefined where there is
 * none, and for what is not reached by https.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export async function pushAuthorization(
  url: string,
  publish: Pick<PublishConfig, 'forge' | 'at'>,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): Promise<PushAuthorization | undefined> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  const { forge, at } = publish
  if (protocol === 'http:' && !forge.plainHttp) return undefined
  if (forge.credentials !== undefined && (forge.url === undefined || new URL(forge.url).host === host)) {
    const found = await findCredentials({ host, kind: 'git', variables: forge.credentials }, ports)
    const { token, username, password } = forge.credentials
    const variables = [token, username, password].filter((name) => name !== undefined).join(' and ')
    return found && { authorization: basic(found), variables }
  }
  const place = at === undefined ? {} : { at }
  const kind = locateTarget({ url }, publish, ports)?.kind
  const found = findForgeToken({ kind, host, ...place }, ports.environment)
  return found && { authorization: basic(found), variables: found.variable }
}

function basic(credentials: Credentials): Secret {
  return authorizationOf(
    credentials.type === 'basic' ? credentials : { type: 'basic', username: ANY_USER, password: credentials.token },
  )
}
