import { decodeBase64, encodeBase64 } from '../../codec/bytes/base64.ts'
import { formatHex } from '../../codec/bytes/hex.ts'
import { decodeUtf8, encodeUtf8, utf8Length } from '../../codec/bytes/utf8.ts'
import { textField } from '../../kube/json-field.ts'
import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import type { Crypto } from '../../model/ports.ts'
import type { ServerAccess } from '../../model/server-connection.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { clusterLabels } from '../objects/ownership.ts'
import { comparedServer } from './server-address.ts'

/** The facts about a cluster for Argo CD. */
export interface RegisteredCluster {
  readonly cluster: Pick<KubeObject, 'namespace' | 'name' | 'uid'>
  readonly access: ServerAccess
  /** Public values, by their names. */
  readonly values: ReadonlyMap<string, string>
}

/** On a Secret that Argo CD takes for a cluster. */
const SECRET_TYPE = 'argocd.argoproj.io/secret-type'
/** The Cluster that the Secret is of: one of the same name that comes later is another. */
const CLUSTER_UID = 'stackmason.dev/cluster-uid'
/** A hash of the server: those that have the same are found by it, without reading all. */
const SERVER = 'stackmason.dev/server'
const VALUES = 'values.stackmason.dev/'

/** The API server's bound on the annotations of an object, in bytes of names and texts. */
const MOST_ANNOTATIONS = 256 * 1024

/** True if Argo CD takes the Secret for a cluster. */
export function isClusterSecret({ labels }: Pick<KubeObject, 'labels'>): boolean {
  return labels.has(SECRET_TYPE)
}

/** Where Argo CD looks for a cluster; neither part holds a dot. */
export function clusterSecretKey({ namespace, name }: ObjectKey, argoNamespace: string): ObjectKey {
  return { namespace: argoNamespace, name: `${namespace}.${name}` }
}

/** The annotations that hold values. */
function valueAnnotations(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(values, ([name, text]) => [`${VALUES}${name}`, text]))
}

/** True if an object has room for the values. */
export function haveRoom(values: ReadonlyMap<string, string>): boolean {
  const annotations = Object.entries(valueAnnotations(values))
  // something is left for what others add
  return annotations.reduce((sum, [name, text]) => sum + utf8Length(name) + utf8Length(text), 4096) < MOST_ANNOTATIONS
}

/** The values that a Secret has. */
export function valuesOf({ annotations }: KubeObject): ReadonlyMap<string, string> {
  return new Map(
    [...annotations].flatMap(([name, text]): [string, string][] =>
      name.startsWith(VALUES) ? [[name.slice(VALUES.length), text]] : [],
    ),
  )
}

/** True if the Secret is of another Cluster that had the same name. */
export function isOfOther({ annotations }: KubeObject, uid: string): boolean {
  const known = annotations.get(CLUSTER_UID)
  return known !== undefined && known !== uid
}

/** The server that a Secret names; empty where it names none. */
export function serverOf({ content }: Pick<KubeObject, 'content'>): string {
  return decodeUtf8(decodeBase64(textField(content, 'data', 'server') ?? '') ?? new Uint8Array())
}

/** Selects the cluster Secrets that may name a server: ours by its hash, and all that do not have one. */
export function selectorsOf(server: string, crypto: Pick<Crypto, 'hash'>): readonly string[] {
  return [`${SERVER}=${serverHash(server, crypto)}`, `!${SERVER}`].map((one) => `${SECRET_TYPE}=cluster,${one}`)
}

function serverHash(server: string, crypto: Pick<Crypto, 'hash'>): string {
  return formatHex(crypto.hash('sha256', encodeUtf8(comparedServer(server)))).slice(0, 32)
}

/** The Secret by which Argo CD knows a cluster, as it should be: the form that its documentation calls declarative. */
export function clusterSecret(
  { cluster, access, values }: RegisteredCluster,
  crypto: Pick<Crypto, 'hash'>,
): ApplyRequest['wanted'] {
  const { namespace, name, uid } = cluster
  const texts = { name: `${namespace}.${name}`, server: access.url, config: configOf(access) }
  return {
    metadata: {
      labels: { [SECRET_TYPE]: 'cluster', [SERVER]: serverHash(access.url, crypto), ...clusterLabels(cluster) },
      annotations: { [CLUSTER_UID]: uid, ...valueAnnotations(values) },
    },
    data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, base64(text)])),
  }
}

/** Argo CD's ClusterConfig (pkg/apis/application/v1alpha1/types.go). */
function configOf({ certificateAuthorities, clientCertificate, serverName, token, proxy }: ServerAccess): string {
  return JSON.stringify({
    bearerToken: token,
    proxyUrl: proxy,
    tlsClientConfig: {
      insecure: false,
      caData: certificateAuthorities === undefined ? undefined : base64(certificateAuthorities),
      certData: clientCertificate && base64(clientCertificate.cert),
      keyData: clientCertificate && base64(clientCertificate.key),
      serverName,
    },
  })
}

function base64(text: string): string {
  return encodeBase64(encodeUtf8(text))
}
