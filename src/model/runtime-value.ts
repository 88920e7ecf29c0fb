import type { TokenAssumption, TokenType } from './token.ts'

/**
 * The pattern of values of each type. A host is an address or a name that can be reached from elsewhere: it has a dot
 * or a colon, or at least a digit or dash, so that words such as `auto` are none. Text could break out of its quotes
 * with a quote, a backslash or a line break, and with a character that YAML does not take (YAML 1.2, `nb-char`)
 * nothing of the file could be read.
 */
export const runtimePatterns: Readonly<Record<TokenType, string>> = {
  host: '(?:\\[[0-9A-Fa-f:.]+\\]|(?=[A-Za-z0-9.:-]*[0-9.:-])[A-Za-z0-9.:-]+)',
  port: '[1-9][0-9]{0,4}',
  id: '[A-Za-z0-9_.:/-]+',
  integer: '(?:0|-?[1-9][0-9]{0,18})',
  string: '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff\'"\\\\]+',
}

const words: Readonly<Record<TokenType, string>> = {
  host: 'an address, or a name with a dot, dash or digit, without a port',
  port: 'a number from 1 to 65535',
  id: 'letters, digits and _.:/-',
  integer: 'a whole number',
  string: 'text without quotes, backslashes, line breaks and control characters',
}

const lastPort = 65_535
/** An address of version 6 has two colons at least: this is a host with its port. */
const withPort = /^[^:]*:[^:]*$/

/** The hint for a value that is none of its type. */
export const WAY_TO_RUNTIME_VALUE = 'Correct the value, or remove the entry: then the running cluster gives it.'

/** Why a text is no value of its type, as the end of a sentence; undefined when it is one. */
export function refuseRuntimeValue(type: TokenType, text: string): string | undefined {
  const isOfType = new RegExp(`^${runtimePatterns[type]}$`, 'u').test(text)
  const isValue = type === 'port' ? Number(text) <= lastPort : type !== 'host' || !withPort.test(text)
  return isOfType && isValue ? undefined : `must be ${words[type]}`
}

/** The type of a runtime-only field, by its name: what the binding checks the value against. */
export function typeOfField(path: string): TokenType {
  if (path.endsWith('controlPlaneEndpoint.host')) return 'host'
  if (path.endsWith('controlPlaneEndpoint.port')) return 'port'
  return /\.(?:id|uid)$/i.test(path) || /[a-z](?:ID|Id|UID)$/.test(path) ? 'id' : 'string'
}

/** True if a value is what templates took for granted; `isSet` is Go's truth of a text or number. */
export function holdsAssumption(text: string, assumption: TokenAssumption): boolean {
  return 'isSet' in assumption ? text !== '' && text !== '0' && text !== 'false' : text !== assumption.notEqual
}
