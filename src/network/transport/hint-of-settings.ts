import type { AccessSettings } from '../../model/credentials.ts'
import type { FetchFailure } from './fetch-failure.ts'

/**
 * The next step where a setting of the server decides, in the words of where it is set; undefined where the general
 * hint of the code does, which speaks of sources.
 */
export function hintOfSettings(
  { code, tls }: Pick<FetchFailure, 'code' | 'tls'>,
  settings: AccessSettings | undefined,
): string | undefined {
  const isOption = settings === 'options'
  if (code === 'FETCH_PLAIN_HTTP')
    return settings && `Use https, or ${plainHttp(settings)} if the server offers nothing else.`
  if (code !== 'FETCH_TLS') return undefined
  if (tls === 'absent') {
    const scheme = isOption ? '' : ' (and write http:// in its url, if it has one)'
    return `If the server offers no TLS, ${plainHttp(settings)}${scheme}; otherwise check the port.`
  }
  if (tls === 'untrusted-by-own')
    return `Check that \`${isOption ? '--ca-file' : 'caFile'}\` holds the authority that signed the certificate, and that the certificate is for this host name.`
  if (settings === undefined) return undefined
  return isOption
    ? 'Name the certificate authority with `--ca-file`, and check the host name.'
    : `Set the certificate authority in \`caFile\` of ${settings.field}, and check the host name.`
}

function plainHttp(settings: AccessSettings | undefined): string {
  if (settings === 'options') return 'add `--plain-http`'
  return `set \`plainHttp: true\` ${settings === undefined ? 'on the source' : `in ${settings.field}`}`
}
