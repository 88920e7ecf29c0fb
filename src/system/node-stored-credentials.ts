import type { CredentialHelpers } from '../model/credentials.ts'

/** {@link CredentialHelpers} through the programs on PATH. */
export const askCredentialHelper: CredentialHelpers['get'] = async (helper) => {
  throw new Error(`docker-credential-${helper} cannot be run yet`)
}
