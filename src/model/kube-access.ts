import type { ServerAccess, ServerConnection } from './server-connection.ts'

/** Where the way to an API server is written. */
export interface KubeAccessOptions {
  /** Path of a kubeconfig; undefined: we run in a cluster, and use its API server as our service account. */
  readonly kubeconfig: string | undefined
  /** One of its contexts; undefined: its current one. */
  readonly context: string | undefined
}

/** A text of a kubeconfig, or the file that it names for it: absolute, where the kubeconfig's own path is. */
export type KubeconfigPart = { readonly field: string } & ({ readonly text: string } | { readonly file: string })

/** The address and credentials that a kubeconfig gives for an API server. */
export interface KubeconfigAccess {
  /** Its own path. */
  readonly file: string
  /** The context that was asked for; undefined: its current one. */
  readonly context: string | undefined
  /** `program`: its user logs in by a program or a plugin, or as somebody else. */
  readonly login: 'plain' | 'program'
  readonly url: string
  readonly certificateAuthority: KubeconfigPart | undefined
  readonly clientCertificate: KubeconfigPart | undefined
  readonly clientKey: KubeconfigPart | undefined
  readonly token: KubeconfigPart | undefined
  readonly serverName: string | undefined
  readonly isUnverified: boolean
  readonly proxy: string | undefined
  readonly namespace: string | undefined
}

/** An API server, and us as it knows us. */
export interface KubeAccess {
  readonly connection: ServerConnection
  /** The namespace that is meant where none is named; undefined where nobody says. */
  readonly namespace: string | undefined
}

/** Opens ways to API servers. */
export interface KubeConnector {
  /**
   * By a kubeconfig; undefined: to the API server of the cluster that we run in, as our service account.
   * @throws KubeAccessError
   */
  readonly open: (access: KubeconfigAccess | undefined) => Promise<KubeAccess>
  /**
   * To a server of which all is known; reads no file and runs no program. @throws HttpError for a proxy without an
   * address
   */
  readonly connect: (access: ServerAccess) => Promise<ServerConnection>
}

/** Nothing usable says how to reach an API server. The message repeats nothing of a kubeconfig but names. */
export class KubeAccessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'KubeAccessError'
  }
}
