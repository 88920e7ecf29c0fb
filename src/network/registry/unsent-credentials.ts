import type { Credentials } from '../../model/credentials.ts'
import { shownUrl } from '../transport/shown-url.ts'
import type { Challenge } from './challenge.ts'
import { isTokenServerOf } from './is-token-server-of.ts'

/** Why credentials that were found went nowhere. */
export interface UnsentCredentials {
  /** Follows "because". */
  readonly reason: string
  /** The way out. */
  readonly hint: string
}

/** A registry that refused, and how it asked. */
export interface Refusing {
  readonly host: string
  /** `https://host`. */
  readonly origin: string
  /** The token service that was asked, if any was. */
  readonly realm: string | undefined
  /** Of the last answer. */
  readonly challenges: readonly Challenge[]
}

/** Says why the credentials were not sent; undefined if they were: then they are what was refused. */
export function unsentCredentials(
  known: Credentials,
  { host, origin, realm, challenges }: Refusing,
): UnsentCredentials | undefined {
  if (realm !== undefined) return known.type === 'bearer' ? undefined : keptFromService(realm, { host, origin })
  const isBasic = challenges.some(({ scheme }) => scheme === 'basic')
  if (isBasic && known.type === 'basic') return undefined
  if (isBasic) {
    return {
      reason: 'it asks for user and password, and they are a token',
      hint: 'Name the variables of both: `credentialsFrom: {username: …, password: …}`; or log in with the Docker client.',
    }
  }
  return {
    reason: 'it did not say how to show them',
    hint: 'Its API must ask by `WWW-Authenticate`, for Basic or Bearer: look at the registry, and at the proxies before it.',
  }
}

/** The same of a token service: undefined if it may be shown the registry's credentials. */
export function keptFromService(
  realm: string,
  { host, origin }: Pick<Refusing, 'host' | 'origin'>,
): UnsentCredentials | undefined {
  if (!URL.canParse(realm) || isTokenServerOf(realm, origin)) return undefined
  const where = shownUrl(realm)
  if (isTokenServerOf(realm.replace(/^http:/i, 'https:'), origin)) {
    return {
      reason: `its token service ${where} would get them by http without TLS`,
      hint: 'Let the registry name its token service by https.',
    }
  }
  return {
    reason: `its token service ${where} is another server`,
    hint: `If that is the registry's own service, take a token from there, which goes to ${host} itself, and name its variable: \`credentialsFrom: {token: …}\`. Otherwise find out who answers as ${host}.`,
  }
}
