import type { Secret } from './secret.ts'

/** The credentials that a server gets. */
export type Credentials =
  | { readonly type: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly type: 'bearer'; readonly token: Secret }
  /** A registry's refresh token (Docker's `identitytoken`): exchanged for an access token. */
  | { readonly type: 'identityToken'; readonly token: Secret }

/** Names of environment variables that hold credentials; the fleet never holds the credentials themselves. */
export interface CredentialVariables {
  readonly token?: string
  readonly username?: string
  readonly password?: string
}

/** How a server is reached. */
export interface ServerAccess {
  /** True if http without TLS is allowed. */
  readonly plainHttp: boolean
  /** A file with certificates in PEM to trust besides the built-in ones; absolute. */
  readonly caFile?: string | undefined
  readonly credentials?: CredentialVariables | undefined
  /** Where this is set, if not on a source. */
  readonly settings?: AccessSettings | undefined
}

/** A field with its file, `spec.publish.forge of stackmason.yaml`, or the options of the command. */
export type AccessSettings = { readonly field: string } | 'options'

/** The programs `docker-credential-<name>`: they print what a user stored for a server. */
export interface CredentialHelpers {
  /**
   * Asks a helper; undefined when it has nothing for the server.
   * @throws Error when the helper is not installed, fails, or answers nonsense; the message holds no secret
   */
  readonly get: (
    helper: string,
    server: string,
  ) => Promise<{ readonly username: string; readonly secret: Secret } | undefined>
}
