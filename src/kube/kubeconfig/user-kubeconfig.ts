import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, resolvePath } from '../../codec/path.ts'
import { KubeAccessError, type KubeconfigAccess, type KubeconfigPart } from '../../model/kube-access.ts'
import { fieldAt, textField } from '../json-field.ts'
import { itemsNamed, parseDocument } from './kubeconfig-document.ts'

/** Ways to log in that run something, or act as somebody else. */
const special = ['exec', 'auth-provider', 'username', 'password', 'as', 'as-uid', 'as-groups', 'as-user-extra']

/**
 * Reads the text of a kubeconfig that users name, of which of several items of a name the first counts.
 * @throws KubeAccessError
 */
export function readUserKubeconfig(
  text: string,
  { file, context: asked }: Pick<KubeconfigAccess, 'file' | 'context'>,
): KubeconfigAccess {
  const document = parseDocument(text)
  if (document === undefined) throw new KubeAccessError('it is not a kubeconfig')
  const { config } = document
  const [context] = itemsNamed(config, 'contexts', asked ?? textField(config, 'current-context') ?? '')
  const clusterName = textField(context, 'cluster') ?? ''
  const [cluster] = itemsNamed(config, 'clusters', clusterName)
  const [user] = itemsNamed(config, 'users', textField(context, 'user') ?? '')
  if (cluster === undefined || cluster === null) {
    throw new KubeAccessError(
      asked === undefined ? 'its current context names no cluster' : `it has no context ${asked} with a cluster`,
    )
  }
  const url = textOf(cluster, 'server') ?? ''
  if (!URL.canParse(url)) throw new KubeAccessError(`the server of cluster ${clusterName} is not an address`)
  const folder = dirName(file)
  const named = (object: unknown, field: string): KubeconfigPart | undefined => {
    const path = textOf(object, field)
    return path === undefined ? undefined : { field, file: resolvePath(folder, path) }
  }
  const pem = (object: unknown, field: string): KubeconfigPart | undefined => {
    const data = textOf(object, `${field}-data`)
    return data === undefined ? named(object, field) : { field, text: decoded(data) }
  }
  const token = textOf(user, 'token')
  return {
    file,
    context: asked,
    login: special.some((field) => (fieldAt(user, field) ?? undefined) !== undefined) ? 'program' : 'plain',
    url,
    certificateAuthority: pem(cluster, 'certificate-authority'),
    clientCertificate: pem(user, 'client-certificate'),
    clientKey: pem(user, 'client-key'),
    // as in client-go, a file counts more than a token beside it
    token: named(user, 'tokenFile') ?? (token === undefined ? undefined : { field: 'token', text: token }),
    serverName: textOf(cluster, 'tls-server-name'),
    isUnverified: fieldAt(cluster, 'insecure-skip-tls-verify') === true,
    proxy: textOf(cluster, 'proxy-url'),
    namespace: textOf(context, 'namespace'),
  }
}

function decoded(data: string): string {
  const bytes = decodeBase64(data.replaceAll(/\s/g, ''))
  if (bytes === undefined) throw new KubeAccessError('its certificates or keys cannot be read')
  return decodeUtf8(bytes)
}

/** Undefined where there is none, or an empty one. */
function textOf(object: unknown, field: string): string | undefined {
  return textField(object, field) || undefined
}
