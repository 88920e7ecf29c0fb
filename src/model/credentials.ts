import type { Secret } from './secret.ts'

/** The credentials that a server gets. */
export type Credentials =
  | { readonly type: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly type: 'bearer'; readonly token: Secret }
  /** A registry's refresh token (Docker's `identitytoken`): exchanged for an access token. */
  | { readonly type: 'identityToken'; readonly token: Secret }

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
