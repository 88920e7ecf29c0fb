import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { isPublicPart } from '../../generate/published-value.ts'
import { textAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { TokenTable } from '../../model/token.ts'
import { Dict, type Value } from '../../model/value.ts'

/**
 * Puts a token in place of each hash in a Secret's data that was taken over what is known only later: there a hash is
 * no mark of a change but what a password is compared with, and the hash of what the token stands for would let
 * everybody in who can read the chart.
 */
export function restoreHashes(manifest: Manifest, tokens: TokenTable): Manifest {
  if (tokens.hashes.size === 0 || manifest.kind !== 'Secret' || manifest.apiVersion !== 'v1') return manifest
  let { object } = manifest
  for (const field of ['data', 'stringData'] as const) {
    const entries = object.get(field)
    if (!(entries instanceof Dict)) continue
    for (const [key, value] of entries) {
      const restored = restoredValue(field, value, tokens)
      if (restored !== undefined) object = withField(object, [field, key], restored)
    }
  }
  return object === manifest.object ? manifest : { ...manifest, object }
}

function restoredValue(field: 'data' | 'stringData', value: Value, tokens: TokenTable): string | undefined {
  if (typeof value !== 'string') return undefined
  const direct = restoredText(value, tokens)
  if (direct !== undefined || field === 'stringData') return direct
  const bytes = decodeBase64(value.replaceAll(/\s/g, ''))
  const input = bytes === undefined ? undefined : restoredText(decodeUtf8(bytes), tokens)
  return input === undefined ? undefined : tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input })
}

function restoredText(text: string, tokens: TokenTable): string | undefined {
  let restored = text
  for (const [hash, { spec, origin }] of tokens.hashes)
    if (restored.includes(hash)) restored = restored.replaceAll(hash, tokens.add(spec, origin))
  return restored === text ? undefined : restored
}

/**
 * The hash of a private value that stands outside of Secrets as if it were that of the value itself; undefined when
 * there is none.
 */
export function misplacedHash(
  manifest: Manifest,
  tokens: TokenTable,
): { readonly pointer: string; readonly hash: string } | undefined {
  const alone = [...tokens.hashes].filter(([, { spec }]) => spec.kind === 'derived' && isGenerated(spec.input, tokens))
  if (alone.length === 0 || textAt(manifest.object, 'kind') === 'Secret') return undefined
  const visit = (value: Value, pointer: string): { pointer: string; hash: string } | undefined => {
    if (typeof value === 'string') {
      const found = alone.find(([hash]) => value.includes(hash))
      return found === undefined ? undefined : { pointer, hash: found[0] }
    }
    if (!Array.isArray(value) && !(value instanceof Dict)) return undefined
    for (const [key, child] of value.entries()) {
      // there it says that something has changed
      if (key === 'annotations' || key === 'labels') continue
      const found = visit(child, `${pointer}/${String(key)}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  return visit(manifest.object, '')
}

function isGenerated(input: string, tokens: TokenTable): boolean {
  const spec = input.length === 2 ? tokens.get(input) : undefined
  return spec?.kind === 'generated' && !isPublicPart(spec.part)
}
