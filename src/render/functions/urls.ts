import { Dict, goKindOf, type Value } from '../../model/value.ts'
import { FunctionError, type FunctionDef } from '../engine/function.ts'
import { refuseToken } from '../engine/token-refused.ts'
import { dictArgument, textArgument } from './arguments.ts'
import { nilDereference } from './go/go-list.ts'
import { formatUrl, hostName, parseUrl, UrlError } from './go/go-url.ts'
import { ours, say, withoutQuotes } from '../engine/error-text.ts'

function urlParse(args: readonly Value[]): Value {
  try {
    const url = parseUrl(textArgument(args, 0))
    const parts = new Dict()
    for (const [name, value] of Object.entries({ ...url, hostname: hostName(url.host) })) parts.set(name, value)
    return parts
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    throw new FunctionError(say`unable to parse url: ${withoutQuotes(error)}`, { cause: error })
  }
}

function urlJoin(args: readonly Value[]): Value {
  const map = dictArgument(args, 0)
  // Go reads the parts in this order, which decides what is complained of first
  const [scheme = '', host = '', path = '', query = '', opaque = '', fragment = '', userinfo = ''] = [
    'scheme',
    'host',
    'path',
    'query',
    'opaque',
    'fragment',
    'userinfo',
  ].map((name) => textPart(map, name))
  try {
    return formatUrl({ scheme, host, path, query, opaque, fragment, userinfo })
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    throw new FunctionError(say`unable to parse userinfo in dict: ${withoutQuotes(error)}`, { cause: error })
  }
}

function textPart(map: Dict | null, name: string): string {
  const value = map?.get(name)
  if (value === undefined) return ''
  if (value === null) throw new FunctionError(nilDereference)
  if (typeof value !== 'string') {
    throw new FunctionError(
      say`unable to parse ${ours(name)} key, must be of type string, but ${ours(goKindOf(value))} found`,
    )
  }
  return refuseToken(value, 'cannot write a URL with a value that is only known later')
}

/** sprig's URL functions (url.go over net/url). */
export const urlFunctions: readonly FunctionDef[] = [
  { name: 'urlParse', params: ['string'], tokens: 'refuse', call: urlParse },
  { name: 'urlJoin', params: ['map'], tokens: 'handle', call: urlJoin },
]
