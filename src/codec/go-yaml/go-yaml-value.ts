import { GoInt, type Value } from '../../model/value.ts'
import { decodeBase64 } from '../bytes/base64.ts'
import { formatFloat32G } from '../json/go-float.ts'
import type { QuotingProblem } from './go-yaml-error.ts'
import { type Resolved, resolvePlain } from './go-yaml-resolve.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'

/** A scalar as it was written. */
export interface ScalarNode {
  readonly text: string
  /** The full tag; '' = none. */
  readonly tag: string
  readonly isPlain: boolean
}

const LONG_TAG = 'tag:yaml.org,2002:'
const MERGE_TAG = 'tag:yaml.org,2002:merge'
const resolvableTags: ReadonlySet<string> = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp'])
const MAX_INT64 = 2n ** 63n - 1n
const MAX_UINT64 = 2n ** 64n - 1n

/** Resolves a scalar by its tag or else by its form, as go-yaml v2 does; or what go-yaml says of why it cannot. */
export function resolveScalar({ text, tag, isPlain }: ScalarNode): Resolved | QuotingProblem {
  if (tag === '') return isPlain ? resolvePlain(text) : { kind: 'str', value: text }
  const name = tag.startsWith(LONG_TAG) ? tag.slice(LONG_TAG.length) : ''
  if (name === 'binary') return resolveBinary(text)
  if (name === 'str' || !resolvableTags.has(name)) return { kind: 'str', value: text }
  let resolved = resolvePlain(text)
  if (resolved.kind === 'timestamp' && name !== 'timestamp') resolved = { kind: 'str', value: text }
  if (resolved.kind === 'int' && name === 'float' && resolved.value <= MAX_INT64) {
    resolved = { kind: 'float', value: Number(resolved.value) }
  }
  if (resolved.kind === name) return resolved
  const [as, was] = [`as a !!${name}`, `cannot decode !!${resolved.kind}`]
  return { quoting: `${was} \`${text}\` ${as}`, unquoted: `${was} ${as}` }
}

function resolveBinary(text: string): Resolved | QuotingProblem {
  const bytes = decodeBase64(text)
  const problem = '!!binary value contains invalid base64 data'
  if (bytes === undefined) return { quoting: problem, unquoted: problem }
  // bytes that are no UTF-8 do not survive the way through JSON
  return { kind: 'str', value: decodeUtf8(bytes).replace(/\p{Surrogate}/gu, '\uFFFD') }
}

/**
 * The value that JSON makes of a scalar: a number is a float64, or with `int` a GoInt if JSON would write it without
 * point and exponent and 64 bits hold it. Infinities and NaN, which JSON refuses, come out as they are.
 */
export function valueOf(resolved: Resolved, integers: 'float64' | 'int'): Value {
  const { kind, value } = resolved
  if (kind === 'int') return integers === 'int' ? goInteger(BigInt(value)) : Number(value)
  if (kind !== 'float' || integers === 'float64' || !Number.isInteger(value) || Math.abs(value) >= 1e21) return value
  const integer = BigInt(String(value))
  return integer >= -MAX_INT64 - 1n && integer <= MAX_UINT64 ? goInteger(integer) : value
}

function goInteger(value: bigint): GoInt {
  return new GoInt(value, value > MAX_INT64 ? 'uint64' : 'int64')
}

const knownTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|timestamp|binary|map|seq))?$/

/** True if a full tag, or none, is one that every reader of YAML knows. */
export function isKnownTag(tag: string): boolean {
  return knownTag.test(tag)
}

/** True if a scalar as a key merges another map. */
export function isMergeKey({ text, tag, isPlain }: ScalarNode): boolean {
  return text === '<<' && (tag === '' ? isPlain : tag === '!' || tag === MERGE_TAG)
}

/**
 * The JSON key for a scalar (sigs.k8s.io/yaml convertToJSONableObject), or how Go's message for one that cannot be one
 * starts.
 */
export function keyNameOf(resolved: Resolved): string | { readonly unsupported: string } {
  if (resolved.kind === 'float') return floatKey(resolved.value)
  if (resolved.kind === 'null') return { unsupported: 'unsupported map key of type: %!s(<nil>), key: <nil>' }
  if (resolved.kind === 'int' && resolved.value > MAX_INT64) {
    return { unsupported: `unsupported map key of type: uint64, key: 0x${resolved.value.toString(16)}` }
  }
  return String(resolved.value)
}

function floatKey(value: number): string {
  const text = formatFloat32G(value)
  if (text === 'NaN') return '.nan'
  return text.endsWith('Inf') ? text.replace('+', '').replace('Inf', '.inf') : text
}
