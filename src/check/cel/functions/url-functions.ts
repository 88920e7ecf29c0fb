import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celFunction, celMethod, Opaque } from '../cel-values.ts'

/** An absolute URL, or a path, as Go's `url.ParseRequestURI` takes them. */
class Url extends Opaque {
  readonly type = 'kubernetes.URL'
  readonly key: string
  readonly scheme: string
  readonly host: string
  readonly path: string

  constructor(text: string, [scheme, host, path]: readonly [string, string, string]) {
    super()
    this.key = text
    this.scheme = scheme
    this.host = host
    this.path = path
  }
}

const form =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^/?@]*@)?((?:\[[0-9A-Fa-f:.]+\]|[^/?#:\s[\]]*)(?::[0-9]*)?))?(\/[^?\s]*)?(?:\?[^\s]*)?$/

function parseUrl(text: string): Url | undefined {
  const [found, scheme = '', host, path = ''] = form.exec(text) ?? []
  if (found === undefined || text === '' || /%(?![0-9A-Fa-f]{2})/.test(path)) return undefined
  // a path alone, or all that an absolute one needs
  if (scheme === '' ? !text.startsWith('/') || host !== undefined : host === undefined && path === '') return undefined
  return new Url(text, [scheme.toLowerCase(), host ?? '', path])
}

function urlOf(value: CelData | undefined): Url {
  const url = typeof value === 'string' ? parseUrl(value) : value
  if (url instanceof Url) return url
  throw new CelFailure('the text is no URL')
}

const hostname = ({ host }: Url): string => host.replace(/:[0-9]*$/, '').replace(/^\[(.*)\]$/, '$1')

/** `url(text)`, `isURL(text)` and the parts of a URL but for its query. */
export const urlFunctions: readonly CelFunction[] = [
  celFunction('url', ['string'], ([text]) => urlOf(text)),
  celFunction('isURL', ['string'], ([text]) => typeof text === 'string' && parseUrl(text) !== undefined),
  celMethod('getScheme', [Url], ([value]) => urlOf(value).scheme),
  celMethod('getHost', [Url], ([value]) => urlOf(value).host),
  celMethod('getHostname', [Url], ([value]) => hostname(urlOf(value))),
  celMethod('getPort', [Url], ([value]) => /:([0-9]*)$/.exec(urlOf(value).host)?.[1] ?? ''),
  celMethod('getEscapedPath', [Url], ([value]) => urlOf(value).path),
]
