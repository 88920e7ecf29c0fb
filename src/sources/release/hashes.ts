import { JsonError, parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'

/**
 * Checks the form of hashes.json, a map of strings with at least `clusterStack`. Only csctl reads it, to decide whether
 * anything changed, so every problem is a finding.
 */
export function checkHashes(bytes: Uint8Array, name: string): readonly Diagnostic[] {
  const source: Source = { name, text: decodeUtf8(bytes) }
  const finding = (message: string, offset: number = 0): readonly Diagnostic[] => [
    {
      code: 'RELEASE_METADATA_INVALID',
      severity: 'warning',
      message: `hashes.json ${message}`,
      at: { source, start: offset, end: offset },
      hint: 'csctl cannot tell from it what changed since this release; build the release again.',
    },
  ]
  try {
    const hashes = parseGoJson(source.text)
    if (!(hashes instanceof Dict)) return finding('must hold a map')
    const wrong = [...hashes].filter(([, value]) => typeof value !== 'string').map(([key]) => JSON.stringify(key))
    if (wrong.length > 0) return finding(`must hold strings only, which these are not: ${wrong.join(', ')}`)
    return hashes.has('clusterStack') ? [] : finding('has no "clusterStack"')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return finding(`is not valid JSON: ${error.message}`, error.offset)
  }
}
