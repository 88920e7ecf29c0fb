import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { HttpResponse } from '../../model/http.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { Hop } from './redirect.ts'

const LONGEST = 200
/** Bytes of an answer that are looked at. */
const LONGEST_BODY = 8_192
/** As much of a secret in a row is not shown. */
const TRACE = 8
/** Parameters of addresses and forms whose value is a secret. */
const SECRET_NAME = /pass|token|secret|key|sig|cred|auth|assertion|code/i

/**
 * The message of a refusing server, from a short text or from JSON as GitHub, registries and OAuth servers write it; on
 * one line, without control characters. Undefined when it says nothing of the kind, or repeats any of what it was sent
 * in confidence.
 */
export function serverMessage(response: HttpResponse, hop: Hop): string | undefined {
  const type = response.headers.get('content-type') ?? ''
  const text = decodeUtf8(response.body.subarray(0, LONGEST_BODY))
  const said = /[/+]json\b/i.test(type) ? messageOf(text) : /^text\/plain\b|^$/i.test(type) ? text : ''
  const line = said
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('"', "'")
    .trim()
  if (line === '' || line.startsWith('<')) return undefined
  if ([text, said, line].some((shown) => secretsOf(hop).some((secret) => repeats(shown, secret)))) return undefined
  return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/\p{Cs}$/u, '')}…` : line
}

/**
 * GitHub: message; GitLab: message as a list, or as lists by field; registries: errors[].message; OAuth (RFC 6749,
 * 5.2): error_description, error; RFC 9457: detail, title.
 */
function messageOf(text: string): string {
  const value = parseJson(text)
  const errors = textField(value, 'errors')
  const [first = null] = Array.isArray(errors) ? errors : []
  const candidates = [
    textField(first, 'message'),
    textField(first, 'code'),
    firstOf(textField(value, 'message')),
    ...['message', 'error_description', 'detail', 'error', 'details', 'title'].map((name) => textField(value, name)),
  ]
  const found = candidates.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '')
  return typeof found === 'string' ? found : ''
}

/** The first text of a list, or of the first list by field, with its name. */
function firstOf(value: Value): Value {
  if (Array.isArray(value)) return value[0] ?? null
  const [entry] = value instanceof Dict ? [...value] : []
  const text = entry === undefined ? null : firstOf(entry[1])
  return entry === undefined || typeof text !== 'string' ? null : `${entry[0]} ${text}`
}

function parseJson(text: string): Value {
  try {
    return parseGoJson(text)
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

function textField(value: Value, name: string): Value {
  return value instanceof Dict ? (value.get(name) ?? null) : null
}

/** All that was sent in confidence, in each form in which it could come back. */
function secretsOf(hop: Hop): readonly string[] {
  const header = hop.authorization?.reveal() ?? hop.headers.get('authorization') ?? ''
  const token = header.replace(/^\S+\s+/, '')
  const decoded = decodeBase64(token)
  const plain = decoded === undefined ? '' : decodeUtf8(decoded)
  const form = hop.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true
  const sent = new URLSearchParams(form && hop.body !== undefined ? decodeUtf8(hop.body) : '')
  const named = [...hop.url.searchParams, ...sent].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value)
  return [token, plain, plain.replace(/^[^:]*:/, ''), ...named].filter((secret) => secret.length >= 4)
}

function repeats(text: string, secret: string): boolean {
  const width = Math.min(TRACE, secret.length)
  for (let at = 0; at + width <= secret.length; at++) {
    if (text.includes(secret.slice(at, at + width))) return true
  }
  return false
}
