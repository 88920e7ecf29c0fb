import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import type { ParseOutcome } from '../../model/release-name.ts'
import { readVersion } from './choose-version.ts'

/** A version of a chart in the index of a repository. */
export interface OfferedChart {
  readonly version: string
  /** At least one; absolute or relative to the repository. */
  readonly urls: readonly string[]
  /** `sha256:<hex>` of the archive, when the index says one. */
  readonly digest: string | undefined
}

/** The charts in a repository: the versions of each chart in the order of the index. */
export type OfferedCharts = ReadonlyMap<string, readonly OfferedChart[]>

/**
 * Reads index.yaml of a Helm repository, in YAML or JSON (Helm pkg/repo, loadIndex). As in Helm entries without name,
 * version or address are passed over; fields that Helm does not know are no fault here.
 */
export function parseOfferedCharts(bytes: Uint8Array): ParseOutcome<OfferedCharts> {
  if (hasMoreMarks(bytes, MAX_MARKS)) return { reason: `it has more than ${String(MAX_MARKS)} values` }
  const outcome = parseDocument(decodeUtf8(bytes))
  if ('reason' in outcome) return outcome
  const document = outcome.value
  if (!(document instanceof Dict)) return { reason: 'it is not a map' }
  if (textOf(document.get('apiVersion')) === '') return { reason: 'it has no apiVersion' }
  const charts = document.get('entries') ?? new Dict()
  if (!(charts instanceof Dict)) return { reason: 'its entries are not a map' }
  const index = new Map<string, readonly OfferedChart[]>()
  for (const [name, versions] of charts) index.set(name, Array.isArray(versions) ? versions.flatMap(readEntry) : [])
  return { value: index }
}

/** Each value takes up to 100 bytes of memory; bitnami's index, the largest known, has less than a million. */
const MAX_MARKS = 4_000_000

/** True if there are more of the characters that values begin with or are parted by; every second value has one. */
function hasMoreMarks(bytes: Uint8Array, limit: number): boolean {
  if (bytes.length <= limit) return false
  let count = 0
  for (const byte of bytes) if (byte === 0x0a || byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
  return count > limit
}

function parseDocument(text: string): ParseOutcome<Value> {
  if (/^\s*\{/.test(text)) {
    try {
      return { value: parseGoJson(text) }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
    }
  }
  try {
    return { value: parseGoYaml(text, { integers: 'int' }) }
  } catch (error) {
    if (error instanceof YamlError) return { reason: error.unquoted }
    throw error
  }
}

function readEntry(value: Value): readonly OfferedChart[] {
  if (!(value instanceof Dict)) return []
  const name = textOf(value.get('name'))
  const version = textOf(value.get('version'))
  if (name === '' || name.includes('/') || readVersion(version) === undefined) return []
  const listed = value.get('urls')
  const urls = (Array.isArray(listed) ? listed : []).flatMap((url) =>
    typeof url === 'string' && url !== '' ? [url] : [],
  )
  if (urls.length === 0) return []
  const digest = readDigest(textOf(value.get('digest')))
  return [{ version, urls, digest }]
}

/** Helm takes the hex digits with or without `sha256:`; what is neither is as good as none. */
function readDigest(text: string): string | undefined {
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1]
  return hex === undefined ? undefined : `sha256:${hex.toLowerCase()}`
}

/** YAML without quotes may have made a number of a version. */
function textOf(value: Value | undefined): string {
  if (typeof value === 'string') return value
  return value instanceof GoInt || typeof value === 'number' ? String(value instanceof GoInt ? value.value : value) : ''
}
