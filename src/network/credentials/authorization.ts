import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Credentials } from '../../model/credentials.ts'
import { Secret } from '../../model/secret.ts'

/**
 * The value of the Authorization header: basic (RFC 7617) or bearer (RFC 6750). An identity token is no header: a
 * registry's token service exchanges it; here it is sent as bearer.
 */
export function authorizationOf(credentials: Credentials): Secret {
  if (credentials.type !== 'basic') return new Secret(`Bearer ${credentials.token.reveal()}`)
  const { username, password } = credentials
  return new Secret(`Basic ${encodeBase64(encodeUtf8(`${username}:${password.reveal()}`))}`)
}
