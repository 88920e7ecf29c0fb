import type { ServerAccess, ServerConnection } from './server-connection.ts'

/** Where the way to an API server is written. */
export interface KubeAccessOptions {
  /** Path of a kubeconfig; undefined: we run in a cluster, and use its API server as our service account. */
  readonly kubeconfig: string | undefined
  /** One of its contexts; undefined: its current one. */
  readonly context: string | undefined
}

/** An API server, and us as it knows us. */
export interface KubeAccess {
  readonly connection: ServerConnection
  /** The namespace that is meant where none is named; undefined where nobody says. */
  readonly namespace: string | undefined
}

/** Opens ways to API servers. */
export interface KubeConnector {
  /** @throws KubeAccessError */
  readonly open: (options: KubeAccessOptions) => Promise<KubeAccess>
  /** To a server of which all is known; reads no file and runs no program. @throws HttpError for a proxy without an address */
  readonly connect: (access: ServerAccess) => Promise<ServerConnection>
}

/** Nothing usable says how to reach an API server. The message repeats nothing of a kubeconfig but names. */
export class KubeAccessError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'KubeAccessError'
  }
}
