import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Credentials } from '../../model/credentials.ts'
import type { Ports } from '../../model/ports.ts'
import type { PublishConfig } from '../../model/publish-config.ts'
import { Secret } from '../../model/secret.ts'
import { findCredentials } from '../../network/credentials/find-credentials.ts'

/** The variables of CI that hold a token for the forge of the run, and the user that it is the password of. */
const CI_TOKENS: readonly { readonly server: string; readonly names: readonly string[]; readonly user: string }[] = [
  { server: 'CI_SERVER_URL', names: ['GITLAB_TOKEN'], user: 'oauth2' },
  { server: 'CI_SERVER_URL', names: ['CI_JOB_TOKEN'], user: 'gitlab-ci-token' },
  {
    server: 'GITHUB_SERVER_URL',
    names: ['FORGEJO_TOKEN', 'GITEA_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'],
    user: 'x-access-token',
  },
]

/**
 * The Authorization header for a repository where git has no credentials that are taken: what the fleet names for its
 * forge, else the token of CI, for the host that it belongs to and no other. Undefined where there is none, and for
 * what is not reached by https.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export async function pushAuthorization(
  url: string,
  { forge }: Pick<PublishConfig, 'forge'>,
  ports: Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>,
): Promise<Secret | undefined> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  if (protocol === 'http:' && !forge.plainHttp) return undefined
  if (forge.credentials !== undefined && (forge.url === undefined || new URL(forge.url).host === host)) {
    const found = await findCredentials({ host, kind: 'git', variables: forge.credentials }, ports)
    return found && basic(found)
  }
  const get = (name: string): string => ports.environment.get(name)?.trim() ?? ''
  for (const { server, names, user } of CI_TOKENS) {
    const address = get(server)
    if (!URL.canParse(address) || new URL(address).host !== host) continue
    const token = names.map(get).find((value) => value !== '')
    if (token !== undefined) return basic({ type: 'basic', username: user, password: new Secret(token) })
  }
  return undefined
}

/** Forges take a token as the password of any user. */
function basic(credentials: Credentials): Secret {
  const [user, password] =
    credentials.type === 'basic' ? [credentials.username, credentials.password] : ['x-access-token', credentials.token]
  return new Secret(`Basic ${encodeBase64(encodeUtf8(`${user}:${password.reveal()}`))}`)
}
